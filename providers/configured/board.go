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

// ModelKey names what can be down: one model of one configured provider.
type ModelKey struct {
	Workspace string
	Provider  string
	Model     string
}

// State is that of a circuit breaker.
type State string

const (
	Closed   State = "closed"    // calls are made
	Open     State = "open"      // none is made
	HalfOpen State = "half_open" // the next call tries whether it is back
)

// Status is what is known of one model.
type Status struct {
	ModelKey
	State    State
	Failures int // in a row
	// Until: no call is made before; zero: calls are made.
	Until     time.Time
	LastError string
}

// BoardConfig of a Board; what is zero has the value in brackets.
type BoardConfig struct {
	Clock clock.Clock
	// Failures in a row that open a breaker (5).
	Failures int
	// OpenFor is how long it stays open at first (5 s). Each try that fails doubles it, up
	// to MaxOpen (2 min).
	OpenFor time.Duration
	MaxOpen time.Duration
	// Max is how many models are remembered (4096).
	Max int
	// Back is told of a provider that answers again after it failed or asked for time. It
	// is called without a lock, and must be quick.
	Back func(workspace, provider string)
}

// Board remembers how the models answered last.
type Board struct {
	config BoardConfig

	mu      sync.Mutex
	entries map[ModelKey]*list.Element
	order   *list.List // least recently used first
}

// entry is one model; that with Model "" is the provider as a whole, which may have
// asked to be left alone.
type entry struct {
	key      ModelKey
	failures int
	opened   int // times in a row
	until    time.Time
	trying   bool // the call that finds out whether it is back is under way
	class    providers.Class
	message  string
}

// NewBoard makes a Board that knows nothing yet.
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

// whole is the provider's own key.
func (k ModelKey) whole() ModelKey { return ModelKey{Workspace: k.Workspace, Provider: k.Provider} }

// Enter asks whether a call may be made. An error says that it is not, and from when on
// it may be; else leave must be told how the call ended.
func (b *Board) Enter(key ModelKey) (leave func(error), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.config.Clock()
	if held := b.find(key.whole()); held != nil && now.Before(held.until) {
		return nil, held.refuse(held.class, now, "it asked to be left alone: "+held.message)
	}
	e := b.find(key)
	if e == nil || e.failures < b.config.Failures {
		return func(err error) { b.leave(key, false, err) }, nil
	}
	switch {
	case now.Before(e.until):
		return nil, e.refuse(providers.ClassNetwork, now, fmt.Sprintf("the last %d calls failed: %s", e.failures, e.message))
	case e.trying:
		return nil, e.refuse(providers.ClassNetwork, now, "another session is trying it just now")
	}
	e.trying = true
	return func(err error) { b.leave(key, true, err) }, nil
}

// whileTrying is how long others wait for the outcome of the call that tries.
const whileTrying = 2 * time.Second

// refuse is a failure without a call. Its words are part of a sentence.
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

// leave takes in how a call ended.
func (b *Board) leave(key ModelKey, tried bool, err error) {
	b.mu.Lock()
	now := b.config.Clock()
	back := false
	failed, known := verdict(err)
	switch {
	case !known: // it was cut: nothing was learnt
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

// failed counts a failure, or keeps the time that the provider asked for.
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
		return // it is up
	}
	e := b.make(key)
	e.failures++
	e.trying, e.class, e.message = false, err.Class, err.Message
	if e.failures >= b.config.Failures {
		e.until = now.Add(min(b.config.OpenFor<<min(e.opened, 10), b.config.MaxOpen))
		e.opened++
	}
}

// verdict says what a call's end tells about the provider: a failure of it, nil if it is
// up (an answer that refuses is an answer), or nothing at all.
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

// Forget drops what is known of a provider, whose config has changed: it may be another
// one now.
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

// Statuses are those of a workspace's models that failed lately, or of all workspaces
// for "".
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
			continue // it asked for time, which is over
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(x, y Status) int {
		return strings.Compare(x.Workspace+"\x00"+x.Provider+"\x00"+x.Model, y.Workspace+"\x00"+y.Provider+"\x00"+y.Model)
	})
	return all
}

// Resting counts those that are not called at present.
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

// make finds an entry or begins it; the one that was used least recently makes room.
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

// forget says whether there was something to forget.
func (b *Board) forget(key ModelKey) bool {
	element := b.entries[key]
	if element == nil {
		return false
	}
	delete(b.entries, key)
	b.order.Remove(element)
	return true
}
