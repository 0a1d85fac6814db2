// Package suite is the test suite that every database implementation must pass.
package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
)

// Open gives a Store on an empty, migrated database of its own; cfg has everything
// but the database's address. Opening again with the same place gives the same
// database to another process.
type Open func(t testing.TB, place string, cfg repository.Config) *repository.Store

// T0 is when every story begins.
var T0 = time.Date(2026, 3, 4, 9, 0, 0, 123456000, time.UTC)

// world is a store and what a test says with it.
type world struct {
	testing.TB
	*repository.Store
	open  Open
	place string
	newID domain.IDSource

	mu       sync.Mutex
	now      time.Time
	reported []*domain.Change
}

// newWorld opens an empty database with the workspaces "default" and "other".
func newWorld(t testing.TB, open Open) *world {
	w := &world{TB: t, open: open, place: t.Name(), newID: ids.New, now: T0}
	w.Store = open(t, w.place, w.config("node-1", "first"))
	for _, id := range []string{domain.DefaultWorkspace, "other"} {
		err := w.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{ID: id, Name: id, Settings: domain.DefaultSettings(), CreatedAt: T0})
		w.ok(err)
	}
	return w
}

func (w *world) config(node, incarnation string) repository.Config {
	return repository.Config{
		Node: node, Incarnation: incarnation, NewID: w.newID, Encode: encode,
		Clock: clock.Clock(func() time.Time {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.now
		}),
		Committed: func(c *domain.Change) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.reported = append(w.reported, c)
		},
	}
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// encode is a small stand-in for the wire: it shows the numbers that were set.
func encode(e *domain.LogEvent) ([]byte, error) {
	body := map[string]any{"seq": e.Seq, "session_seq": e.SessionSeq, "type": e.Type}
	if e.Session != nil {
		body["last_seq"], body["run_epoch"] = e.Session.LastSeq, e.Session.RunEpoch
	}
	if e.Message != nil {
		body["message_seq"] = e.Message.Seq
	}
	if e.Phase != nil {
		body["number"] = e.Phase.Number
	}
	return json.Marshal(body)
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("unexpected error: %v", err)
	}
}

func (w *world) code(err error, want domain.Code) {
	w.Helper()
	if err == nil || domain.ErrorCode(err) != want {
		w.Fatalf("got error %v, want code %s", err, want)
	}
}

func (w *world) equal(got, want any, what string) {
	w.Helper()
	if g, x := show(got), show(want); g != x {
		w.Fatalf("%s:\n got %s\nwant %s", what, g, x)
	}
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return fmt.Sprintf("%T %s", v, b)
}

// session is a CHAT that is not stored yet.
func (w *world) session(name string) *domain.Session {
	return &domain.Session{
		Place: domain.Place{Lane: domain.LaneWorkspace},
		ID:    w.newID(domain.PrefixSession), WorkspaceID: domain.DefaultWorkspace, Type: domain.Chat, Name: name,
		Ownership: domain.Ownership{Visibility: domain.VisibleWorkspace}, Phase: domain.Idle, CreatedAt: T0, UpdatedAt: T0, LastEventTime: T0,
	}
}

// change is an empty change of the session's workspace, with its row in it.
func (w *world) change(s *domain.Session) *domain.Change {
	return &domain.Change{
		WorkspaceID: s.WorkspaceID, At: T0, Sessions: []domain.SessionWrite{{Session: s}},
	}
}

// stored makes a session and stores it.
func (w *world) stored(name string, with ...func(*domain.Session)) *domain.Session {
	w.Helper()
	s := w.session(name)
	for _, f := range with {
		f(s)
	}
	c := w.change(s)
	c.Sessions[0].Insert = true
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
	w.ok(w.Commit(w.Context(), c))
	return s
}

// say adds a message to a change, in its place.
func (w *world) say(c *domain.Change, s *domain.Session, sender domain.Sender, text string) *domain.Message {
	m := &domain.Message{
		ID: w.newID(domain.PrefixMessage), WorkspaceID: s.WorkspaceID, SessionID: s.ID, Timestamp: T0,
		Sender: sender, Status: domain.MessageStored, Text: text,
	}
	c.Messages = append(c.Messages, m)
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
	return m
}

// move adds a transition to a change.
func (w *world) move(c *domain.Change, s *domain.Session, to domain.Phase, event string) *domain.Transition {
	x := &domain.Transition{
		WorkspaceID: s.WorkspaceID, SessionID: s.ID, From: s.Phase, To: to, Event: event, Status: s.Status(),
		Epoch: s.RunEpoch, At: T0,
	}
	s.Phase = to
	c.Transitions = append(c.Transitions, x)
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionPhase, Phase: x})
	return x
}

// sound demands that no invariant is broken.
func (w *world) sound() {
	w.Helper()
	for _, id := range []string{domain.DefaultWorkspace, "other"} {
		all, err := w.Workspaces.Invariants(w.Context(), id)
		w.ok(err)
		for _, i := range all {
			if i.Count != 0 {
				w.Errorf("invariant %s of workspace %s: %d (%s)", i.Name, id, i.Count, i.Description)
			}
		}
	}
}

// mail puts a message that waits its turn into a session's inbox.
func (w *world) mail(s *domain.Session, dedupe string) *domain.InboxItem {
	w.Helper()
	m := &domain.Message{
		ID: w.newID(domain.PrefixMessage), WorkspaceID: s.WorkspaceID, SessionID: s.ID, Timestamp: T0,
		Sender: domain.SenderUser, Status: domain.MessageQueued, Text: dedupe,
	}
	i := &domain.InboxItem{
		ID: w.newID(domain.PrefixInbox), WorkspaceID: s.WorkspaceID, SessionID: s.ID, DedupeKey: dedupe, Kind: "message",
		IfBusy: domain.IfBusySteer, MessageID: m.ID, CreatedAt: T0, Message: m, Trace: "0af7651916cd43dd8448eb211c80319c", Bytes: len(dedupe),
	}
	c := w.change(s)
	c.Messages, c.Inbox = []*domain.Message{m}, []*domain.InboxItem{i}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
	w.ok(w.Commit(w.Context(), c))
	return i
}

func zone(id, name string) *userdata.Zone {
	return &userdata.Zone{ID: id, ZoneFields: userdata.ZoneFields{Name: name}, CreatedAt: T0, UpdatedAt: T0}
}

// checked looks at a View under its locks and writes nothing.
func checked(w *world, look func(*domain.View)) func(context.Context, *domain.View) (*domain.Change, error) {
	return func(_ context.Context, v *domain.View) (*domain.Change, error) {
		look(v)
		return nil, nil
	}
}
