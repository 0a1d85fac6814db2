package tasks

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/scheduler"
)

// Store is the part of the database that is read directly, and written without events.
type Store interface {
	Task(ctx context.Context, workspace, id string) (*domain.Task, error)
	// TaskOfCallback finds a task in any workspace.
	TaskOfCallback(ctx context.Context, id string) (*domain.Task, error)
	// TaskExecution is the execution that a task is the work of.
	TaskExecution(ctx context.Context, t *domain.Task) (*domain.Execution, error)
	// ClaimTask postpones when a task is due, for the node that processes it now; domain.ErrStale if
	// another node was faster.
	ClaimTask(ctx context.Context, t *domain.Task, until time.Time) error
	// OweTask notes what is still owed to a service, and when the next try is; nil: never.
	OweTask(ctx context.Context, t *domain.Task, tries int, next *time.Time) error
}

// Remote are the services that do the work.
type Remote interface {
	// SigningSecrets are those with which a connector's service signs; none: it cannot.
	SigningSecrets(ctx context.Context, workspace, connector string) ([]string, error)
	// CancelTask notifies a service to stop; nil too if it cannot be notified.
	CancelTask(ctx context.Context, t *domain.Task, reason string) error
	// PollTask asks a service that does not call back.
	PollTask(ctx context.Context, t *domain.Task) (domain.TaskReport, error)
	// AnswerTask delivers a person's answer to the question with a key; null declines.
	AnswerTask(ctx context.Context, t *domain.Task, key string, answer json.RawMessage) error
}

// Shown is a service's question as it is shown to a person, with the schema of its answer; false: it
// cannot be answered.
type Shown func(*domain.Module) (shown *domain.Module, response json.RawMessage, ok bool)

// Config is what a Service is made of; every field is needed.
type Config struct {
	Door   *scheduler.Door
	Store  Store
	Remote Remote
	Shown  Shown
	// Describe describes an external command with its parameters for people.
	Describe func(command string, params json.RawMessage) domain.Text
	Clock    clock.Clock
	NewID    domain.IDSource
	Log      zerolog.Logger
}

// Service takes what happens to tasks to their sessions.
type Service struct {
	cfg  Config
	base context.Context // of background work
	stop context.CancelFunc
	work sync.WaitGroup
	room chan struct{} // limits concurrent calls of services
	late progress
}

// atOnce limits concurrent calls of services.
const atOnce = 16

// New makes a service.
func New(cfg Config) *Service {
	base, stop := context.WithCancel(context.Background())
	return &Service{cfg: cfg, base: base, stop: stop, room: make(chan struct{}, atOnce)}
}

// Start exists for the order in which services stop.
func (s *Service) Start(context.Context) error { return nil }

// Stop ends background work, and waits. What it leaves is due again.
func (s *Service) Stop(context.Context) error {
	s.stop()
	s.work.Wait()
	return nil
}

// CallbackSecrets are those that a report about a task may be signed with.
func (s *Service) CallbackSecrets(ctx context.Context, id string) ([]string, error) {
	t, err := s.cfg.Store.TaskOfCallback(ctx, id)
	if err != nil {
		return nil, err
	}
	secrets, err := s.cfg.Remote.SigningSecrets(ctx, t.WorkspaceID, t.ConnectorID)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil, nil // the connector is gone: no signature is valid
	}
	return secrets, err
}
