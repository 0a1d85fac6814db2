package configured

import (
	"container/list"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// ModelKey identifies one model of one configured provider.
type ModelKey struct {
	Workspace string
	Provider  string
	Model     string
}

// State is the state of a circuit breaker.
type State string

const (
	Closed   State = "closed"    // calls are made
	Open     State = "open"      // no calls are made
	HalfOpen State = "half_open" // the next call is a probe
)

// Status is the known status of one model.
type Status struct {
	ModelKey
	State    State
	Failures int // in a row
	// Until is the time of the next allowed call; zero: now.
	Until     time.Time
	LastError string
}

// BoardConfig configures a Board. Zero values have the defaults in parentheses.
type BoardConfig struct {
	Clock clock.Clock
	// Failures is the number of consecutive failures that open a breaker (5).
	Failures int
	// OpenFor is the first open period (5 s). Each failed probe doubles it, up to MaxOpen (2 min).
	OpenFor time.Duration
	MaxOpen time.Duration
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
	entries map[ModelKey]*list.Element
	order   *list.List // least recently used first
}

// entry is the state of one model. With Model "" it is the provider as a whole, which may have
// requested a pause.
type entry struct {
	key      ModelKey
	failures int
	opened   int // times in a row
	until    time.Time
	trying   bool // a probing call is in progress
	class    providers.Class
	message  string
}

// NewBoard returns an empty Board.
func NewBoard(c BoardConfig) *Board {
	if c.Clock == nil {
		c.Clock = clock.System
	}
	if c.Failures == 0 {
		c.Failures = 5
	}
	if c.OpenFor == 0 {
		c.OpenFor = 5 * time.Second
	}
	if c.MaxOpen == 0 {
		c.MaxOpen = 2 * time.Minute
	}
	if c.Max == 0 {
		c.Max = 4096
	}
	if c.Back == nil {
		c.Back = func(string, string) {}
	}
	return &Board{config: c, entries: map[ModelKey]*list.Element{}, order: list.New()}
}

// whole returns the key of the provider as a whole.
func (k ModelKey) whole() ModelKey { return ModelKey{Workspace: k.Workspace, Provider: k.Provider} }

// Enter reports whether a call may be made. An error says why not, and when the next one may be
// made; otherwise leave must be called with the result.
func (b *Board) Enter(key ModelKey) (leave func(error), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.config.Clock()
	if held := b.find(key.whole()); held != nil && now.Before(held.until) {
		return nil, held.refuse(held.class, now, "it requested a pause: "+held.message)
	}
	e := b.find(key)
	if e == nil || e.failures < b.config.Failures {
		return func(err error) { b.leave(key, false, err) }, nil
	}
	switch {
	case now.Before(e.until):
		return nil, e.refuse(providers.ClassNetwork, now, fmt.Sprintf("the last %d calls failed: %s", e.failures, e.message))
	case e.trying:
		return nil, e.refuse(providers.ClassNetwork, now, "another session is trying it right now")
	}
	e.trying = true
	return func(err error) { b.leave(key, true, err) }, nil
}

// whileTrying is the retry delay for other sessions during a probe.
const whileTrying = 2 * time.Second

// refuse returns the error of a call that is not made. Its message is part of a sentence.
func (e *entry) refuse(class providers.Class, now time.Time, why string) error {
	wait := e.until.Sub(now)
	if wait <= 0 {
		wait = whileTrying
	}
	return &providers.Error{
		Class: class, NotCalled: true, RetryAfter: wait,
		Message: "it was not called, because " + strings.TrimRight(why, ". "),
	}
}

// leave records how a call ended.
func (b *Board) leave(key ModelKey, tried bool, err error) {
	b.mu.Lock()
	now := b.config.Clock()
	back := false
	failed, known := verdict(err)
	switch {
	case !known: // cancelled: no information
		if e := b.find(key); tried && e != nil {
			e.trying = false
		}
	case failed == nil:
		back = b.forget(key)
		if held := b.find(key.whole()); held != nil && !now.Before(held.until) {
			back = b.forget(key.whole()) || back
		}
	default:
		b.failed(key, failed, now)
	}
	b.mu.Unlock()
	if back {
		b.config.Back(key.Workspace, key.Provider)
	}
}

// failed counts a failure, or records a requested pause.
func (b *Board) failed(key ModelKey, err *providers.Error, now time.Time) {
	if err.RetryAfter > 0 {
		held := b.make(key.whole())
		if until := now.Add(err.RetryAfter); until.After(held.until) {
			held.until, held.class, held.message = until, err.Class, err.Message
		}
	}
	if err.Class == providers.ClassRateLimited {
		if e := b.find(key); e != nil {
			e.trying = false
		}
		return // the provider is up
	}
	e := b.make(key)
	e.failures++
	e.trying, e.class, e.message = false, err.Class, err.Message
	if e.failures >= b.config.Failures {
		e.until = now.Add(min(b.config.OpenFor<<min(e.opened, 10), b.config.MaxOpen))
		e.opened++
	}
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
	for key := range b.entries {
		if key.Workspace == workspace && key.Provider == provider {
			back = b.forget(key) || back
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
	for element := b.order.Front(); element != nil; element = element.Next() {
		e := element.Value.(*entry)
		if workspace != "" && e.key.Workspace != workspace {
			continue
		}
		s := Status{ModelKey: e.key, State: Closed, Failures: e.failures, LastError: e.message}
		switch {
		case now.Before(e.until):
			s.State, s.Until = Open, e.until
		case e.failures >= b.config.Failures:
			s.State = HalfOpen
		case e.failures == 0:
			continue // the requested pause is over
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
		if s.State == Open {
			n++
		}
	}
	return n
}

func (b *Board) find(key ModelKey) *entry {
	element := b.entries[key]
	if element == nil {
		return nil
	}
	return element.Value.(*entry)
}

// make returns an entry, creating it if necessary. The least recently used one is evicted.
func (b *Board) make(key ModelKey) *entry {
	if element := b.entries[key]; element != nil {
		b.order.MoveToBack(element)
		return element.Value.(*entry)
	}
	for b.order.Len() >= b.config.Max {
		oldest := b.order.Front()
		delete(b.entries, oldest.Value.(*entry).key)
		b.order.Remove(oldest)
	}
	e := &entry{key: key}
	b.entries[key] = b.order.PushBack(e)
	return e
}

// forget removes an entry and reports whether it existed.
func (b *Board) forget(key ModelKey) bool {
	element := b.entries[key]
	if element == nil {
		return false
	}
	delete(b.entries, key)
	b.order.Remove(element)
	return true
}
