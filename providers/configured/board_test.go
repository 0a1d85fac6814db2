package configured

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/internal/breaker"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

var model = ModelKey{Workspace: "w", Provider: "prv_1", Model: "m"}

// recovered records the recovered providers.
type recovered struct{ names []string }

func (n *recovered) back(workspace, provider string) {
	n.names = append(n.names, workspace+"/"+provider)
}

func newBoard() (*Board, *recovered) {
	n := &recovered{}
	return NewBoard(BoardConfig{Back: n.back}), n
}

func fails(t *testing.T, b *Board, key ModelKey, err error) {
	t.Helper()
	leave, refused := b.Enter(key)
	if refused != nil {
		t.Fatalf("no call is made: %v", refused)
	}
	leave(err)
}

// refusal is the error without a call, and for how long it holds.
func refusal(t *testing.T, b *Board, key ModelKey) *providers.Error {
	t.Helper()
	leave, err := b.Enter(key)
	if err == nil {
		leave(nil)
		t.Fatal("the call is made")
	}
	e, ok := asError(err)
	if !ok || !e.NotCalled || e.RetryAfter <= 0 || !e.Class.Retryable() {
		t.Fatalf("the refusal is %#v", err)
	}
	return e
}

func down() error { return providers.Errorf(providers.ClassNetwork, "could not be reached") }

// After five failures in a row no call is made for a while; then one call tries; who
// comes meanwhile waits for its outcome. Each try that fails doubles the while.
func TestABreakerOpensTriesAndCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, news := newBoard()
		for range 5 {
			fails(t, b, model, down())
		}
		if e := refusal(t, b, model); e.RetryAfter != 5*time.Second || e.Class != providers.ClassNetwork {
			t.Errorf("open: %v for %s", e, e.RetryAfter)
		}
		if all := b.Statuses("w"); len(all) != 1 || all[0].State != breaker.Open || all[0].Failures != 5 || !all[0].Until.Equal(clock.System().Add(5*time.Second)) {
			t.Errorf("the status is %+v", all)
		}
		time.Sleep(5 * time.Second)
		if all := b.Statuses(""); all[0].State != breaker.HalfOpen {
			t.Errorf("the status is %+v", all)
		}
		leave, err := b.Enter(model)
		if err != nil {
			t.Fatal(err)
		}
		if e := refusal(t, b, model); e.RetryAfter != whileTrying {
			t.Errorf("while it is tried: %s", e.RetryAfter)
		}
		leave(down())
		if e := refusal(t, b, model); e.RetryAfter != 10*time.Second {
			t.Errorf("after a try that failed: %s", e.RetryAfter)
		}
		for range 10 {
			time.Sleep(2 * time.Minute)
			fails(t, b, model, down())
		}
		if e := refusal(t, b, model); e.RetryAfter != 2*time.Minute {
			t.Errorf("at most: %s", e.RetryAfter)
		}
		time.Sleep(2 * time.Minute)
		if len(news.names) != 0 {
			t.Errorf("reported too early: %v", news.names)
		}
		fails(t, b, model, nil)
		if !slices.Equal(news.names, []string{"w/prv_1"}) || len(b.Statuses("w")) != 0 {
			t.Errorf("back: %v, %v", news.names, b.Statuses("w"))
		}
	})
}

// What is the caller's fault says that the provider is up; a cut call says nothing.
func TestWhatDoesNotTripIt(t *testing.T) {
	b, _ := newBoard()
	refused := &providers.Error{Class: providers.ClassAuthentication, Said: true}
	for range 20 {
		fails(t, b, model, refused)
		fails(t, b, model, providers.Errorf(providers.ClassCancelled, "cut"))
		fails(t, b, model, context.Canceled)
		fails(t, b, model, providers.Errorf(providers.ClassInvalidRequest, "not allowed"))
	}
	for range 4 {
		fails(t, b, model, down())
	}
	fails(t, b, model, refused) // it answers
	for range 4 {
		fails(t, b, model, down())
	}
	fails(t, b, model, nil)
	if all := b.Statuses("w"); len(all) != 0 {
		t.Errorf("the status is %+v", all)
	}
}

// A try that is cut is no try: the next call tries.
func TestATryThatIsCutLeavesItToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := newBoard()
		for range 5 {
			fails(t, b, model, down())
		}
		time.Sleep(5 * time.Second)
		fails(t, b, model, context.Canceled)
		fails(t, b, model, nil)
	})
}

