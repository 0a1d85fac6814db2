package suite

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

func execution(s *domain.Session, id, message string, position int, status domain.ExecutionStatus) *domain.Execution {
	return &domain.Execution{
		ID: id, WorkspaceID: s.WorkspaceID, SessionID: s.ID, RoundID: "rnd_1", MessageID: message, CallID: "call_" + id,
		Position: position, Command: "CREATE_DATA", Params: json.RawMessage(`{ "a" :1.0 }`), Repeat: true, CommandID: "h",
		Kind: domain.KindAction, Effect: domain.EffectIdempotent, Status: status, Attempt: 1, ApprovalID: "apr_1", Digest: "d",
		Result: json.RawMessage(`[1,  2]`), Text: "t", Note: "n", Error: &domain.CommandError{Code: "c", Message: "m", Fields: []domain.FieldError{{Pointer: "/a"}}},
		Foreign:   &domain.Foreign{From: domain.Provenance{Origin: domain.OriginMCP, Source: "A.B"}, Acts: true, Trusted: true},
		CreatedAt: T0, StartedAt: new(T0.Add(time.Second)), EndedAt: new(T0.Add(2 * time.Second)),
	}
}

func approval(s *domain.Session, id string, kind domain.ApprovalKind) *domain.Approval {
	return &domain.Approval{
		ID: id, WorkspaceID: s.WorkspaceID, SessionID: s.ID, RoundID: "rnd_1", Kind: kind, Status: domain.ApprovalStatusOpen,
		Reasons:        []domain.ApprovalReason{{Level: domain.LevelZone, ID: "zon_1", Text: "because"}},
		Actions:        []domain.ApprovalAction{{ID: "exe_1", Command: "C", Params: json.RawMessage(`{"a":1}`), Text: "do <it>", Digest: "d"}},
		Module:         &domain.Module{Type: "Text", Data: json.RawMessage(`{}`)},
		ResponseSchema: json.RawMessage(`{"type" : "string"}`), CancelMessageID: "msg_c", Text: "may I?",
		ExpiresAt: new(T0.Add(time.Hour)), OnExpiry: "deny", CreatedAt: T0,
	}
}

// everythingInView: the View of a session that waits shows all that belongs to it,
// and the other holder with its open approvals.
func everythingInView(w *world) {
	other := w.stored("holder", func(s *domain.Session) { s.HoldsSlot, s.Phase = true, domain.WaitingBudget })
	c := w.change(other)
	theirs := approval(other, "apr_other", domain.ApprovalBudget)
	c.Approvals = []*domain.Approval{theirs}
	w.ok(w.Commit(w.Context(), c))

	s := w.stored("waits")
	c = w.change(s)
	w.say(c, s, domain.SenderUser, "do it")
	answer := w.say(c, s, domain.SenderAI, "I will")
	cancel := w.say(c, s, domain.SenderSystem, "cancelled")
	w.move(c, s, domain.WaitingValidation, "AIResponseParsed")
	s.State.AnswerID = answer.ID
	s.State.Waiting = &domain.WaitingContext{Kind: domain.WaitValidation, ApprovalID: "apr_1", CancelMessageID: cancel.ID}
	second, first := execution(s, "exe_2", answer.ID, 1, domain.ExecPlanned), execution(s, "exe_1", answer.ID, 0, domain.ExecSuccess)
	old := execution(s, "exe_0", "msg_before", 0, domain.ExecSuccess)
	mine := approval(s, "apr_1", domain.ApprovalActions)
	settled := approval(s, "apr_0", domain.ApprovalQuestion)
	settled.Status, settled.SettledBy, settled.SettledAt, settled.Decision = domain.ApprovalStatusApproved, "key_1", new(T0), json.RawMessage(`{"value": "x"}`)
	c.Executions = []*domain.Execution{second, first, old}
	c.Approvals = []*domain.Approval{mine, settled}
	w.ok(w.Commit(w.Context(), c))
	item := w.mail(s, "key-1")

	v, err := w.View(w.Context(), domain.DefaultWorkspace, s.ID)
	w.ok(err)
	w.equal(v.Session, s, "session")
	w.equal(v.Holder, other, "holder")
	w.equal(v.HolderOpen, []*domain.Approval{theirs}, "the holder's approvals")
	w.equal(v.Open, []*domain.Approval{mine}, "open approvals")
	w.equal(v.CancelMessage, cancel, "cancel message")
	w.equal(v.Planned, []*domain.Execution{first, second}, "executions of the answer, by position")
	w.equal(v.Inbox, []*domain.InboxItem{item}, "inbox")
	w.equal(v.Workspace.Settings, domain.DefaultSettings(), "settings")

	locked, err := w.Decide(w.Context(), domain.DefaultWorkspace, other.ID, nil, checked(w, func(v *domain.View) {
		if v.Holder != v.Session {
			w.Error("the holder's own view shows it twice")
		}
		w.equal(len(v.HolderOpen)+len(v.Inbox)+len(v.Planned), 0, "what is not its own")
	}))
	w.ok(err)
	if locked != nil {
		w.Fatalf("a view alone was written as %v", locked)
	}
	none, err := w.View(w.Context(), domain.DefaultWorkspace, "")
	w.ok(err)
	if none.Session != nil || none.Holder != nil {
		w.Fatalf("the view without a session is %v", none)
	}

	all, err := w.Records.Executions(w.Context(), domain.DefaultWorkspace, s.ID)
	w.ok(err)
	w.equal(len(all), 3, "the journal")
	latest, err := w.Approvals.LatestApproval(w.Context(), domain.DefaultWorkspace, s.ID, domain.ApprovalQuestion)
	w.ok(err)
	w.equal(latest, settled, "the settled approval")
	never, err := w.Approvals.LatestApproval(w.Context(), domain.DefaultWorkspace, s.ID, domain.ApprovalPoisoned)
	w.ok(err)
	if never != nil {
		w.Fatalf("an approval that never was: %v", never)
	}
	w.sound()
}

