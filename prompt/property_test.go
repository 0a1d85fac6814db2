package prompt

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// anyMessage draws a message that a session could hold, and some that it should not:
// results out of order, twice, without a call; answers in a row; empty texts.
func anyMessage(t *rapid.T, n int) *domain.Message {
	m := &domain.Message{ID: fmt.Sprintf("msg_%d", n), Seq: int64(n + 1), Status: domain.MessageStored}
	m.ExcludeFromPrompt = rapid.IntRange(0, 19).Draw(t, "excluded") == 0
	call := rapid.SampledFrom([]string{"", "c0", "c1", "c2", "c3"})
	text := rapid.SampledFrom([]string{"", " ", "Hello.", "Two\n\nlines", "<fermata type=\"X\">"})
	switch rapid.IntRange(0, 2).Draw(t, "sender") {
	case 0:
		m.Sender, m.Text, m.AnswersCall = domain.SenderUser, text.Draw(t, "text"), call.Draw(t, "answers")
		if rapid.Bool().Draw(t, "queued") {
			m.Status = rapid.SampledFrom([]domain.MessageStatus{domain.MessageStored, domain.MessageQueued}).Draw(t, "status")
		}
	case 1:
		m.Sender = domain.SenderAI
		m.Raw = &domain.RawAnswer{Text: text.Draw(t, "text"), Protocol: rapid.SampledFrom([]domain.Protocol{domain.ProtocolNative, domain.ProtocolJSON}).Draw(t, "protocol")}
		for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
			m.Raw.Calls = append(m.Raw.Calls, domain.RawCall{
				ID: fmt.Sprintf("c%d", i), Name: rapid.SampledFrom([]string{"ZONES", "ASK_USER", "COMPLETE", "é !", ""}).Draw(t, "name"),
				Arguments: rapid.SampledFrom([]string{"", "{}", `{"a":1}`, `{"a":`, "[]"}).Draw(t, "arguments")})
		}
		if rapid.Bool().Draw(t, "parsed") {
			m.AI = &domain.AIMessage{PreText: m.Raw.Text, DataCommands: []domain.Command{{Type: "ZONES", Params: json.RawMessage("{}")}}}
		}
		if rapid.IntRange(0, 9).Draw(t, "interrupted") == 0 {
			m.Status = domain.MessageInterrupted
		}
		if m.AI != nil && rapid.Bool().Draw(t, "unread") {
			m.AI.Unread = unreadBefore(n)
		}
	case 2:
		m.Sender = domain.SenderSystem
		m.System = &domain.SystemMessage{Summary: text.Draw(t, "summary"), FormattedData: text.Draw(t, "data"), Type: rapid.SampledFrom([]domain.SystemType{
			domain.SystemDataAdded, domain.SystemDataAdded, domain.SystemActionsExecuted, domain.SystemActionsExecuted, domain.SystemLimitReached,
			domain.SystemFormatError, domain.SystemValidationCancelled, domain.SystemCommunicationCancelled, domain.SystemExternalResult,
			domain.SystemContextSummary, domain.SystemGuidance, domain.SystemNetworkError, domain.SystemSessionTimeout}).Draw(t, "type")}
		if m.System.Type == domain.SystemContextSummary {
			m.System.Unread = unreadBefore(n)
		}
		for range rapid.IntRange(0, 3).Draw(t, "results") {
			m.System.CommandResults = append(m.System.CommandResults, domain.CommandResult{
				From:   rapid.SampledFrom([]*domain.Provenance{nil, nil, domain.From(domain.OriginHTTP, "WEB.READ")}).Draw(t, "from"),
				CallID: call.Draw(t, "call"), Command: "ZONES", Text: text.Draw(t, "text"),
				Status: rapid.SampledFrom([]domain.ExecutionStatus{domain.ExecSuccess, domain.ExecFailed, domain.ExecCancelled, domain.ExecCached, domain.ExecPending, domain.ExecUnknown}).Draw(t, "status")})
		}
	}
	return m
}

// unreadBefore names the messages before the n-th that may have come while it was made.
func unreadBefore(n int) []string {
	return []string{fmt.Sprintf("msg_%d", n-1), fmt.Sprintf("msg_%d", n-2), "msg_of_another_session"}
}

