package acp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/speech"
)

// teller tells an editor what stands in a session and what happens in it, as updates.
type teller struct {
	update func(kind string, f fields)

	text, mind speech.Text
	shown      int64           // place of the last message that was told
	own        map[string]bool // messages that this editor sent: it shows them itself
	calls      map[string]bool // calls that were told
	params     map[string]json.RawMessage
	spoke      string // the message that was told last, if nothing else was told since
}

func newTeller(update func(string, fields)) *teller {
	return &teller{
		update: update, own: map[string]bool{}, calls: map[string]bool{}, params: map[string]json.RawMessage{},
	}
}

// brokenOff stands between a text that became no message and the one that took its place.
const brokenOff = "\n\n(What stands above was broken off.)\n\n"

// say tells a piece of a message of the AI.
func (t *teller) say(id, text string, anew bool) {
	if text == "" {
		return
	}
	switch {
	case anew:
		text = brokenOff + text
	case t.spoke != "" && t.spoke != id && t.text.Done() == t.spoke:
		text = "\n\n" + text // editors put what follows directly into one paragraph
	}
	t.spoke = id
	t.update("agent_message_chunk", fields{"messageId": id, "content": textBlock(text)})
}

func (t *teller) think(id, text string) {
	if text != "" {
		t.update("agent_thought_chunk", fields{"messageId": id + "-thoughts", "content": textBlock(text)})
	}
}

// piece tells a part of an answer that comes.
func (t *teller) piece(kind, id string, offset int, text string) {
	switch kind {
	case "text":
		more, anew := t.text.Piece(id, offset, text)
		t.say(id, more, anew)
	case "thinking":
		more, _ := t.mind.Piece(id, offset, text)
		t.think(id, more)
	}
}

// message tells one that is stored in its place; each once.
func (t *teller) message(m *api.Message) {
	if m.Seq == nil || *m.Seq <= t.shown {
		return
	}
	t.shown = *m.Seq
	switch {
	case m.Sender == "USER":
		t.spoke = ""
		if t.own[m.ID] {
			return
		}
		t.update("user_message_chunk", fields{"messageId": m.ID, "content": textBlock(wordsOf(m))})
	case m.Sender == "AI":
		t.answer(m)
	case m.SystemMessage != nil:
		t.report(m.ID, m.SystemMessage)
	}
}

func wordsOf(m *api.Message) string {
	if m.RichContent != nil {
		return m.RichContent.Words()
	}
	return deref(m.TextContent)
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (t *teller) answer(m *api.Message) {
	if t.text.Told() == "" {
		more, _ := t.mind.Whole(m.ID, thoughtsOf(m), m.Status == "interrupted")
		t.think(m.ID, more)
	}
	t.mind.Over()
	text := deref(m.TextContent)
	if ai := m.AiMessage; ai != nil {
		if ai.PreText != api.InvalidFormatText && ai.PreText != "" {
			text = joined(ai.PreText, text)
		}
		for _, c := range ai.DataCommands {
			t.params[c.CallID] = c.Params
		}
		for _, c := range ai.ActionCommands {
			t.params[c.CallID] = c.Params
		}
	}
	more, anew := t.text.Whole(m.ID, text, m.Status == "interrupted")
	t.say(m.ID, more, anew)
}

// thoughtsOf returns the reasoning of an answer, as it is streamed: without breaks between its blocks.
func thoughtsOf(m *api.Message) string {
	var b strings.Builder
	if m.AiRaw != nil {
		for i := range m.AiRaw.Thinking {
			b.WriteString(m.AiRaw.Thinking[i].Text)
		}
	}
	return b.String()
}

func joined(first, second string) string {
	if second == "" {
		return first
	}
	return first + "\n\n" + second
}

// report tells what the server did: the results of commands, and what went wrong.
func (t *teller) report(id string, s *api.SystemMessage) {
	switch s.Type {
	case api.SystemValidationCancelled, api.SystemCommunicationCancelled:
		return // written before the wait, and true only if nobody says yes
	case api.SystemLimitReached, api.SystemSessionTimeout:
		t.say(id, s.Summary, false)
		return
	}
	for _, r := range s.CommandResults {
		call := fields{"status": statusOf(r.Status)}
		if r.Summary != "" {
			call["title"] = r.Summary
		}
		if text := resultText(r.Text, r.Error); text != "" {
			call["content"] = contentOf(text)
		}
		t.call(r.ExecutionID, r.Command, "", t.params[r.CallID], call)
	}
}

// maxResult bounds what an editor is shown of a result.
const maxResult = 10_000

func resultText(text string, failed *api.CommandError) string {
	if text == "" && failed != nil {
		text = failed.Message
	}
	return jsonbody.Cut(text, maxResult)
}

// command tells of a command as a call of a tool.
func (t *teller) command(x *api.Execution) {
	call := fields{"status": statusOf(x.Status)}
	if x.EndedAt != nil {
		if text := resultText(deref(x.Text), x.Error); text != "" {
			call["content"] = contentOf(text)
		}
	}
	t.call(x.ID, x.Command, string(x.Kind), x.Params, call)
}

// call tells a call for the first time, or what became of it since.
func (t *teller) call(id, name, kind string, params json.RawMessage, f fields) {
	if id == "" {
		return
	}
	t.spoke = ""
	f["toolCallId"] = id
	if t.calls[id] {
		t.update("tool_call_update", f)
		return
	}
	t.calls[id] = true
	if f["title"] == nil {
		f["title"] = name
	}
	f["kind"] = "other"
	if kind == "query" {
		f["kind"] = "read"
	}
	if len(params) > 0 {
		f["rawInput"] = params
	}
	t.update("tool_call", f)
}

func statusOf(s api.ExecutionStatus) string {
	switch s {
	case api.ExecSuccess, api.ExecCached:
		return "completed"
	case api.ExecFailed, api.ExecCancelled, api.ExecUnknown:
		return "failed"
	case "PLANNED", "APPROVED":
		return "pending"
	}
	return "in_progress"
}

// usage tells how much of the model's room a call of the AI took.
func (t *teller) usage(r *api.Roundtrip, room int64) {
	u := r.Usage
	if room <= 0 || r.Purpose != "answer" {
		return
	}
	t.update("usage_update", fields{"used": u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens, "size": room})
}

// plan tells the steps of a plan that a person is asked about.
func (t *teller) plan(steps []string) {
	entries := []fields{}
	for _, step := range steps {
		entries = append(entries, fields{"content": step, "priority": "medium", "status": "pending"})
	}
	t.update("plan", fields{"entries": entries})
}

// decode reads what an event says.
func decode[T any](e Event, use func(*T)) error {
	var data T
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return fmt.Errorf("the event %s is not what this version of fermata knows: %w", e.Name, err)
	}
	use(&data)
	return nil
}
