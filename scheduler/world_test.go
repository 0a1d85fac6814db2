package scheduler

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// world is a database that holds one view, and a run loop that only records its calls.
type world struct {
	t          *testing.T
	door       *Door
	view       *domain.View
	automation *automation.View

	mu      sync.Mutex
	changes []*domain.Change
	notes   []string
	drives  bool // the session is performed by this process
	models  map[string]bool
	failing error
}

func newWorld(t *testing.T, v *domain.View, change ...func(*Config)) *world {
	w := &world{t: t, view: v}
	cfg := Config{
		Store: w, Machine: pure{}, Runner: w, Streams: w, Observer: w, Retry: noonRules().retry,
		Clock: func() time.Time { return noon }, NewID: repeatable.IDs(), Log: zerolog.Nop(),
	}
	for _, c := range change {
		c(&cfg)
	}
	w.door = NewDoor(cfg)
	return w
}

func (w *world) Decide(ctx context.Context, _, _ string, _ *domain.Session, decide func(context.Context, *domain.View) (*domain.Change, error)) (
	*domain.Change, error,
) {
	if w.failing != nil {
		return nil, w.failing
	}
	change, err := decide(ctx, w.view)
	return w.stored(change), err
}

func (w *world) DecideAutomation(
	ctx context.Context, _, _ string, decide func(context.Context, *automation.View) (*domain.Change, error),
) (*domain.Change, error) {
	change, err := decide(ctx, w.automation)
	return w.stored(change), err
}

func (w *world) stored(change *domain.Change) *domain.Change {
	if change != nil {
		w.changes = append(w.changes, change)
		for i, e := range change.Events {
			e.Seq = int64(100 + i)
		}
	}
	return change
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

func (w *world) Drive(v *domain.View, e domain.Effect)    { w.note("drive %s %s", v.Session.ID, e) }
func (w *world) Cut(session string, _ int64, cause error) { w.note("cut %s: %v", session, cause) }
func (w *world) Yield(session string)                     { w.note("yield %s", session) }
func (w *world) Drives(string) bool                       { return w.drives }
func (w *world) Asked(reason slot.Reason, granted bool)   { w.note("asked %s %v", reason, granted) }
func (w *world) Waited(d time.Duration, preempted bool)   { w.note("waited %s %v", d, preempted) }

func (w *world) Estimate(v *domain.View) (domain.CallEstimate, bool) {
	return domain.CallEstimate{}, w.models[v.Session.ProviderID]
}

func (w *world) Learn(_ context.Context, _, provider string) {
	w.note("learn %q", provider)
	w.models[provider] = true
}

func (w *world) Partial(string) (message, text string) { return "msg_partial", "So far" }

func (w *world) Session(context.Context, string, string) (*domain.Session, error) {
	return w.view.Session, nil
}

// looks are the workspaces that are looked at now.
func (w *world) looks() int { return len(w.door.wakeups.dueLooks(noon)) }