// A provider that asked for time is left alone by everybody in its workspace, whatever
// the model; and no other.
func TestRetryAfterHoldsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, news := newBoard()
		fails(t, b, model, &providers.Error{Class: providers.ClassRateLimited, Message: "slow down", RetryAfter: 30 * time.Second})
		other := ModelKey{Workspace: "w", Provider: "prv_1", Model: "small"}
		for _, key := range []ModelKey{model, other} {
			if e := refusal(t, b, key); e.RetryAfter != 30*time.Second || e.Class != providers.ClassRateLimited {
				t.Errorf("%v: %v for %s", key, e, e.RetryAfter)
			}
		}
		for _, key := range []ModelKey{{Workspace: "w", Provider: "prv_2", Model: "m"}, {Workspace: "x", Provider: "prv_1", Model: "m"}} {
			fails(t, b, key, nil)
		}
		fails(t, b, ModelKey{Workspace: "x", Provider: "prv_1", Model: "m"}, nil)
		time.Sleep(30*time.Second - 1)
		refusal(t, b, other)
		time.Sleep(time.Microsecond)
		fails(t, b, other, nil)
		if !slices.Equal(news.names, []string{"w/prv_1"}) {
			t.Errorf("recovered: %v", news.names)
		}
	})
}

// A provider that has no room, and does not say until when, is up: other calls are not blocked.
func TestNoRoomIsNoFailure(t *testing.T) {
	b, _ := newBoard()
	full := &providers.Error{Class: providers.ClassRateLimited, Message: "slow down"}
	for range 20 {
		fails(t, b, model, full)
	}
	for range 4 {
		fails(t, b, model, down())
	}
	fails(t, b, model, full) // and it does not affect earlier failures
	fails(t, b, model, down())
	if e := refusal(t, b, model); e.Class != providers.ClassNetwork {
		t.Errorf("after five failures it is %v", e)
	}
}

// A changed config is another provider.
func TestForget(t *testing.T) {
	b, news := newBoard()
	for range 5 {
		fails(t, b, model, down())
	}
	b.Forget("w", "prv_2")
	refusal(t, b, model)
	b.Forget("w", "prv_1")
	fails(t, b, model, nil)
	if !slices.Equal(news.names, []string{"w/prv_1"}) {
		t.Errorf("recovered: %v", news.names)
	}
}

// What is remembered is bounded: the least recently used entry is dropped.
func TestTheBoardIsBounded(t *testing.T) {
	b := NewBoard(BoardConfig{Max: 10})
	for i := range 100 {
		fails(t, b, ModelKey{Workspace: "w", Provider: fmt.Sprint(i)}, down())
	}
	if all := b.Statuses(""); len(all) != 10 {
		t.Errorf("%d are remembered", len(all))
	}
}

// scripted is a provider that fails or answers on request.
type scripted struct {
	providers.Provider
	calls  int
	pieces int
	err    error
}

func (s *scripted) Abilities() providers.Abilities { return providers.Abilities{SmallModel: "small"} }

func (s *scripted) Query(_ context.Context, r *providers.Request) (*providers.Answer, error) {
	s.calls++
	for range s.pieces {
		r.OnDelta(providers.Delta{Kind: providers.DeltaText, Text: "x"})
	}
	if s.err != nil {
		return nil, s.err
	}
	return &providers.Answer{}, nil
}

func TestAGuardedProviderIsNotCalledWhileItIsDown(t *testing.T) {
	b, _ := newBoard()
	s := &scripted{err: down()}
	p := b.Guard(model, s)
	for range 8 {
		if _, err := p.Query(t.Context(), &providers.Request{}); err == nil {
			t.Fatal("no error")
		}
	}
	if s.calls != 5 {
		t.Errorf("%d calls were made", s.calls)
	}
	s.err = nil
	if _, err := p.Query(t.Context(), &providers.Request{Small: true}); err != nil {
		t.Errorf("another model of the same provider: %v", err)
	}
	if _, err := p.Try(t.Context(), &providers.Request{}); err != nil {
		t.Errorf("a try: %v", err)
	}
	if _, err := p.Query(t.Context(), &providers.Request{}); err != nil {
		t.Errorf("after a try that went well: %v", err)
	}
}

// An answer that had begun is marked: it may be billed.
func TestAPartialAnswerIsMarked(t *testing.T) {
	for pieces, want := range map[int]bool{0: false, 3: true} {
		b, _ := newBoard()
		p := b.Guard(model, &scripted{err: down(), pieces: pieces})
		_, err := p.Query(t.Context(), &providers.Request{OnDelta: func(providers.Delta) {}})
		var e *providers.Error
		if !errors.As(err, &e) || e.Partial != want {
			t.Errorf("%d pieces: %#v", pieces, err)
		}
	}
}
