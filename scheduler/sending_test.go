package scheduler

import (
	"context"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

func (w *world) Message(_ context.Context, _, _, id string) (*domain.Message, error) {
	if id == "placed" {
		return &domain.Message{ID: id}, nil
	}
	return nil, domain.NotFound("message")
}

func (w *world) messages() *Messages { return &Messages{Door: w.door, Store: w} }

// A message takes its place, waits its turn, or interrupts; the receipt has it as stored.
func TestSendMessage(t *testing.T) {
	for name, c := range map[string]struct {
		session *domain.Session
		ifBusy  domain.IfBusy
		status  domain.MessageStatus
		event   domain.Event
	}{
		"at rest":            {chat("me", domain.Idle), "", domain.MessageStored, domain.UserMessageSent{}},
		"at work":            {chat("me", domain.CallingAI), "", domain.MessageQueued, domain.UserMessageSent{}},
		"at work, it steers": {chat("me", domain.CallingAI), domain.IfBusySteer, domain.MessageQueued, domain.UserMessageSent{}},
		"at work, it interrupts": {
			chat("me", domain.CallingAI),
			domain.IfBusyInterrupt, domain.MessageStored, domain.InterruptRequested{},
		},
		"at rest, nothing to cut": {chat("me", domain.Idle), domain.IfBusyInterrupt, domain.MessageStored, domain.UserMessageSent{}},
		"poisoned, nothing to be cut": {
			chat("me", domain.CallingAI, poisoned),
			domain.IfBusyInterrupt, domain.MessageQueued, domain.UserMessageSent{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, view(c.session, c.session))
			r, err := w.messages().SendMessage(t.Context(), "ws", "me", domain.NewMessage{
				Rich: domain.RichContent{LinearText: "Hello."}, IfBusy: c.ifBusy, By: domain.Author{ID: "ann", Role: domain.RoleMember},
			})
			if err != nil {
				t.Fatal(err)
			}
			m := r.Message
			if m == nil || m.Status != c.status || m.SenderID != "ann" || m.SenderRole != domain.RoleMember || m.Rich.LinearText != "Hello." {
				t.Errorf("the message is %+v", m)
			}
		})
	}
}

// A message that waits is changed or taken back under the locks; one in its place is not.
func TestAWaitingMessage(t *testing.T) {
	waits := func() *domain.View {
		me := chat("me", domain.CallingAI)
		item := waitingItem("a", 3)
		item.Message.SenderRole, item.Message.Rich = domain.RoleAdmin, &domain.RichContent{LinearText: "Old"}
		return view(me, me, func(v *domain.View) { v.Inbox = []*domain.InboxItem{waitingItem("b", 1), item} })
	}
	w := newWorld(t, waits())
	r, err := w.messages().EditMessage(t.Context(), "ws", "me", "msg_a", domain.RichContent{LinearText: "New"}, domain.Author{Role: domain.RoleMember})
	if err != nil || r.Message.ID != "msg_a" || r.Message.Rich.LinearText != "New" || r.Message.SenderRole != domain.RoleMember {
		t.Errorf("edited: %+v, %v", r, err)
	}
	if len(w.changes[0].EditedMessages) != 1 || w.view.Inbox[1].Message.Rich.LinearText != "Old" || len(w.notes) != 0 {
		t.Errorf("what was read is %+v now; %q", w.view.Inbox[1].Message, w.notes)
	}
	w = newWorld(t, waits())
	r, err = w.messages().WithdrawMessage(t.Context(), "ws", "me", "msg_a")
	if err != nil || r.Message.ID != "msg_a" || len(w.changes[0].InboxDone) != 1 || w.changes[0].DeletedMessages[0].ID != "msg_a" {
		t.Errorf("withdrawn: %+v, %v", r, err)
	}
	for id, want := range map[string]domain.Code{"placed": domain.CodeMessagePlaced, "unknown": domain.CodeNotFound} {
		if _, err := w.messages().WithdrawMessage(t.Context(), "ws", "me", id); domain.ErrorCode(err) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
	w.view.InboxBrief = true
	if _, err := w.messages().WithdrawMessage(t.Context(), "ws", "me", "msg_a"); err == nil {
		t.Error("it is decided about what was not read")
	}
}