// noWayBack: a result is final, a settled approval stays settled, and a change that
// makes and finishes something writes it once.
func noWayBack(w *world) {
	s := w.stored("first")
	c := w.change(s)
	c.Executions = []*domain.Execution{execution(s, "exe_1", "msg_1", 0, domain.ExecPlanned), execution(s, "exe_1", "msg_1", 0, domain.ExecUnknown)}
	open, done := approval(s, "apr_1", domain.ApprovalOutcome), approval(s, "apr_1", domain.ApprovalOutcome)
	done.Status = domain.ApprovalStatusSuperseded
	c.Approvals = []*domain.Approval{open, done}
	w.ok(w.Commit(w.Context(), c))

	unsettled, err := w.Records.UnsettledCommands(w.Context(), domain.DefaultWorkspace)
	w.ok(err)
	w.equal(unsettled, []string{"h"}, "with an unknown outcome")
	c = w.change(s)
	c.Executions = []*domain.Execution{execution(s, "exe_1", "msg_1", 0, domain.ExecStarted)}
	if err := w.Commit(w.Context(), c); err == nil {
		w.Fatal("an execution whose outcome is unknown was started again")
	}
	c = w.change(s)
	c.Approvals = []*domain.Approval{approval(s, "apr_1", domain.ApprovalOutcome)}
	if err := w.Commit(w.Context(), c); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("settling a settled approval gave %v", err)
	}
	c = w.change(s)
	settled := execution(s, "exe_1", "msg_1", 0, domain.ExecSuccess)
	c.Executions = []*domain.Execution{settled}
	w.ok(w.Commit(w.Context(), c)) // a person said what became of it
	all, err := w.Records.Executions(w.Context(), domain.DefaultWorkspace, s.ID)
	w.ok(err)
	w.equal(all, []*domain.Execution{settled}, "the journal")
	one, err := w.Records.Execution(w.Context(), domain.DefaultWorkspace, "exe_1")
	w.ok(err)
	w.equal(one, settled, "the execution")
	unsettled, err = w.Records.UnsettledCommands(w.Context(), domain.DefaultWorkspace)
	w.ok(err)
	w.equal(len(unsettled), 0, "what is settled")
	w.sound()
}

