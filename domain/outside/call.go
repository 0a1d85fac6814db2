package outside

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Call is one execution of a command that another server offers. ExecutionID goes
// along as the idempotency key.
type Call struct {
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
	// Answers are a person's answers to the server's questions in earlier attempts of this call
	// (Result.Question), oldest first.
	Answers []json.RawMessage
}

// Result is the result of a call: Text (with JSON if the response was JSON), Task if the work
// continues at the server, or Question if the server needs a person's answer first.
type Result struct {
	Text string
	JSON json.RawMessage
	Cut  bool // it exceeded the limit, as Text notes
	// Failed: the server carried out the call and reported a failure. The outcome is known.
	Failed   bool
	Task     *TaskHandle
	Question *domain.Module
	// Open: the call remains open at the server while it waits for the answer.
	Open bool
}

// TaskHandle identifies work at another server.
type TaskHandle struct {
	ID       string        // the server's own
	Poll     time.Duration // the polling interval it wants; 0: it uses callbacks
	Deadline time.Time     // zero: none
}

// ErrNoProbe: the command has no probe for earlier calls.
var ErrNoProbe = errors.New("the command has no probe")

// Fault classifies an error by its meaning for the call.
type Fault int

const (
	// FaultUnknown: the request left, or may have, and how it ended is not known.
	FaultUnknown Fault = iota
	// FaultNotSent: not a byte of the request left; nothing happened outside.
	FaultNotSent
	// FaultRefused: the server answered that it did not do it.
	FaultRefused
	// FaultSignIn: the server requires a new sign-in; it did nothing.
	FaultSignIn
)

// Error is a call that failed. Message is for a person and for the AI: it holds no
// secret, and nothing that the server outside wrote but its status.
type Error struct {
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
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, for the process log.
func (e *Error) Unwrap() error { return e.Cause }

// FaultOf classifies an error; anything but an Error means an unknown outcome.
func FaultOf(err error) Fault {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Fault
	}
	return FaultUnknown
}
