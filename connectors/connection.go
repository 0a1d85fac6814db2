package connectors

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Connection is a connector that is in use. It is safe for concurrent use and can be thrown
// away at any time: whoever holds one that failed closes it and opens another. Errors of
// calls are *domain.OutsideError; any other counts as a doubt.
type Connection interface {
	// List gives the commands that the server outside offers now, in its order, without what
	// a person decides about them. Kinds whose commands a person wrote give those.
	List(ctx context.Context) (Listing, error)
	// Call sends one call, once. It never repeats by itself: who calls knows the effect.
	Call(ctx context.Context, call Call) (domain.OutsideResult, error)
	// Probe asks whether a call of unknown outcome was carried out; domain.ErrNoProbe where
	// that cannot be asked.
	Probe(ctx context.Context, call Call) (done bool, result domain.OutsideResult, err error)
	Close() error
}

// Listing is what a server offers, and for how long that may be believed.
type Listing struct {
	Commands []domain.ConnectorCommand
	TTL      time.Duration // 0: until the server says that it changed, or it is refreshed
	// Notes are for a person: what of the server's list was left out, and why.
	Notes []string
}

// Tasks is a Connection besides, where work goes on at the server after the call
// (OutsideResult.Task): it is asked how far it is, and does not call back.
type Tasks interface {
	Task(ctx context.Context, id string) (TaskState, error)
	// AnswerTask passes on a person's answer to what the task asked by this key
	// (TaskState.QuestionKey); null declines. Where it asks that no more, nothing is said.
	AnswerTask(ctx context.Context, id, key string, answer json.RawMessage) error
	// CancelTask asks the server to stop. What becomes of the task, its state says.
	CancelTask(ctx context.Context, id string) error
}

// TaskState is how far a task is. Result is set when Done; a task that failed or was
// cancelled has one that says so.
type TaskState struct {
	Done      bool
	Cancelled bool
	Text      string        // what the server says of it
	Poll      time.Duration // when it wants to be asked again
	Result    *domain.OutsideResult
	Question  *domain.Module // it waits for a person's answer
	// QuestionKey tells the question from others of the same task.
	QuestionKey string
}

// Call is one execution, with the command as the connector has it.
type Call struct {
	domain.OutsideCall
	Definition domain.ConnectorCommand
}
