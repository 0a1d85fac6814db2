package connectors

import (
	"context"
	"errors"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// TestALeaseIsReleased verifies that a request, however it ends, returns its place, its connection and the breaker's
// permission; and that only a connection that may be broken is not used again.
func TestALeaseIsReleased(t *testing.T) {
	down := &outside.Error{Fault: outside.FaultUnknown}
	for name, c := range map[string]struct {
		request func(w *world) error
		answer  error
		again   bool // the next call uses the same connection
	}{
		"a call":         {func(w *world) error { return w.call(t.Context(), "S.A") }, nil, true},
		"a refusal":      {func(w *world) error { return w.call(t.Context(), "S.A") }, &outside.Error{Fault: outside.FaultRefused}, true},
		"a broken call":  {func(w *world) error { return w.call(t.Context(), "S.A") }, down, false},
		"a panic":        {func(w *world) error { return w.call(t.Context(), "S.A") }, errUnfinished, false},
		"no probe":       {probed, outside.ErrNoProbe, true},
		"a cancellation": {func(w *world) error { return w.Manager.CancelTask(t.Context(), ordered(), "") }, nil, true},
		"a poll":         {func(w *world) error { _, err := w.Manager.PollTask(t.Context(), ordered()); return err }, nil, true},
	} {
		w := newWorld(t, offered("A"))
		w.external.answer = func(context.Context, Call) (outside.Result, error) {
			if errors.Is(c.answer, errUnfinished) {
				panic("a defect")
			}
			return outside.Result{}, c.answer
		}
		if err := recovered(func() error { return c.request(w) }); !errors.Is(err, c.answer) {
			t.Errorf("%s: %v, want %v", name, err, c.answer)
		}
		e := w.Manager.workspaces["w"].endpoints[w.rows.all[0].ID]
		if len(e.room) != 0 || e.circuit.breaker.Probing() || e.open != nil && e.open.users != 0 {
			t.Errorf("%s: %d places are taken, the breaker is tried: %v", name, len(e.room), e.circuit.breaker.Probing())
		}
		if (e.open != nil) != c.again || w.external.closed.Load() != map[bool]int32{true: 0, false: 1}[c.again] {
			t.Errorf("%s: it is open: %v, and %d were closed", name, e.open != nil, w.external.closed.Load())
		}
		if err := w.Manager.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestALeaseWithoutAConnection verifies that a connection that cannot be opened, or whose opening panics, takes no place.
func TestALeaseWithoutAConnection(t *testing.T) {
	for name, want := range map[string]error{"an error": errors.New("no route"), "a panic": errUnfinished} {
		w := newWorld(t, offered("A"))
		for _, kind := range w.Manager.kinds {
			kind.Open = func(context.Context, Opening) (Connection, error) {
				if errors.Is(want, errUnfinished) {
					panic("a defect")
				}
				return nil, want
			}
		}
		if err := recovered(func() error { return w.call(t.Context(), "S.A") }); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		if e := w.Manager.workspaces["w"].endpoints[w.rows.all[0].ID]; len(e.room) != 0 || len(e.opening) != 0 || e.circuit.breaker.Probing() {
			t.Errorf("%s: %d places are taken", name, len(e.room))
		}
		if err := w.Manager.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// recovered runs a request; a panic is errUnfinished.
func recovered(request func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errUnfinished
		}
	}()
	return request()
}

func probed(w *world) error {
	_, _, err := w.Manager.Probe(context.Background(), outside.Call{WorkspaceID: "w", Command: "S.A"})
	return err
}

func ordered() *domain.Task {
	return &domain.Task{ID: "tsk", WorkspaceID: "w", ConnectorID: "con_1", Command: "S.A", RemoteID: "job"}
}
