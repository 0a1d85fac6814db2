package orchestrator

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/prompt"
)

// Causes for cutting a driver's effect. The door that cuts has already stored the next state, so a cut
// driver only discards its work.
var (
	ErrPreempted   = errors.New("the slot was taken by another session")
	ErrInterrupted = errors.New("the person cut the round")
	ErrStopped     = errors.New("the session was stopped")
	ErrFenced      = errors.New("another driver has taken the session over")
	ErrShutdown    = errors.New("the server is shutting down")
)

// Config is what a Loop is made of. Every field is needed but Outside, Observer and Hooks.
type Config struct {
	Store    Store
	Data     DataReader
	Streams  Streams
	Models   Models
	Commands Commands
	Outside  Outside // nil: this server offers nothing from outside
	// Agents are optional: without them there are none.
	Agents   Agents
	Files    Files // needed where messages have files
	Observer Observer
	Clock    clock.Clock
	NewID    domain.IDSource
	Log      zerolog.Logger
	Hooks    Hooks
	// Grace is how long running effects may continue after Stop (20 s).
	Grace time.Duration
	// MarkKey makes the marks of what a workspace wrote in the prompt; empty: one of this
	// process. With the same key they are the same on every node and after a restart, and
	// what a provider keeps of a prompt is found again.
	MarkKey []byte
}

// Hooks are called for events of drivers; each is optional.
type Hooks struct {
	// Rested is called when a driver has reached a rest, a wait or an end.
	Rested func(*domain.Session)
	// CallSent is called when the request of a session's call is on its way to the provider.
	CallSent func(*domain.Session)
	// SafePoint is called by a driver that was requested to yield, between its effects: a waiting session
	// may take the slot there.
	SafePoint func(context.Context, *domain.Session)
}

// Loop holds the drivers of this process.
type Loop struct {
	cfg       Config
	histories *histories
	levels    *levels
	prefixes  prefixes
	offers    offers
	agents    *agents
	formats   prompt.AnswerFormats

	mu      sync.Mutex
	drivers map[string]*driver // by session
	closed  bool
	lapses  atomic.Int64 // how often the lease was over
	leased  atomic.Int64 // until when, in microseconds; 0: no lease was spoken of
	wg      sync.WaitGroup
	base    context.Context
	cancel  context.CancelCauseFunc
}

// maxHistories is how many sessions have their messages kept in memory.
const maxHistories = 256

// New makes a loop.
func New(cfg Config) *Loop {
	if cfg.Hooks.Rested == nil {
		cfg.Hooks.Rested = func(*domain.Session) {}
	}
	if cfg.Hooks.CallSent == nil {
		cfg.Hooks.CallSent = func(*domain.Session) {}
	}
	if cfg.Hooks.SafePoint == nil {
		cfg.Hooks.SafePoint = func(context.Context, *domain.Session) {}
	}
	if cfg.Observer == nil {
		cfg.Observer = noopObserver{}
	}
	if cfg.Grace == 0 {
		cfg.Grace = 20 * time.Second
	}
	if len(cfg.MarkKey) == 0 {
		cfg.MarkKey = []byte(rand.Text()) // marks that hold for as long as this process
	}
	base, cancel := context.WithCancelCause(context.Background())
	return &Loop{
		cfg: cfg, histories: newHistories(maxHistories, cfg.MarkKey), levels: newLevels(cfg.MarkKey), agents: newAgents(cfg.Agents),
		offers:  offers{known: cache.Map[string, offer]{Most: maxCached}},
		drivers: map[string]*driver{}, base: base, cancel: cancel,
	}
}

// Start implements lifecycle.Service: drivers are started one by one, by Drive.
func (l *Loop) Start(context.Context) error { return nil }

// Stop lets running effects end within the grace, then cuts them, and waits for
// every driver. A cut session keeps its phase and is taken up again at the next
// start: nothing is lost.
func (l *Loop) Stop(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	done := make(chan struct{})
	go func() { l.wg.Wait(); close(done) }()
	grace := time.NewTimer(l.cfg.Grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
	case <-ctx.Done():
	}
	l.cancel(ErrShutdown)
	<-done
	return nil
}

// Drive performs the effect of a session that was just committed in its current phase, in a new goroutine.
// An older driver of the same session is cut: the commit has fenced it. Two committers may arrive here in
// reverse order: one with an older claim than the running driver's is late, and does nothing. view is the
// decision's view, with the session as committed.
func (l *Loop) Drive(view *domain.View, effect domain.Effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.drivers[view.Session.ID]; old != nil {
		if old.epoch > view.Session.RunEpoch {
			return
		}
		old.cut(ErrFenced)
	}
	if effect == domain.DoNothing || l.closed { // closed: the phase is stored, the next process takes it up
		return
	}
	ctx, cut := context.WithCancelCause(l.base)
	d := newDriver(l, view, effect, cut)
	l.drivers[view.Session.ID] = d
	l.wg.Go(func() {
		defer cut(nil)
		d.run(ctx)
		l.mu.Lock()
		if l.drivers[d.session.ID] == d {
			delete(l.drivers, d.session.ID)
		}
		l.mu.Unlock()
		l.cfg.Hooks.Rested(d.view.Session)
	})
}

// Cut ends the running effect of a session, if this process drives it under a claim older than epoch: that
// of the commit that ends it.
func (l *Loop) Cut(session string, epoch int64, cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.drivers[session]; d != nil && d.epoch < epoch {
		d.cut(cause)
	}
}

// Yield asks the driver of a session, if this process has it, to call SafePoint at each
// of its safe points from now on.
func (l *Loop) Yield(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.drivers[session]; d != nil {
		d.yields.Store(true)
	}
}

// Active is the number of driven sessions.
func (l *Loop) Active() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.drivers)
}

// ActiveIn counts the sessions of one workspace that are being driven.
func (l *Loop) ActiveIn(workspace string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, d := range l.drivers {
		if d.workspace == workspace {
			n++
		}
	}
	return n
}

// Committed must be called for every change committed in this process, before the caller continues: cached
// histories are extended, and caches of changed user data are dropped.
func (l *Loop) Committed(change *domain.Change) {
	l.histories.note(change)
	for _, e := range change.Events {
		if e.Type == domain.LogDataChanged {
			l.levels.forget(change.WorkspaceID)
			return
		}
	}
}

// Forget is called when another node changed a workspace's user data. Histories detect missed changes
// themselves.
func (l *Loop) Forget(workspace string) { l.levels.forget(workspace) }

type noopObserver struct{}

func (noopObserver) PhaseLeft(domain.Phase, time.Duration) {}
func (noopObserver) RoundEnded(int, time.Duration)         {}
func (noopObserver) AICall(_, _ string, _, _ time.Duration, _ domain.Usage, _ string) {
}
func (noopObserver) PrefixReused(string, float64) {}
func (noopObserver) Executed(*domain.Execution)   {}
func (noopObserver) Fenced()                      {}