// Whatever happens in a session, its turns are valid; they are the same when rebuilt;
// and what was handed out is never changed.
func TestAnyConversationIsValidAndRebuildsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		protocol := rapid.SampledFrom([]domain.Protocol{domain.ProtocolNative, domain.ProtocolJSON}).Draw(t, "protocol")
		grown := NewHistory(protocol, testMark)
		var kept []*domain.Message
		type handedOut struct {
			turns []*ai.Turn
			text  string
		}
		var out []handedOut
		for n := range rapid.IntRange(0, 25).Draw(t, "messages") {
			if len(kept) > 0 && rapid.IntRange(0, 5).Draw(t, "remove") == 0 {
				last := kept[len(kept)-1]
				kept = kept[:len(kept)-1]
				if !grown.Remove(last.ID) {
					grown = rebuilt(protocol, kept)
				}
			}
			m := anyMessage(t, n)
			kept = append(kept, m)
			grown.Append(m)
			if rapid.Bool().Draw(t, "call") {
				turns := grown.Turns()
				if problem := invalid(turns); problem != "" {
					t.Fatalf("%s:\n%s", problem, written(turns))
				}
				out = append(out, handedOut{turns, written(turns)})
			}
		}
		afresh := rebuilt(protocol, kept)
		if got, want := written(grown.Turns()), written(afresh.Turns()); got != want {
			t.Fatalf("grown:\n%s\nrebuilt:\n%s", got, want)
		}
		if grown.Tokens() != afresh.Tokens() {
			t.Fatalf("tokens: grown %d, rebuilt %d", grown.Tokens(), afresh.Tokens())
		}
		for i := range out {
			if written(out[i].turns) != out[i].text {
				t.Fatalf("what was handed out has changed:\n%s\nnow:\n%s", out[i].text, written(out[i].turns))
			}
		}
	})
}

// However a conversation is cut to fit, it stays valid for its API; what was handed out
// before is not changed; and it fits, unless the last turn alone does not.
func TestAnyCutLeavesAValidConversation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		protocol := rapid.SampledFrom([]domain.Protocol{domain.ProtocolNative, domain.ProtocolJSON}).Draw(t, "protocol")
		history := NewHistory(protocol, testMark)
		for n := range rapid.IntRange(0, 40).Draw(t, "messages") {
			m := anyMessage(t, n)
			if m.System != nil { // results long enough to be cut
				for i := range m.System.CommandResults {
					m.System.CommandResults[i].Text = strings.Repeat("é1 ", rapid.IntRange(0, 2000).Draw(t, "long"))
				}
			}
			history.Append(m)
		}
		turns := history.Turns()
		before := written(turns)
		room := rapid.IntRange(1, max(2, history.Tokens()+10)).Draw(t, "room")
		fitted, size := Fit(turns, history.Tokens(), room)
		if problem := invalid(fitted); problem != "" {
			t.Fatalf("%s:\n%s\nbefore:\n%s", problem, written(fitted), before)
		}
		if written(turns) != before {
			t.Fatal("the turns that were given are changed")
		}
		if got := EstimateTurns(fitted); got != size && history.Tokens() > room {
			t.Fatalf("the size is %d, said is %d", got, size)
		}
		if size > room && len(fitted) > 1 {
			t.Fatalf("%d tokens in a room of %d, though older turns could go:\n%s", size, room, written(fitted))
		}
	})
}

func rebuilt(protocol domain.Protocol, messages []*domain.Message) *History {
	t := NewHistory(protocol, testMark)
	for _, m := range messages {
		t.Append(m)
	}
	return t
}

// The next call must cost what is new, however long the conversation is.
func BenchmarkNextCall(b *testing.B) {
	for _, length := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			s := &story{}
			for range length / 3 {
				s.user("How many?").ai("", "c1", "ZONES", "{}").system(domain.SystemDataAdded, "", result("c1", "ZONES", domain.ExecSuccess, "2 zones"))
			}
			th := s.history(domain.ProtocolNative)
			next := (&story{}).ai("", "c1", "ZONES", "{}").system(domain.SystemDataAdded, "", result("c1", "ZONES", domain.ExecSuccess, "2 zones"))
			th.Turns()
			b.ReportAllocs()
			for b.Loop() {
				for _, m := range next.messages {
					th.Append(m)
				}
				if turns := th.Turns(); len(turns) < 3 || th.Tokens() == 0 {
					b.Fatal("no turns")
				}
			}
		})
	}
}
