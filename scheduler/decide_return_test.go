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
