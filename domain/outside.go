package domain

import (
	"encoding/json"
	"errors"
	"time"
)

// OutsideCall is one execution of a command that another server offers. ExecutionID goes
// along as the idempotency key.
type OutsideCall struct {
	WorkspaceID string
	SessionID   string
	ExternalID  string // of the session
	ExecutionID string
	Command     string // with its prefix, as in the catalogue
	Params      json.RawMessage
	Attempt     int
	RunEpoch    int64
	TraceParent string
	// TaskID and Deadline are those of the task that was stored for it; empty: none was.
	TaskID   string
	Deadline time.Time
	// Answers are a person's answers to what the server asked in earlier attempts of this
	// call (OutsideResult.Question), oldest first.
	Answers []json.RawMessage
}

// OutsideResult is what came of a call: Text (with JSON where the answer was JSON), Task
// where the work goes on outside, or Question where the server asks a person first.
type OutsideResult struct {
	Text string
	JSON json.RawMessage
	Cut  bool // it was longer than allowed; Text says so
	// Failed: the server carried the call out and says that it did not succeed. Nothing is
	// in doubt.
	Failed   bool
	Task     *TaskHandle
	Question *Module
	// Open: the call goes on at the server while it waits for the answer.
	Open bool
}

// OutsideAsk is what a call to a server outside wants of a person before it goes on.
type OutsideAsk struct {
	ExecutionID string
	Connector   string // its id
	Name        string // the connector's, for people
	Why         string // in words
	// Question is what the server asks; nil: somebody has to sign in. ResponseSchema is that
	// of its answer.
	Question       *Module
	ResponseSchema json.RawMessage
	// Open: the call goes on at the server meanwhile.
	Open bool
}

// OutsideAnswer is what people answered to what a call asked.
type OutsideAnswer struct {
	// Answers are to the server's questions, oldest first; null declines.
	Answers []json.RawMessage `json:"answers,omitempty"`
	// Refused: nobody wants to sign in.
	Refused bool `json:"refused,omitempty"`
}

// TaskHandle is work that goes on at the server outside.
type TaskHandle struct {
	ID       string        // the server's own
	Poll     time.Duration // how often it wants to be asked; 0: it calls back
	Deadline time.Time     // zero: none
}

// ErrNoProbe: nothing can be asked about an earlier call.
var ErrNoProbe = errors.New("the command has no probe")

// Fault says what an error means for the call that had it.
type Fault int

const (
	// FaultDoubt: the request left, or may have, and how it ended is not known.
	FaultDoubt Fault = iota
	// FaultNotSent: not a byte of the request left; nothing happened outside.
	FaultNotSent
	// FaultRefused: the server answered that it did not do it.
	FaultRefused
	// FaultSignIn: the server wants somebody to sign in again; it did nothing.
	FaultSignIn
)

// OutsideError is a call that failed. Message is for a person and for the AI: it holds no
// secret, and nothing that the server outside wrote but its status.
type OutsideError struct {
	Fault   Fault
	Message string
	// Temporary: the same call may succeed later. RetryAfter is when the server wants it.
	Temporary  bool
	RetryAfter time.Duration
	Cause      error
	// Said is what a connector's program wrote at its end: for those who look after the
	// connector, and never for the AI.
	Said string
}

// Error is what happened, in a sentence.
func (e *OutsideError) Error() string { return e.Message }

// Unwrap gives the cause, for the process log.
func (e *OutsideError) Unwrap() error { return e.Cause }

// FaultOf is what an error means for its call; anything that is no OutsideError is a doubt.
func FaultOf(err error) Fault {
	if e, ok := errors.AsType[*OutsideError](err); ok {
		return e.Fault
	}
	return FaultDoubt
}
