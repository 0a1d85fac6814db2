package scheduler

import (
	"errors"

	"github.com/fermata-dev/fermata/domain"
)

// ErrSlotTaken ends a request that no person waits for: the session keeps waiting.
var ErrSlotTaken = &domain.Error{
	Code:    domain.CodeSlotTaken,
	Message: "The slot of this workspace is taken by another session. Nothing was changed; try again when it is free.",
}

// errNothingToDo ends a request that has nothing to write.
var errNothingToDo = errors.New("nothing to do")

// unknownModelError ends a decision that needs a model's data first.
type unknownModelError struct{ provider string }

func (*unknownModelError) Error() string { return "the model of the session is not known yet" }

// refusal is a refusal with the state of the session that it is about.
type refusal struct {
	cause error
	shown *domain.Error
}

func (e *refusal) Error() string   { return e.cause.Error() }
func (e *refusal) Unwrap() []error { return []error{e.shown, e.cause} }

// withSession adds the session's state to a refusal, for the client's eyes. The refusal
// itself may be one value for all who are refused, and stays as it is.
func withSession(err error, s *domain.Session) error {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok || e.Session != nil || s == nil {
		return err
	}
	shown := *e
	shown.Session = s
	return &refusal{err, &shown}
}

// Refused reports whether the machine rejected an event: a retry would not help.
func Refused(err error) bool {
	var e *domain.Error
	return errors.As(err, &e) && (e.Code == domain.CodeWrongPhase || e.Code == domain.CodeSessionEnded ||
		e.Code == domain.CodeNotFound || e.Code == domain.CodeSeedNeverRuns)
}
