package acp

import (
	"encoding/json"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/rounds"
)

// updater sends the content and events of a session to the editor, as updates.
type updater struct {
	update func(kind string, f fields)

	text, reasoning rounds.TextMerger
	lastSeq         int64           // sequence number of the last message that was sent
	ownMessages     map[string]bool // ids of messages of this editor, which shows them itself
	calls           map[string]bool // ids of calls that were sent
	params          map[string]json.RawMessage
	lastMessage     string // id of the message that was sent last; "" after another update
}

func newUpdater(update func(string, fields)) *updater {
	return &updater{
		update: update, ownMessages: map[string]bool{}, calls: map[string]bool{}, params: map[string]json.RawMessage{},
	}
}

// brokenOffNotice is sent between a text that became no message and the text that replaces it.
const brokenOffNotice = "\n\n(The text above was broken off.)\n\n"

// writeText sends a part of a message of the AI.
func (t *updater) writeText(id, text string, restarted bool) {
	if text == "" {
		return
	}
	switch {
	case restarted:
		text = brokenOffNotice + text
	case t.lastMessage != "" && t.lastMessage != id && t.text.LastComplete() == t.lastMessage:
		text = "\n\n" + text // editors append it to the same paragraph otherwise
	}
	t.lastMessage = id
	t.update("agent_message_chunk", fields{"messageId": id, "content": textBlock(text)})
}

func (t *updater) writeReasoning(id, text string) {
	if text != "" {
		t.update("agent_thought_chunk", fields{"messageId": id + "-thoughts", "content": textBlock(text)})
	}
}

// delta sends a streamed delta of an answer.
func (t *updater) delta(kind, id string, offset int, text string) {
	switch kind {
	case "text":
		more, restarted := t.text.Add(id, offset, text)
		t.writeText(id, more, restarted)
	case "thinking":
		more, _ := t.reasoning.Add(id, offset, text)
		t.writeReasoning(id, more)
	}
}

// message sends a stored message, once.
func (t *updater) message(m *api.Message) {
	if m.Seq == nil || *m.Seq <= t.lastSeq {
		return
	}
	t.lastSeq = *m.Seq
	switch {
	case m.Sender == "USER":
		t.lastMessage = ""
		if t.ownMessages[m.ID] {
			return
		}
		t.update("user_message_chunk", fields{"messageId": m.ID, "content": textBlock(userText(m))})
	case m.Sender == "AI":
		t.answer(m)
	case m.SystemMessage != nil:
		t.systemMessage(m.ID, m.SystemMessage)
	}
}

func userText(m *api.Message) string {
	if m.RichContent != nil {
		return m.RichContent.Words()
	}
	return api.Value(m.TextContent)
}

func (t *updater) answer(m *api.Message) {
	if t.text.Sent() == "" {
		more, _ := t.reasoning.Complete(m.ID, m.Reasoning(), m.Status == "interrupted")
		t.writeReasoning(m.ID, more)
	}
	t.reasoning.Reset()
	text := api.Value(m.TextContent)
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
	more, restarted := t.text.Complete(m.ID, text, m.Status == "interrupted")
	t.writeText(m.ID, more, restarted)
}

func joined(first, second string) string {
	if second == "" {
		return first
	}
	return first + "\n\n" + second
}

// systemMessage sends the results of commands, and errors.
func (t *updater) systemMessage(id string, s *api.SystemMessage) {
	switch s.Type {
	case api.SystemValidationCancelled, api.SystemCommunicationCancelled:
		return // stored before the wait, and true only without an approval
	case api.SystemLimitReached, api.SystemSessionTimeout:
		t.writeText(id, s.Summary, false)
		return
	}
	for _, r := range s.CommandResults {
		call := fields{"status": statusOf(r.Status)}
		if r.Summary != "" {
			call["title"] = r.Summary
		}
		if text := resultText(r.Text, r.Error); text != "" {
			call["content"] = textContent(text)
		}
		t.call(r.ExecutionID, r.Command, "", t.params[r.CallID], call)
	}
}

// maxResult limits the text of a result that is sent to the editor, in bytes.
const maxResult = 10_000

func resultText(text string, failed *api.CommandError) string {
	if text == "" && failed != nil {
		text = failed.Message
	}
	return shorten.Characters(text, maxResult)
}

// command sends a command as a tool call.
func (t *updater) command(x *api.Execution) {
	call := fields{"status": statusOf(x.Status)}
	if x.EndedAt != nil {
		if text := resultText(api.Value(x.Text), x.Error); text != "" {
			call["content"] = textContent(text)
		}
	}
	t.call(x.ID, x.Command, string(x.Kind), x.Params, call)
}

// call sends a new call, or an update of one.
func (t *updater) call(id, name, kind string, params json.RawMessage, f fields) {
	if id == "" {
		return
	}
	t.lastMessage = ""
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

// usage sends how much of the context window a call of the AI used.
func (t *updater) usage(r *api.Roundtrip, room int64) {
	u := r.Usage
	if room <= 0 || r.Purpose != "answer" {
		return
	}
	t.update("usage_update", fields{"used": u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens, "size": room})
}

// plan sends the steps of a plan that a person is asked about.
func (t *updater) plan(steps []string) {
	entries := []fields{}
	for _, step := range steps {
		entries = append(entries, fields{"content": step, "priority": "medium", "status": "pending"})
	}
	t.update("plan", fields{"entries": entries})
}
