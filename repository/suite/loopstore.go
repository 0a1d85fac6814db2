package suite

import (
	"context"
	"errors"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
)

// LoopStore is what the loop that drives a session needs of a store.
type LoopStore interface {
	View(ctx context.Context, workspace, session string) (*domain.View, error)
	Commit(ctx context.Context, change *domain.Change) error
	Record(ctx context.Context, session *domain.Session) ([]*domain.Message, error)
	Message(ctx context.Context, workspace, session, id string) (*domain.Message, error)
	UnsettledCommands(ctx context.Context, workspace string) ([]string, error)
}

// RunLoopStore verifies what the loop relies on, for any store of a loop including the fake of the tests: a fake
// that is more lenient than a database hides the errors that it should reveal. open returns a store with one CHAT
// at rest in the workspace "default", as it is stored.
func RunLoopStore(t *testing.T, open func(t *testing.T) (LoopStore, *domain.Session)) {
	for name, story := range map[string]func(l *looped){
		"a commit is numbered and read back":    (*looped).numbered,
		"a write by who is not current":         (*looped).stale,
		"a view is a copy":                      (*looped).copied,
		"what waits is in the view until taken": (*looped).waits,
		"what an answer planned, by position":   (*looped).planned,
		"an approval is open until settled":     (*looped).approvals,
		"a deleted message is gone":             (*looped).deleted,
	} {
		t.Run(name, func(t *testing.T) {
			store, s := open(t)
			story(&looped{world: &world{TB: t, newID: ids.New}, LoopStore: store, s: s})
		})
	}
}

// looped is a store under test, with the session as it was stored last.
type looped struct {
	*world
	LoopStore
	s *domain.Session
}

func (l *looped) view() *domain.View {
	l.Helper()
	v, err := l.View(l.Context(), l.s.WorkspaceID, l.s.ID)
	l.ok(err)
	return v
}

func (l *looped) record() []string {
	l.Helper()
	list, err := l.Record(l.Context(), l.s)
	l.ok(err)
	out := []string{}
	for _, m := range list {
		out = append(out, m.Text)
	}
	return out
}

func (l *looped) numbered() {
	before := *l.s
	c := l.change(l.s)
	said := l.say(c, l.s, domain.SenderUser, "hello")
	l.move(c, l.s, domain.CallingAI, "UserMessageSent")
	c.Sessions[0].Claim = true
	l.ok(l.Commit(l.Context(), c))

	l.equal([]int64{said.Seq, c.Events[1].Seq}, []int64{before.LastSeq + 1, before.LastSeq + 2}, "the workspace's numbers")
	l.equal([]int64{c.Events[0].SessionSeq, c.Events[1].SessionSeq}, []int64{before.SessionSeq + 1, before.SessionSeq + 2}, "its own numbers")
	l.equal([]int64{l.s.Version, l.s.RunEpoch}, []int64{before.Version + 1, before.RunEpoch + 1}, "version and epoch")
	v := l.view().Session
	l.equal([]any{v.Version, v.RunEpoch, v.Phase, v.LastSeq, v.SessionSeq}, []any{l.s.Version, l.s.RunEpoch, domain.CallingAI, l.s.LastSeq, l.s.SessionSeq}, "the session in the view")
	l.equal(l.record(), []string{"hello"}, "the record")
	one, err := l.Message(l.Context(), l.s.WorkspaceID, l.s.ID, said.ID)
	l.ok(err)
	l.equal(one.Text, "hello", "the message")
	_, err = l.Message(l.Context(), l.s.WorkspaceID, l.s.ID, "msg_none")
	l.code(err, domain.CodeNotFound)
}

func (l *looped) stale() {
	old := l.s.Clone()
	c := l.change(l.s)
	c.Sessions[0].Claim = true
	l.ok(l.Commit(l.Context(), c))
	fenced := l.s.Clone()
	fenced.RunEpoch = old.RunEpoch
	for name, s := range map[string]*domain.Session{"version": old, "epoch": fenced} {
		c := l.change(s)
		l.say(c, s, domain.SenderUser, "too late")
		if err := l.Commit(l.Context(), c); !errors.Is(err, domain.ErrStale) {
			l.Fatalf("an old %s: got %v, want ErrStale", name, err)
		}
	}
	l.equal(l.record(), []string{}, "messages of refused changes")
	l.equal(l.view().Session.Version, l.s.Version, "the version after the refusals")
}

func (l *looped) copied() {
	l.ok(l.Commit(l.Context(), l.change(l.s)))
	l.s.Name = "changed and never written"
	v := l.view()
	l.equal(v.Session.Name != l.s.Name, true, "what was committed is not what its writer does with it later")
	v.Session.Phase = domain.CallingAI
	l.equal(l.view().Session.Phase, domain.Idle, "the phase after a caller changed its view")
}