// turnsInInbox: what was accepted waits, is edited, takes its place once, and its key
// is known ever after.
func turnsInInbox(w *world) {
	s := w.stored("busy")
	first, second := w.mail(s, "key-1"), w.mail(s, "key-2")
	again := &domain.InboxItem{ID: "inb_x", WorkspaceID: s.WorkspaceID, SessionID: s.ID, DedupeKey: "key-1", MessageID: first.MessageID, CreatedAt: T0}
	c := w.change(s)
	c.Inbox = []*domain.InboxItem{again}
	w.code(w.Commit(w.Context(), c), domain.CodeConflict)

	c = w.change(s)
	edited := *second.Message
	edited.Text = "edited"
	c.EditedMessages = []*domain.Message{&edited}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageUpdated, Message: &edited})
	w.ok(w.Commit(w.Context(), c))

	c = w.change(s)
	placed := *first.Message
	placed.Status = domain.MessageStored
	c.PlacedMessages, c.InboxDone = []*domain.Message{&placed}, []string{first.ID}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageUpdated, Message: &placed})
	w.ok(w.Commit(w.Context(), c))
	w.equal(placed.Seq, c.Events[0].Seq, "the place")

	list, err := w.Sessions.Messages(w.Context(), s.WorkspaceID, s.ID, 0, 0)
	w.ok(err)
	w.equal(list, []*domain.Message{&placed, &edited}, "placed first, then waiting")
	for _, c := range []struct {
		latest bool
		want   []*domain.Message
	}{{false, []*domain.Message{&placed, &edited}}, {true, []*domain.Message{&edited, &placed}}} {
		page, next, err := w.Sessions.MessagePage(w.Context(), s, "", 1, c.latest)
		w.ok(err)
		w.equal(page, c.want[:1], "the first page")
		page, next, err = w.Sessions.MessagePage(w.Context(), s, next, 1, c.latest)
		w.ok(err)
		w.equal(page, c.want[1:], "the page after it")
		w.equal(next, "", "the end")
	}
	v, err := w.View(w.Context(), s.WorkspaceID, s.ID)
	w.ok(err)
	w.equal([]any{len(v.Inbox), v.Inbox[0].ID, v.Inbox[0].Message.Text}, []any{1, second.ID, "edited"}, "the inbox")

	twice := w.change(s)
	twice.InboxDone = []string{first.ID}
	if err := w.Commit(w.Context(), twice); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("folding in twice gave %v", err)
	}
	late := w.change(s)
	late.EditedMessages = []*domain.Message{&placed}
	if err := w.Commit(w.Context(), late); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("editing a message in its place gave %v", err)
	}
	c = w.change(s)
	c.DeletedMessages, c.InboxDone = []*domain.Message{&edited}, []string{second.ID}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageDeleted, Message: &edited})
	w.ok(w.Commit(w.Context(), c))
	known := w.change(s)
	known.Inbox = []*domain.InboxItem{again}
	w.code(w.Commit(w.Context(), known), domain.CodeConflict)
	w.sound()
}

// madeAndMoved: a message that is made and deleted, or made and placed, in one change
// is written as it is at the end; numbers stay without gaps.
func madeAndMoved(w *world) {
	s := w.stored("first")
	c := w.change(s)
	gone := w.say(c, s, domain.SenderSystem, "cancelled")
	c.DeletedMessages = []*domain.Message{gone}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageDeleted, Message: gone})
	queued := &domain.Message{ID: "msg_q", WorkspaceID: s.WorkspaceID, SessionID: s.ID, Timestamp: T0, Sender: domain.SenderUser, Status: domain.MessageQueued}
	c.Messages = append(c.Messages, queued)
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: queued})
	placed := *queued
	placed.Status = domain.MessageStored
	c.PlacedMessages = []*domain.Message{&placed}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageUpdated, Message: &placed})
	w.ok(w.Commit(w.Context(), c))
	list, err := w.Sessions.Messages(w.Context(), s.WorkspaceID, s.ID, 0, 0)
	w.ok(err)
	w.equal(list, []*domain.Message{&placed}, "what is left")
	w.equal(placed.Seq, int64(5), "its place")

	// Events about a session whose row the change does not write bump its version.
	before := s.Version
	c = &domain.Change{WorkspaceID: s.WorkspaceID, At: T0}
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogNotice, Notice: &domain.Notice{Text: "x"}})
	w.ok(w.Commit(w.Context(), c))
	w.equal(c.Events[0].SessionSeq, int64(6), "the session's own count")
	if err := w.Commit(w.Context(), w.change(s)); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("a write at version %d gave %v", before, err)
	}
	w.sound()
}
