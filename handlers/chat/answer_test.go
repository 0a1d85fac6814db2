package chat

import (
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

func textDelta(kind api.MessageDeltaDataKind, id string, offset int, text string) *api.Event {
	return &api.Event{Name: stream.EventDelta, Text: &api.MessageDeltaData{Kind: kind, MessageID: id, Offset: offset, Text: text}}
}

func snapshot(kind api.MessageDeltaDataKind, id, text string) *api.Event {
	return &api.Event{Name: stream.EventMessageSnapshot, Text: &api.MessageDeltaData{Kind: kind, MessageID: id, Text: text}}
}

func storedAnswer(id, thought, text string) *api.Event {
	m := &api.Message{ID: id, Sender: api.MessageSenderAI, Status: api.MessageStatusStored, TextContent: &text}
	if thought != "" {
		m.AiRaw = &api.RawAnswer{Thinking: []domain.Thinking{{Text: thought}}}
	}
	return &api.Event{Name: string(domain.LogMessageCreated), Message: m}
}

// An answer has each character of the text and of the reasoning once: streamed, stored, or both.
func TestAnAnswer(t *testing.T) {
	const text, thinking = stream.KindText, stream.KindThinking
	for name, c := range map[string]struct {
		events         []*api.Event
		text, thoughts string
	}{
		"streamed": {[]*api.Event{
			textDelta(thinking, "a", 0, "Hm"), textDelta(thinking, "a", 2, "."), textDelta(text, "a", 0, "Hel"), textDelta(text, "a", 3, "lo."),
			storedAnswer("a", "Hm.", "Hello."),
		}, "Hello.", "Hm."},
		"from the log": {[]*api.Event{storedAnswer("a", "Hm.", "Hello.")}, "Hello.", "Hm."},
		"joined in the midst": {[]*api.Event{
			snapshot(thinking, "a", "Hm"), snapshot(text, "a", "Hel"), textDelta(text, "a", 3, "lo"), storedAnswer("a", "Hm.", "Hello."),
		}, "Hello.", "Hm."},
		"a gap": {[]*api.Event{textDelta(text, "a", 0, "He"), textDelta(text, "a", 4, "o"), storedAnswer("a", "", "Hello.")}, "Hello.", ""},
		"a call that is repeated": {[]*api.Event{
			textDelta(thinking, "a", 0, "Hm."), textDelta(text, "a", 0, "Hel"), textDelta(thinking, "b", 0, "Hm."), textDelta(text, "b", 0, "Hello"),
			storedAnswer("b", "Hm.", "Hello."),
		}, "Hello.", "Hm."},
		"another answer": {[]*api.Event{textDelta(text, "a", 0, "One"), textDelta(text, "b", 0, "Two"), storedAnswer("b", "", "Two.")}, "One\n\nTwo.", ""},
		"two answers":    {[]*api.Event{storedAnswer("a", "H", "One."), storedAnswer("b", "m.", "Two.")}, "One.\n\nTwo.", "Hm."},
		"an object":      {[]*api.Event{textDelta(text, "a", 0, `{"a":`), storedAnswer("a", "", `{"a":1}`)}, `{"a":1}`, ""},
		"cut":            {[]*api.Event{textDelta(text, "a", 0, "Hello"), storedAnswer("a", "", "Hel")}, "Hello", ""},
		"late deltas":    {[]*api.Event{storedAnswer("a", "Hm.", "Hello."), textDelta(text, "a", 0, "Hel"), textDelta(thinking, "a", 0, "Hm")}, "Hello.", "Hm."},
		"other messages": {[]*api.Event{{Message: &api.Message{Sender: api.MessageSenderUSER, TextContent: new("Yes.")}}}, "", ""},
		"a limit": {[]*api.Event{{Message: &api.Message{
			Sender: api.MessageSenderSYSTEM, SystemMessage: &api.SystemMessage{Type: domain.SystemLimitReached, Summary: "The limit."},
		}}}, "The limit.", ""},
	} {
		out := newWholeAnswer()
		for _, e := range c.events {
			out.Event(e)
		}
		if got, thoughts := out.content.String(), out.thoughts.String(); got != c.text || thoughts != c.thoughts {
			t.Errorf("%s: %q and %q, want %q and %q", name, got, thoughts, c.text, c.thoughts)
		}
	}
}
