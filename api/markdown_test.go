package api_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
)

// TestASessionOnPaper: what a person reads of a session, in both languages.
func TestASessionOnPaper(t *testing.T) {
	all := messages()
	asked := &domain.Message{Timestamp: noon, Sender: domain.SenderUser, Status: domain.MessageStored, SenderID: "key_1",
		Rich: &domain.RichContent{LinearText: "# not a title\n<script>alert(1)</script>\nuse:\n```go\nvar a []<-chan int\n```\nx < y and <b>bold</b>\n```\nnever closed"}}
	failed := &domain.Message{Timestamp: noon, Sender: domain.SenderSystem, Status: domain.MessageStored, System: &domain.SystemMessage{
		Type: domain.SystemActionsExecuted, Summary: "1 of 2 done", CommandResults: []domain.CommandResult{
			{Command: "CREATE_ZONE", Status: domain.ExecSuccess, Summary: "Made the zone “A & <B>”", Text: "has ``` and ```` in it"},
			{Command: "DELETE_ZONE", Status: domain.ExecCancelled},
			{Command: "SEARCH", Status: domain.ExecSuccess, Text: strings.Repeat("long ", 1000)},
		}}}
	looked := &domain.Message{Timestamp: noon, Sender: domain.SenderAI, Status: domain.MessageStored, AI: &domain.AIMessage{PreText: "A square."},
		Raw: &domain.RawAnswer{PromptFiles: []domain.PromptFile{{ID: "fil_1", Name: "*square*.png", As: domain.FileAsPicture, Tokens: 89},
			{ID: "fil_2", Name: "old.png", As: domain.FileAsReference, Why: domain.FileShownBefore, Tokens: 60}}}}
	unreadable := &domain.Message{Timestamp: noon, Sender: domain.SenderAI, Status: domain.MessageStored, AI: &domain.AIMessage{PreText: domain.InvalidFormatText}}
	open := approval()
	open.SettledAt, open.SettledBy, open.Decision, open.Module = nil, "", nil, &domain.Module{Type: "Text", Data: json.RawMessage(`{"question":"?"}`)}
	for _, language := range []string{"en", "fr"} {
		settings := domain.DefaultSettings()
		settings.Language, settings.TimeZone = language, "Europe/Paris"
		m := api.NewMarkdown(&settings)
		var out strings.Builder
		out.WriteString(m.Head(fullSession(), noon))
		for _, x := range []*domain.Message{all["user"], asked, all["ai"], all["system"], failed, looked, unreadable, all["queued"]} {
			out.WriteString(m.Message(x))
		}
		out.WriteString(m.Approval(approval()))
		out.WriteString(m.Approval(open))
		bare := bareSession()
		out.WriteString(m.Head(bare, noon))
		bare.Origin = &domain.ForkOrigin{SessionID: "ses_0", MessageID: "msg_0"}
		out.WriteString(m.Head(bare, noon))
		golden.Check(t, "testdata/session-"+language+".md", out.String())
	}
}

// TestQuotationsCannotBeEscaped verifies that every line of quoted text, whatever it contains, stays inside the
// quotation, that no tag begins outside code, and that a fence is longer than those within.
func TestQuotationsCannotBeEscaped(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	settings := domain.DefaultSettings()
	m := api.NewMarkdown(&settings)
	pieces := []string{"```", "````", "~~~", "\n", "\r\n", "\r", "<b>", "</details>", "<!--", "word", " ", "    ", "# ", "> ", "- ", "`", "é", "&lt;", "|"}
	for range 2000 {
		var b strings.Builder
		for range random.IntN(20) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		said := m.Message(&domain.Message{Timestamp: noon, Sender: domain.SenderUser, Status: domain.MessageStored, Rich: &domain.RichContent{LinearText: text}})
		for i, line := range strings.Split(strings.TrimSuffix(said, "\n"), "\n") {
			if i > 1 && !strings.HasPrefix(line, "> ") && line != "" || strings.Contains(line, "\r") {
				t.Fatalf("%q gave the line %q", text, line)
			}
		}
		if !strings.ContainsAny(text, "`~") && strings.Contains(said, "<") {
			t.Fatalf("%q gave a tag: %s", text, said)
		}
		given := m.Message(&domain.Message{Timestamp: noon, Sender: domain.SenderSystem, System: &domain.SystemMessage{CommandResults: []domain.CommandResult{{Command: "X", Text: "x" + text + "x"}}}})
		_, block, found := strings.Cut(given, "</summary>\n\n")
		fence, rest, _ := strings.Cut(block, "\n")
		if !found || len(fence) < 3 || strings.Trim(fence, "`") != "" {
			t.Fatalf("%q has no fence: %s", text, given)
		}
		if inner, tail, _ := strings.Cut(rest, fence); strings.Contains(inner, fence) || tail != "\n\n</details>\n" {
			t.Fatalf("%q breaks out of its fence: %s", text, given)
		}
	}
}

// TestPaperHoldsNoControls verifies that a file read in a terminal cannot control it any more than the server's own
// pages can.
func TestPaperHoldsNoControls(t *testing.T) {
	const hostile = "a\x1b[31mred\x1b]0;title\x07 \u202ebackwards"
	m := api.NewMarkdown(&domain.Settings{Language: "en", TimeZone: "UTC"})
	paper := m.Head(&domain.Session{Name: hostile}, time.Time{}) +
		m.Message(&domain.Message{Sender: domain.SenderUser, SenderID: hostile, Rich: &domain.RichContent{LinearText: hostile}, Text: hostile}) +
		m.Message(&domain.Message{Sender: domain.SenderAI, AI: &domain.AIMessage{PreText: hostile, PostText: hostile,
			DataCommands: []domain.Command{{Type: hostile, Params: []byte(`"` + hostile + `"`)}}, Module: &domain.Module{Type: hostile, Data: []byte(hostile)}}}) +
		m.Message(&domain.Message{Sender: domain.SenderSystem, System: &domain.SystemMessage{Summary: hostile, CommandResults: []domain.CommandResult{{Command: hostile, Text: hostile, Summary: hostile}}}}) +
		m.Approval(&domain.Approval{Text: hostile, Reasons: []domain.ApprovalReason{{Text: hostile}}, Actions: []domain.ApprovalAction{{Text: hostile}}, Module: &domain.Module{Type: hostile},
			SettledBy: hostile, SettledAt: &time.Time{}, Decision: []byte(hostile)})
	if strings.ContainsAny(paper, "\x1b\x07\u202e") || strings.Count(paper, "backwards") < 12 {
		t.Errorf("on paper stands %q", paper)
	}
}
