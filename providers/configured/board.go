package configured

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/internal/breaker"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// ModelKey identifies one model of one configured provider.
type ModelKey struct {
	Workspace string
	Provider  string
	Model     string
}

// Status is the known status of one model.
type Status struct {
	ModelKey
	State    breaker.State
	Failures int // in a row
	// Until is the time of the next allowed call; zero: now.
	Until     time.Time
	LastError string
}

// BoardConfig configures a Board. Zero values have the defaults in parentheses.
type BoardConfig struct {
	Clock clock.Clock
	// Policy is that of the breakers (5 failures, 5 s, at most 2 min).
	Policy breaker.Policy
	// Max bounds the tracked models (4096).
	Max int
	// Back is called when a provider has recovered after failures or a requested pause. It is
	// called without a lock, and must return quickly.
	Back func(workspace, provider string)
}

// Board tracks the availability of models with circuit breakers.
type Board struct {
	config BoardConfig

	mu      sync.Mutex
	entries *cache.LRU[ModelKey, *entry]
}

// entry is the state of one model. With Model "" it is the provider as a whole, which may have
// requested a pause.
type entry struct {
	breaker breaker.Breaker
	class   providers.Class
	message string
}

// NewBoard returns an empty Board.
func NewBoard(c BoardConfig) *Board {
	if c.Clock == nil {
		c.Clock = clock.System
	}
	if c.Policy == (breaker.Policy{}) {
		c.Policy = breaker.Policy{Failures: 5, OpenFor: 5 * time.Second, MaxOpen: 2 * time.Minute}
	}
	if c.Max == 0 {
		c.Max = 4096
	}
	if c.Back == nil {
		c.Back = func(string, string) {}
	}
	return &Board{config: c, entries: cache.NewLRU[ModelKey, *entry](c.Max)}
}

// whole returns the key of the provider as a whole.
func (k ModelKey) whole() ModelKey { return ModelKey{Workspace: k.Workspace, Provider: k.Provider} }

// Enter reports whether a call may be made. An error says why not, and when the next one may be
// made; otherwise leave must be called with the result.
func (b *Board) Enter(key ModelKey) (leave func(error), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.config.Clock()
	if held := b.find(key.whole()); held.breaker.State(b.config.Policy, now) == breaker.Open {
		return nil, held.refuse(held.class, now, "it requested a pause: "+held.message)
	}
	e := b.find(key)
	as := e.breaker.Enter(b.config.Policy, now)
	switch as {
	case breaker.Refused:
		return nil, e.refuse(providers.ClassNetwork, now, fmt.Sprintf("the last %d calls failed: %s", e.breaker.Failures(), e.message))
	case breaker.Busy:
		return nil, e.refuse(providers.ClassNetwork, now, "another session is trying it right now")
	case breaker.Allowed, breaker.Probe:
	}
	return func(err error) { b.leave(key, as, err) }, nil
}

// whileTrying is the retry delay for other sessions during a probe.
const whileTrying = 2 * time.Second

// refuse returns the error of a call that is not made. Its message is part of a sentence.
func (e *entry) refuse(class providers.Class, now time.Time, why string) error {
	wait := e.breaker.Until().Sub(now)
	if wait <= 0 {
		wait = whileTrying
	}
	return &providers.Error{
		Class: class, NotCalled: true, RetryAfter: wait,
		Message: "it was not called, because " + strings.TrimRight(why, ". "),
	}
}

// leave records how a call ended.
func (b *Board) leave(key ModelKey, as breaker.Permission, err error) {
	b.mu.Lock()
	now := b.config.Clock()
	back := false
	failed, known := verdict(err)
	switch {
	case !known: // cancelled: no information
		b.find(key).breaker.Skip(as)
	case failed == nil:
		back = b.entries.Delete(key)
		if b.find(key.whole()).breaker.State(b.config.Policy, now) != breaker.Open {
			back = b.entries.Delete(key.whole()) || back
		}
	default:
		b.failed(key, as, failed, now)
	}
	b.mu.Unlock()
	if back {
		b.config.Back(key.Workspace, key.Provider)
	}
}

// failed counts a failure, or records a requested pause.
func (b *Board) failed(key ModelKey, as breaker.Permission, err *providers.Error, now time.Time) {
	if err.RetryAfter > 0 {
		held := b.make(key.whole())
		if until := now.Add(err.RetryAfter); until.After(held.breaker.Until()) {
			held.breaker.Pause(until)
			held.class, held.message = err.Class, err.Message
		}
	}
	if err.Class == providers.ClassRateLimited {
		b.find(key).breaker.Skip(as)
		return // the provider is up
	}
	e := b.make(key)
	e.class, e.message = err.Class, err.Message
	e.breaker.Fail(b.config.Policy, as, now)
}

// verdict derives the provider's state from the result of a call: a failure, nil if it is up (a
// rejection is a response too), or known=false.
func verdict(err error) (failed *providers.Error, known bool) {
	if err == nil {
		return nil, true
	}
	e, ok := asError(err)
	switch {
	case !ok || e.Class == providers.ClassCancelled || e.NotCalled:
		return nil, false
	case e.Class.Retryable():
		return e, true
	}
	return nil, e.Said
}

// Forget drops the state of a provider after a change of its config.
func (b *Board) Forget(workspace, provider string) {
	b.mu.Lock()
	back := false
	for key := range b.entries.All() {
		if key.Workspace == workspace && key.Provider == provider {
			back = b.entries.Delete(key) || back
		}
	}
	b.mu.Unlock()
	if back {
		b.config.Back(workspace, provider)
	}
}

// Statuses returns the recently failed models of a workspace, or of all workspaces for "".
func (b *Board) Statuses(workspace string) []Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.config.Clock()
	var all []Status
	for key, e := range b.entries.All() {
		state := e.breaker.State(b.config.Policy, now)
		if workspace != "" && key.Workspace != workspace || state == breaker.Closed && e.breaker.Failures() == 0 {
			continue // another workspace's, or a pause that is over
		}
		s := Status{ModelKey: key, State: state, Failures: e.breaker.Failures(), LastError: e.message}
		if state == breaker.Open {
			s.Until = e.breaker.Until()
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(x, y Status) int {
		return strings.Compare(x.Workspace+"\x00"+x.Provider+"\x00"+x.Model, y.Workspace+"\x00"+y.Provider+"\x00"+y.Model)
	})
	return all
}

// Resting counts the models that are currently not called.
func (b *Board) Resting() float64 {
	n := 0.0
	for _, s := range b.Statuses("") {
		if s.State == breaker.Open {
			n++
		}
	}
	return n
}

// find returns the entry of a key; a new one, which is not stored, if there is none.
func (b *Board) find(key ModelKey) *entry {
	if e, ok := b.entries.Peek(key); ok {
		return e
	}
	return &entry{}
}

// make returns the entry of a key, as the most recently used one.
func (b *Board) make(key ModelKey) *entry {
	e, ok := b.entries.Peek(key)
	if ok {
		b.entries.Use(key)
		return e
	}
	e = &entry{}
	b.entries.Set(key, e)
	return e
}
