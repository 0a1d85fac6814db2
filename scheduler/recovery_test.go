package scheduler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// registry is a database of leases and of sessions without a driver.
type registry struct {
	*world
	mu        sync.Mutex
	renewed   []time.Time
	looked    int
	released  int
	claimable [][]domain.SessionRef // one batch for each look
	suspects  []domain.SessionRef
	err       error
}

func (r *registry) Renew(context.Context, time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renewed = append(r.renewed, time.Now())
	return r.err
}

func (r *registry) Release(context.Context) error {
	r.released++
	return nil
}

func (r *registry) Claimable(context.Context, int) ([]domain.SessionRef, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.looked++
	if len(r.claimable) == 0 {
		return nil, r.err
	}
	batch := r.claimable[0]
	r.claimable = r.claimable[1:]
	return batch, r.err
}

func (r *registry) Owned(context.Context) ([]domain.SessionRef, error)    { return nil, r.err }
func (r *registry) Suspects(context.Context) ([]domain.SessionRef, error) { return r.suspects, r.err }
func (r *registry) Leased(time.Time)                                      {}
func (r *registry) LetGo()                                                {}

// looks is how often it was looked for sessions without a driver.
func (r *registry) looks() int {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.looked
}

func newLeaseManager(t *testing.T, v *domain.View) (*registry, *LeaseManager, *int) {
	r := &registry{world: newWorld(t, v, func(c *Config) { c.Clock = clock.System })}
	recovered := new(int)
	return r, &LeaseManager{
		Leases: r, Door: r.door, Drivers: r, TTL: 15 * time.Second, Clock: clock.System, Log: zerolog.Nop(), Recovered: func() { *recovered++ },
	}, recovered
}

func refs(n int) []domain.SessionRef {
	all := make([]domain.SessionRef, n)
	for i := range all {
		all[i] = domain.SessionRef{WorkspaceID: "ws", SessionID: fmt.Sprint("me", i), RunEpoch: 4}
	}
	return all
}

// working is a session at work whose driver may be gone.
func working() *domain.View {
	me := chat("me", domain.CallingAI, func(s *domain.Session) { s.RunEpoch, s.OwnerIncarnation = 4, "dead" })
	return view(me, me)
}

// A node renews its lease three times as often as it must, and each time looks for
// sessions whose driver is gone; when a node is gone it looks at once.
func TestTheLeaseManagerRenewsAndLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, k, _ := newLeaseManager(t, working())
		if err := k.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if looks := r.looks(); looks != 1 {
			t.Errorf("at the start it looked %d times", looks)
		}
		time.Sleep(10*time.Second + time.Millisecond)
		if looks := r.looks(); looks != 3 {
			t.Errorf("after ten seconds it has looked %d times", looks)
		}
		k.Look()
		if looks := r.looks(); looks != 4 {
			t.Errorf("a node is gone, and it has looked %d times", looks)
		}
		r.mu.Lock()
		if n := len(r.renewed); n != 3 {
			t.Errorf("it has renewed %d times", n)
		}
		r.mu.Unlock()
		if err := k.Stop(t.Context()); err != nil || r.released != 1 {
			t.Errorf("%v, released %d times", err, r.released)
		}
	})
}

// Without a lease the process does not begin.
func TestTheLeaseManagerNeedsALease(t *testing.T) {
	r, k, _ := newLeaseManager(t, working())
	r.err = errors.New("the database is away")
	if err := k.Start(t.Context()); !errors.Is(err, r.err) {
		t.Errorf("it starts: %v", err)
	}
	if err := k.Stop(t.Context()); err != nil || r.released != 0 {
		t.Errorf("what never began is stopped: %v, released %d times", err, r.released)
	}
}

// Batches are taken up until none is full any more, or nothing of one could be.
func TestTheLeaseManagerTakesUpInBatches(t *testing.T) {
	for name, c := range map[string]struct {
		view      *domain.View
		batches   []int
		looks     int
		recovered int
	}{
		"none":                       {working(), nil, 1, 0},
		"a few":                      {working(), []int{3, 5}, 1, 3},
		"a full batch, and then few": {working(), []int{claimBatch, 5, 5}, 2, claimBatch + 5},
		"of a full one none": {func() *domain.View {
			v := working()
			v.Session.RunEpoch = 5 // another claim was faster
			return v
		}(), []int{claimBatch, 5}, 1, 0},
	} {
		r, k, recovered := newLeaseManager(t, c.view)
		for _, n := range c.batches {
			r.claimable = append(r.claimable, refs(n))
		}
		k.recoverOnce(t.Context())
		if r.looked != c.looks || *recovered != c.recovered {
			t.Errorf("%s: looked %d times, recovered %d", name, r.looked, *recovered)
		}
	}
}

// A process that is about to stop takes nothing up any more.
func TestADrainingNodeTakesNothingUp(t *testing.T) {
	r, k, recovered := newLeaseManager(t, working())
	r.claimable = [][]domain.SessionRef{refs(1)}
	if err := k.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.recoverOnce(t.Context())
	if r.looked != 0 || *recovered != 0 {
		t.Errorf("looked %d times, recovered %d", r.looked, *recovered)
	}
}

// Who takes the suspects over sees that this was no death.
func TestTheLeaseManagerAbsolvesItsSuspects(t *testing.T) {
	me := chat("me", domain.CallingAI, aside(noon.Add(time.Minute)))
	r, k, _ := newLeaseManager(t, view(me, nil, queued(me)))
	r.suspects = refs(2)
	k.absolve(t.Context())
	if len(r.changes) != 2 || r.changes[0].Session("me").State.Suspicion != (domain.Suspicion{}) {
		t.Errorf("%d changes", len(r.changes))
	}
	r, k, _ = newLeaseManager(t, view(chat("me", domain.CallingAI), nil))
	r.suspects = refs(2)
	if k.absolve(t.Context()); len(r.changes) != 0 {
		t.Errorf("nothing is held against them: %d changes", len(r.changes))
	}
}

// TestADeathIsRecorded verifies that a session whose process died during a step gets the event for it, and one that
// was released in good order does not.
func TestADeathIsRecorded(t *testing.T) {
	for name, c := range map[string]struct {
		owner  string
		gone   bool
		drives bool
		died   bool
	}{
		"its process is gone":          {"dead", true, false, true},
		"it was let go":                {"", true, false, false},
		"this process has let it go":   {"self", false, false, false},
		"this process performs it yet": {"self", true, true, false},
	} {
		v := working()
		v.Session.OwnerIncarnation = c.owner
		w := newWorld(t, v)
		w.drives = c.drives
		var died []bool
		w.door.cfg.Machine = listening{pure{}, func(e domain.Event) {
			if e, ok := e.(domain.SessionActivationRequested); ok {
				died = append(died, e.Died)
			}
		}}
		if err := w.door.takeUp(t.Context(), domain.SessionRef{WorkspaceID: "ws", SessionID: "me", RunEpoch: 4}, c.gone); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(died, []bool{c.died}) {
			t.Errorf("%s: %v", name, died)
		}
	}
}

// listening calls a function for each event that the machine receives.
type listening struct {
	Machine
	onEvent func(domain.Event)
}

func (l listening) Run(s *domain.Session, e domain.Event, p *domain.Policy) (*domain.Step, error) {
	l.onEvent(e)
	return l.Machine.Run(s, e, p)
}
