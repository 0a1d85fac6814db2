package command

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// PrintEvent prints an event as one line of JSON, with its data unchanged.
func PrintEvent(cc *Context, e remote.Event) error {
	line := struct {
		ID    int64           `json:"id,omitempty"`
		Event string          `json:"event"`
		Data  json.RawMessage `json:"data"`
	}{e.ID, e.Name, e.Data}
	if !json.Valid(e.Data) {
		line.Data = json.RawMessage("null")
	}
	encoder := json.NewEncoder(cc.Out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return fmt.Errorf("print an event: %w", err)
	}
	return nil
}

// eventData has the fields that are shown of any event.
type eventData struct {
	SessionID string         `json:"session_id"`
	At        *api.Timestamp `json:"at"`
	From      string         `json:"from"`
	Phase     string         `json:"phase"`
	Event     string         `json:"event"`
	Text      string         `json:"text"`
	Level     string         `json:"level"`
	Noun      string         `json:"noun"`
	ID        string         `json:"id"`
	Operation string         `json:"operation"`
	Reason    string         `json:"reason"`
	Seq       int64          `json:"seq"`
	Session   *api.Session   `json:"session"`
	Holder    *api.Session   `json:"holder"`
	Message   *api.Message   `json:"message"`
	Execution *api.Execution `json:"execution"`
	Approval  *api.Approval  `json:"approval"`
	Roundtrip *api.Roundtrip `json:"roundtrip"`
	Data      []any          `json:"data"` // of queue.changed
}

// PrintEventLine prints an event as a line for people.
func PrintEventLine(cc *Context, e remote.Event) error {
	var d eventData
	var words string
	if err := json.Unmarshal(e.Data, &d); err != nil {
		words = string(e.Data) // of a newer server: printed unchanged
	} else {
		words = d.words(e.Name)
	}
	number := "-"
	if e.ID > 0 {
		number = fmt.Sprint(e.ID)
	}
	_, err := fmt.Fprintf(cc.Out, "%6s  %-18s  %s\n", number, e.Name, Printable(oneLineOf(words)))
	if err != nil {
		return fmt.Errorf("print an event: %w", err)
	}
	return nil
}

func (d *eventData) words(name string) string {
	session := d.SessionID
	switch {
	case d.Session != nil:
		session = d.Session.ID
	case d.Message != nil:
		session = d.Message.SessionID
	case d.Execution != nil:
		session = d.Execution.SessionID
	case d.Approval != nil:
		session = d.Approval.SessionID
	}
	return appendSpace(session, d.what(name))
}

func (d *eventData) what(name string) string {
	switch {
	case name == "session.phase":
		return fmt.Sprintf("%s -> %s (%s)", d.From, d.Phase, d.Event)
	case name == "slot.changed" && d.Holder == nil:
		return "free"
	case name == "slot.changed":
		return "held by " + d.Holder.ID
	case name == "queue.changed":
		return fmt.Sprintf("%d waiting", len(d.Data))
	case name == "snapshot":
		return fmt.Sprintf("the state at %d", d.Seq)
	case d.Message != nil:
		return messageWords(d.Message)
	case d.Execution != nil:
		return fmt.Sprintf("%s %s", d.Execution.Command, d.Execution.Status)
	case d.Approval != nil:
		return fmt.Sprintf("%s %s %s", d.Approval.ID, d.Approval.Kind, d.Approval.Status)
	case d.Roundtrip != nil:
		u := d.Roundtrip.Usage
		return fmt.Sprintf("call %d of %s: %s in, %d out", d.Roundtrip.Number, d.Roundtrip.Model,
			api.Many(u.InputTokens+u.CacheReadTokens+u.CacheWriteTokens, "token"), u.OutputTokens)
	case d.Session != nil:
		return fmt.Sprintf("%s %s %q", d.Session.Type, d.Session.Status, d.Session.Name)
	case d.Noun != "":
		return fmt.Sprintf("%s %s %s", d.Noun, d.ID, d.Operation)
	}
	return appendSpace(appendSpace(d.Level, d.Reason), d.Text)
}

func messageWords(m *api.Message) string {
	words := string(m.Sender)
	switch {
	case m.SystemMessage != nil:
		words += " " + string(m.SystemMessage.Type) + ": " + m.SystemMessage.Summary
	case m.AiMessage != nil:
		words += ": " + appendSpace(m.AiMessage.PreText, api.Value(m.TextContent))
	default:
		words += ": " + UserText(m)
	}
	if m.Status != "stored" {
		words += " [" + string(m.Status) + "]"
	}
	return words
}

func appendSpace(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

func oneLineOf(text string) string {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		if r == '\n' {
			r = ' '
		}
		out = append(out, r)
	}
	return shorten.Characters(string(out), 200)
}

// UserText is the text of a message of a person.
func UserText(m *api.Message) string {
	if m.RichContent != nil {
		return m.RichContent.Words()
	}
	return api.Value(m.TextContent)
}
