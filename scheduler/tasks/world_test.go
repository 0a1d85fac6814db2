package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/orchestrator/machine"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/automations"
	"github.com/fermata-dev/fermata/repository/outside"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/scheduler/slot"
	"github.com/fermata-dev/fermata/scheduler/tasks"
)

const ws = domain.DefaultWorkspace

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// world is the service on a database, behind the door, with a scripted external service. Its clock advances only
// when a test moves it.
type world struct {
	*testing.T
	store   *repository.Store
	door    *scheduler.Door
	service *tasks.Service

	mu       sync.Mutex
	now      time.Time
	notified []string // to the service outside
	asked    int
	answer   func() (domain.TaskReport, error)
	deaf     bool // notifications to it fail
	driven   []string
}

func newWorld(t *testing.T) *world {
	w := openWorld(t, filepath.Join(t.TempDir(), "tasks.db"), noon)
	w.ok(w.store.Migrate(t.Context()))
	w.ok(w.store.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{ID: ws, Name: ws, Settings: domain.DefaultSettings(), CreatedAt: noon}))
	return w
}

// openWorld is a world on a database that may be there already. Without a time its clock is that of
// the bubble which it is in.
func openWorld(t *testing.T, path string, now time.Time) *world {
	w := &world{T: t, now: now}
	store, err := repository.Open(t.Context(), repository.Config{
		Path: path, Node: "n", Incarnation: "i", Clock: w.clock, NewID: ids.New,
		Encode: func(e *domain.LogEvent) ([]byte, error) { return fmt.Appendf(nil, `{"type":%q}`, e.Type), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w.store = store
	w.door = scheduler.NewDoor(scheduler.Config{
		Store: store, Machine: pure{}, Runner: w, Observer: w, Clock: w.clock, NewID: ids.New, Log: zerolog.Nop(),
		Retry: func(domain.NetworkRetry) func(int) time.Duration {
			return func(int) time.Duration { return time.Second }
		},
	})
	w.service = tasks.New(tasks.Config{Door: w.door, Store: taskStore{store.Tasks, store.Records}, Remote: w, Shown: shown, Describe: describe, Clock: w.clock, NewID: ids.New, Log: zerolog.Nop()})
	t.Cleanup(func() { _ = w.service.Stop(context.Background()) })
	return w
}

type pure struct{}

func (pure) Run(s *domain.Session, e domain.Event, p *domain.Policy) (*domain.Step, error) {
	return machine.Run(s, e, p)
}
func (pure) Accepts(s *domain.Session, e domain.Event) error { return machine.Accepts(s, e) }

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now.IsZero() {
		return time.Now()
	}
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("unexpected error: %v", err)
	}
}

// The run loop.
func (w *world) Drive(v *domain.View, e domain.Effect) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.driven = append(w.driven, v.Session.ID+" "+string(e))
}
func (w *world) Cut(string, int64, error)   {}
func (w *world) Yield(string)               {}
func (w *world) Drives(string) bool         { return false }
func (w *world) Asked(slot.Reason, bool)    {}
func (w *world) Waited(time.Duration, bool) {}

// The service outside.
func (w *world) SigningSecrets(context.Context, string, string) ([]string, error) {
	return nil, domain.NotFound("connector")
}

func (w *world) CancelTask(_ context.Context, t *domain.Task, reason string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.notified = append(w.notified, t.ID+" "+reason); w.deaf {
		return errors.New("the service is away")
	}
	return nil
}

func (w *world) PollTask(context.Context, *domain.Task) (domain.TaskReport, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	return w.answer()
}

func (w *world) notifiedSoFar() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.notified, ", ")
}

// session stores a session with tasks that go on for it.
func (w *world) session(kind domain.SessionType, phase domain.Phase, names ...string) *domain.Session {
	s := &domain.Session{
		ID: ids.New(domain.PrefixSession), WorkspaceID: ws, Type: kind, Phase: phase, CreatedAt: noon, UpdatedAt: noon, LastEventTime: noon,
	}
	if phase == domain.WaitingExternalResult {
		s.State.Waiting = &domain.WaitingContext{Kind: domain.WaitExternalResult, Tasks: names, At: noon}
		s.State.RoundID, s.State.RoundRole = "rnd_1", domain.RoleMember
	}
	c := &domain.Change{WorkspaceID: ws, At: noon, Sessions: []domain.SessionWrite{{Session: s, Insert: true}}}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
	for _, name := range names {
		t := &domain.Task{
			ID: name, WorkspaceID: ws, SessionID: s.ID, ExecutionID: "exe_" + name, Command: "RENDER.FILM", Status: domain.TaskRunning,
			Deadline: noon.Add(time.Hour), CreatedAt: noon, UpdatedAt: noon.Add(-time.Minute), Attempts: 1, Seen: []string{"evt_before"},
		}
		t.SetDue(noon)
		c.Tasks = append(c.Tasks, t)
		c.Executions = append(c.Executions, &domain.Execution{
			ID: t.ExecutionID, WorkspaceID: ws, SessionID: s.ID, MessageID: "msg_1", Command: t.Command, Kind: domain.KindAction,
			Effect: domain.EffectNonIdempotent, Status: domain.ExecPending, CreatedAt: noon, StartedAt: &noon,
		})
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogTaskChanged, Task: t})
	}
	w.ok(w.store.Commit(w.Context(), c))
	return s
}

func (w *world) report(id string, status domain.TaskStatus, with ...func(*domain.TaskReport)) (*domain.Task, error) {
	r := domain.TaskReport{ID: ids.New("evt"), Status: status}
	for _, f := range with {
		f(&r)
	}
	return w.service.ReportTask(w.Context(), id, r)
}

func (w *world) task(id string) *domain.Task {
	w.Helper()
	t, err := w.store.Tasks.Task(w.Context(), ws, id)
	w.ok(err)
	return t
}

func (w *world) reread(s *domain.Session) *domain.Session {
	w.Helper()
	got, err := w.store.Sessions.Session(w.Context(), ws, s.ID)
	w.ok(err)
	return got
}

// said returns the types of the system messages of a session, with the statuses they report.
func (w *world) said(s *domain.Session) string {
	w.Helper()
	messages, err := w.store.Sessions.Messages(w.Context(), ws, s.ID, 0, 100)
	w.ok(err)
	var out []string
	for _, m := range messages {
		if m.System == nil {
			continue
		}
		line := string(m.System.Type)
		for _, r := range m.System.CommandResults {
			line += " " + string(r.Status) + " " + r.Text
		}
		out = append(out, strings.TrimSpace(line))
	}
	return strings.Join(out, "; ")
}

// doDue does all that is due now.
func (w *world) doDue() {
	w.Helper()
	work, err := w.store.Slot.DueWork(w.Context(), w.clock(), 1000, false)
	w.ok(err)
	for _, ref := range work.Tasks {
		w.ok(w.service.TaskDue(w.Context(), ref))
	}
}

func (w *world) sound() {
	w.Helper()
	all, err := w.store.Workspaces.Invariants(w.Context(), ws)
	w.ok(err)
	for _, i := range all {
		if i.Count != 0 {
			w.Errorf("invariant %s: %d (%s)", i.Name, i.Count, i.Description)
		}
	}
}

type taskStore struct {
	*outside.TaskStore
	*repository.RecordStore
}

type (
	sessionReads    = *repository.SessionStore
	automationReads = *automations.AutomationStore
)

func describe(command string, _ json.RawMessage) domain.Text { return domain.Same("Run " + command) }