func (l *looped) waits() {
	queue := func(text string) (*domain.InboxItem, *domain.Message) {
		m := &domain.Message{
			ID: l.newID(domain.PrefixMessage), WorkspaceID: l.s.WorkspaceID, SessionID: l.s.ID, Timestamp: T0,
			Sender: domain.SenderUser, Status: domain.MessageQueued, Text: text,
		}
		i := &domain.InboxItem{
			ID: l.newID(domain.PrefixInbox), WorkspaceID: l.s.WorkspaceID, SessionID: l.s.ID, DedupeKey: text, Kind: "message",
			IfBusy: domain.IfBusyEnqueue, MessageID: m.ID, CreatedAt: T0, Bytes: len(text),
		}
		c := l.change(l.s)
		c.Messages, c.Inbox = []*domain.Message{m}, []*domain.InboxItem{i}
		c.Emit(domain.LogEvent{SessionID: l.s.ID, Type: domain.LogMessageCreated, Message: m})
		l.ok(l.Commit(l.Context(), c))
		return i, m
	}
	first, message := queue("first")
	queue("second")
	texts := func() []string {
		out := []string{}
		for _, i := range l.view().Inbox {
			out = append(out, i.Message.Text)
		}
		return out
	}
	l.equal(texts(), []string{"first", "second"}, "what waits, oldest first")

	placed := *message
	placed.Status = domain.MessageStored
	c := l.change(l.s)
	c.PlacedMessages, c.InboxDone = []*domain.Message{&placed}, []string{first.ID}
	c.Emit(domain.LogEvent{SessionID: l.s.ID, Type: domain.LogMessageUpdated, Message: &placed})
	l.ok(l.Commit(l.Context(), c))
	l.equal(texts(), []string{"second"}, "what still waits")
	l.equal(placed.Seq, c.Events[0].Seq, "its place in the record")
}

func (l *looped) planned() {
	c := l.change(l.s)
	answer := l.say(c, l.s, domain.SenderAI, "I will")
	l.move(c, l.s, domain.ExecutingActions, "AIResponseParsed")
	l.s.State.AnswerID = answer.ID
	second, first := execution(l.s, "exe_2", answer.ID, 1, domain.ExecUnknown), execution(l.s, "exe_1", answer.ID, 0, domain.ExecSuccess)
	c.Executions = []*domain.Execution{second, first, execution(l.s, "exe_0", "msg_before", 0, domain.ExecSuccess)}
	l.ok(l.Commit(l.Context(), c))
	var got []string
	for _, e := range l.view().Planned {
		got = append(got, e.ID)
	}
	l.equal(got, []string{"exe_1", "exe_2"}, "executions of the answer")

	open, err := l.UnsettledCommands(l.Context(), l.s.WorkspaceID)
	l.ok(err)
	l.equal(open, []string{second.CommandID}, "with an unknown outcome")
	c = l.change(l.s)
	c.Executions = []*domain.Execution{execution(l.s, "exe_2", answer.ID, 1, domain.ExecSuccess)}
	l.ok(l.Commit(l.Context(), c))
	open, err = l.UnsettledCommands(l.Context(), l.s.WorkspaceID)
	l.ok(err)
	l.equal(len(open), 0, "what is settled")

	c = l.change(l.s)
	l.move(c, l.s, domain.Idle, "AllActionsDone")
	l.ok(l.Commit(l.Context(), c))
	l.equal(len(l.view().Planned), 0, "executions in the view of a session at rest")
}

func (l *looped) approvals() {
	c := l.change(l.s)
	c.Approvals = []*domain.Approval{approval(l.s, "apr_1", domain.ApprovalActions)}
	l.ok(l.Commit(l.Context(), c))
	l.equal(len(l.view().Open), 1, "open approvals")
	c = l.change(l.s)
	settled := approval(l.s, "apr_1", domain.ApprovalActions)
	settled.Status = domain.ApprovalStatusApproved
	c.Approvals = []*domain.Approval{settled}
	l.ok(l.Commit(l.Context(), c))
	l.equal(len(l.view().Open), 0, "open approvals once it is settled")
}

func (l *looped) deleted() {
	c := l.change(l.s)
	l.say(c, l.s, domain.SenderUser, "stays")
	gone := l.say(c, l.s, domain.SenderSystem, "goes")
	l.ok(l.Commit(l.Context(), c))
	c = l.change(l.s)
	c.DeletedMessages = []*domain.Message{gone}
	c.Emit(domain.LogEvent{SessionID: l.s.ID, Type: domain.LogMessageDeleted, Message: gone})
	l.ok(l.Commit(l.Context(), c))
	l.equal(l.record(), []string{"stays"}, "the record")
}

// ofLoop is a database as the loop sees it.
type ofLoop struct {
	*repository.Store
	*repository.SessionStore
	*repository.RecordStore
}

// databaseOfLoop opens a database with one CHAT at rest.
func databaseOfLoop(open Open) func(t *testing.T) (LoopStore, *domain.Session) {
	return func(t *testing.T) (LoopStore, *domain.Session) {
		t.Helper()
		w := newWorld(t, open)
		s := w.stored("at rest", func(s *domain.Session) { s.HoldsSlot = true })
		return ofLoop{w.Store, w.Sessions, w.Records}, s
	}
}
