package scheduler

import (
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// A chat that comes back into the middle of its work takes the messages that were to join
// it; the one that brought it back must not take them again: the write would be refused as
// stale, and the person's words with it. (Seed 288 of the random slot found it.)
func TestAReturnAndItsMessageTakeWhatWaitsOnce(t *testing.T) {
	waiting := &domain.Message{ID: "msg_w", WorkspaceID: "ws", SessionID: "ses", Sender: domain.SenderUser, Status: domain.MessageQueued,
		Rich: &domain.RichContent{LinearText: "And this."}}
	for _, how := range []domain.IfBusy{domain.IfBusyInterrupt, domain.IfBusySteer, domain.IfBusyEnqueue} {
		s := chat("ses", domain.CallingAI, suspended)
		v := view(s, nil, func(v *domain.View) {
			v.Inbox = []*domain.InboxItem{{ID: "inb_w", WorkspaceID: "ws", SessionID: "ses", MessageID: waiting.ID, Message: waiting,
				IfBusy: domain.IfBusySteer, CreatedAt: noon}}
		})
		d, err := decideOn(v, EventRequest{Target{Workspace: "ws", Session: "ses"}, domain.UserMessageSent{
			Message: &domain.Message{ID: "msg_n", Rich: &domain.RichContent{LinearText: "Stop."}}, IfBusy: how, Explicit: true,
		}})
		if err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		placed := 0
		for _, m := range d.change.PlacedMessages {
			if m.ID == waiting.ID {
				placed++
			}
		}
		done := slices.Clone(d.change.InboxDone)
		if len(slices.Compact(done)) != len(d.change.InboxDone) || placed > 1 || placed != len(done) {
			t.Errorf("%s: taken %v, placed %d times", how, d.change.InboxDone, placed)
		}
	}
}

// An answer that a person gave while another chat had the slot is carried out when a message brings the chat back: else it
// would hold the slot in a wait that no answer ends.
func TestAReturnCarriesOutTheAnswerFirst(t *testing.T) {
	s := chat("ses", domain.WaitingCommunicationResponse, func(s *domain.Session) {
		s.State.Waiting = &domain.WaitingContext{
			Kind: domain.WaitCommunication, ApprovalID: "apr", Module: &domain.Module{Type: "Text"},
			Answer: &domain.WaitAnswer{Event: "CommunicationResponseReceived", Text: "Blue.", By: "ada"},
		}
	})
	d, err := decideOn(view(s, nil), EventRequest{Target{Workspace: "ws", Session: "ses"}, domain.UserMessageSent{
		Message: &domain.Message{ID: "msg_n", Rich: &domain.RichContent{LinearText: "And hurry."}}, IfBusy: domain.IfBusyEnqueue, Explicit: true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.step.Session; !got.HoldsSlot || got.Phase == domain.WaitingCommunicationResponse {
		t.Errorf("the chat is in %s, with the slot %v", got.Phase, got.HoldsSlot)
	}
}
