package connectors

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// Connection is an open connection to a connector's server. It is safe for concurrent use and can
// be discarded at any time: a failed one is closed and replaced. Errors of calls are
// *outside.Error; any other error counts as an unknown outcome.
type Connection interface {
	// List returns the commands that the server currently offers, in its order, without a person's
	// settings. For kinds with commands entered by a person it returns those.
	List(ctx context.Context) (Listing, error)
	// Call sends one call, once. It never retries: the caller knows the effect.
	Call(ctx context.Context, call Call) (outside.Result, error)
	// Probe checks whether a call with an unknown outcome was carried out. It returns
	// outside.ErrNoProbe if that is not possible.
	Probe(ctx context.Context, call Call) (done bool, result outside.Result, err error)
	Close() error
}

// Listing is the list of a server's commands with its validity.
type Listing struct {
	Commands []outside.ConnectorCommand
	TTL      time.Duration // 0: until the server announces a change, or a refresh
	// Notes explain to a person which parts of the server's list were left out.
	Notes []string
}

// Tasks is implemented by connections whose calls can continue as tasks at the server
// (outside.Result.Task) and are polled, without callbacks.
type Tasks interface {
	Task(ctx context.Context, id string) (TaskState, error)
	// AnswerTask sends a person's answer to the task's question with this key
	// (TaskState.QuestionKey); null declines. If the question is no longer open, nothing is sent.
	AnswerTask(ctx context.Context, id, key string, answer json.RawMessage) error
	// CancelTask requests cancellation. The result is in the task's state.
	CancelTask(ctx context.Context, id string) error
}

// TaskState is the progress of a task. Result is set when Done, also for a failed or cancelled
// task.
type TaskState struct {
	Done      bool
	Cancelled bool
	Text      string        // status text of the server
	Poll      time.Duration // requested polling interval
	Result    *outside.Result
	Question  *domain.Module // an open question to a person
	// QuestionKey distinguishes the questions of a task.
	QuestionKey string
}

// Call is one execution with the connector's definition of its command.
type Call struct {
	outside.Call
	Definition outside.ConnectorCommand
}
