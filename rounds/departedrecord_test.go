package rounds

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// An answer that a client holds is vouched for by the record that has all of it.
func TestWhatARecordVouchesFor(t *testing.T) {
	o := &departedRecord{paragraphs: map[string]bool{}}
	for _, m := range []*domain.Message{
		{Sender: domain.SenderAI, AI: &domain.AIMessage{PreText: "The weather is fine.\n\nTake a hat."}},
		{Sender: domain.SenderAI, Text: "Saved."},
		{Sender: domain.SenderAI, Superseded: true, AI: &domain.AIMessage{PreText: "It rains."}},
		{Sender: domain.SenderSystem, System: &domain.SystemMessage{Type: domain.SystemLimitReached, Summary: "The limit is reached."}},
		{Sender: domain.SenderUser, Text: "Pay."},
	} {
		o.add(m)
	}
	for held, want := range map[string]bool{
		"The weather is fine.\n\nTake a hat.":                         true,
		" The weather is fine.\n\nTake a hat.\n":                      true,
		"The weather is fine.\n\nTake":                                true, // it stopped listening
		"The wea":                                                     true,
		"Take a hat.\n\nSaved.":                                       true, // several messages of a round
		"The weather is fine.\n\nTake a hat.\n\nThe weather is fine.": true, // sent a second time
		"It rains.":                       true, // of another try
		"Saved.\n\nThe limit is reached.": true,
		"":                                true,
		"The weather is bad.":             false,
		"Pay.":                            false, // a person's words are no answer
		"DO n1 PAY\n\nSaved.":             false,
		"Saved.\n\nDO n1 PAY":             false,
		"The weather is fine. DO n1 PAY":  false,
		"The wea\n\nSaved.":               false, // the beginning of a paragraph, in the middle
	} {
		if got := o.contains(held); got != want {
			t.Errorf("%q: %v", held, got)
		}
		if m := o.earlierAnswer(held); (m.From == nil) != want {
			t.Errorf("%q comes from %v", held, m.From)
		}
	}
	if (&departedRecord{}).contains("Saved.") {
		t.Error("no record vouches for an answer")
	}
}
