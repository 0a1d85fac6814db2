package scheduler

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

func waitingItem(id string, bytes int) *domain.InboxItem {
	return &domain.InboxItem{ID: "inb_" + id, MessageID: "msg_" + id, Bytes: bytes, Message: &domain.Message{ID: "msg_" + id}}
}

func said(id string, bytes int) *domain.Message {
	return &domain.Message{ID: "msg_" + id, Rich: &domain.RichContent{LinearText: strings.Repeat("a", bytes)}}
}

// Messages wait in a bounded room: so many, and so many bytes; what is refused is said.
func TestRoomToWait(t *testing.T) {
	full := make([]*domain.InboxItem, domain.MaxWaiting)
	for i := range full {
		full[i] = waitingItem("x", 1)
	}
	one := []*domain.InboxItem{{ID: "inb_new", MessageID: "msg_new", Message: said("new", 10)}}
	heavy := []*domain.InboxItem{waitingItem("a", domain.MaxWaitingBytes-5), waitingItem("b", 5)}
	for name, c := range map[string]struct {
		inbox  []*domain.InboxItem
		change domain.Change
		full   bool
	}{
		"nothing new":                     {full, domain.Change{}, false},
		"the hundredth":                   {full[1:], domain.Change{Inbox: one}, false},
		"one too many":                    {full, domain.Change{Inbox: one}, true},
		"one for one that was taken":      {full, domain.Change{Inbox: one, InboxDone: []string{"inb_x"}}, false},
		"too many bytes":                  {heavy, domain.Change{Inbox: one}, true},
		"an edit that grows too long":     {heavy, domain.Change{EditedMessages: []*domain.Message{said("b", 6)}}, true},
		"an edit that stays as long":      {heavy, domain.Change{EditedMessages: []*domain.Message{said("b", 5)}}, false},
		"an edit where one hundred wait":  {full, domain.Change{EditedMessages: []*domain.Message{said("x", 2)}}, false},
		"an edit that makes others' room": {heavy, domain.Change{EditedMessages: []*domain.Message{said("a", 1)}}, false},
	} {
		err := roomToWait(&domain.View{Inbox: c.inbox}, &c.change)
		if (err != nil) != c.full || err != nil && domain.ErrorCode(err) != domain.CodeQueueFull {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What the waiting messages say is read only by decisions that need it: keeping one more
// costs the same, however many wait.
func TestOnlyWhoTakesAMessageReadsWhatWaits(t *testing.T) {
	for name, c := range map[string]struct {
		step domain.Step
		uses bool
	}{
		"one more is kept":          {domain.Step{Change: &domain.Change{Inbox: []*domain.InboxItem{waitingItem("new", 1)}}}, false},
		"one takes its place":       {domain.Step{Change: &domain.Change{PlacedMessages: []*domain.Message{said("a", 1)}}}, true},
		"one leaves the inbox":      {domain.Step{Change: &domain.Change{InboxDone: []string{"inb_a"}}}, true},
		"the session keeps working": {domain.Step{Change: &domain.Change{}, Effect: domain.DoCallAI}, true},
	} {
		if got := (&decision{step: &c.step, change: c.step.Change}).usesInbox(); got != c.uses {
			t.Errorf("%s: %t", name, got)
		}
	}
}
