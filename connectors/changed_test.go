package connectors

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// What runs for a connector ends when its row goes, is disabled or is configured otherwise, although// its commands are not in use; calls in progress are aborted. After other changes they may end.
func TestWhatRunsEndsWithItsConnector(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*outside.Connector) *outside.Connector
		ends   bool
	}{
		"deleted":  {func(*outside.Connector) *outside.Connector { return nil }, true},
		"disabled": {func(c *outside.Connector) *outside.Connector { c.Enabled = false; return c }, true},
		"another program": {func(c *outside.Connector) *outside.Connector {
			c.Config = json.RawMessage(`{"URL":"program:other"}`)
			return c
		}, true},
		"another secret": {func(c *outside.Connector) *outside.Connector { c.SecretSealed = "sealed"; return c }, true},
		"another name":   {func(c *outside.Connector) *outside.Connector { c.Name = "T"; return c }, false},
		"a command":      {func(c *outside.Connector) *outside.Connector { c.Commands = append(c.Commands, offered("B")); return c }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, offered("A"))
			w.external.answer = func(context.Context, Call) (outside.Result, error) { return outside.Result{}, nil }
			if err := w.call(t.Context(), "S.A"); err != nil { // its connection stays open
				t.Fatal(err)
			}
			began, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
			w.external.answer = func(context.Context, Call) (outside.Result, error) {
				close(began)
				<-release
				return outside.Result{}, nil
			}
			go func() { done <- w.call(t.Context(), "S.A") }()
			<-began
			own := *w.rows.all[0]
			own.Version++
			w.rows.mu.Lock()
			w.rows.all, w.rows.changes = nil, w.rows.changes+1
			if now := c.change(&own); now != nil {
				w.rows.all = []*outside.Connector{now}
			}
			w.rows.mu.Unlock()
			w.Manager.Changed("w")
			w.Manager.closing.Wait()
			if got := w.external.closed.Load(); (got == 1) != c.ends {
				t.Errorf("%d closed while a call is in progress", got)
			}
			close(release)
			<-done
			if got := w.external.closed.Load(); got != 1 {
				t.Errorf("%d closed in the end", got)
			}
			if err := w.Manager.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A workspace whose connectors are not in use is not read for a change.
func TestAChangeOfAnUnusedConnector(t *testing.T) {
	w := newWorld(t, offered("A"))
	w.Manager.Changed("w")
	w.Manager.closing.Wait()
	if w.rows.reads != 0 {
		t.Errorf("%d reads", w.rows.reads)
	}
}

// A task that its server cancelled is cancelled, with what the server says of it.
func TestATaskThatItsServerCancelled(t *testing.T) {
	failed := &outside.Result{Failed: true, Text: "The server says: cancelled."}
	for want, state := range map[domain.TaskStatus]TaskState{
		domain.TaskCancelled: {Done: true, Cancelled: true, Result: failed},
		domain.TaskFailed:    {Done: true, Result: failed},
		domain.TaskSucceeded: {Done: true, Result: &outside.Result{Text: "done"}},
		domain.TaskRunning:   {Text: "half"},
	} {
		if r := reportOf(state); r.Status != want || want == domain.TaskCancelled && r.Error != failed.Text {
			t.Errorf("%+v: %+v, want %s", state, r, want)
		}
	}
}
