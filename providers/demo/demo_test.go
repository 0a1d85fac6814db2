package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
)

var update = flag.Bool("update", false, "rewrite testdata")

// A transcript says what a person does ("> …" a message, "! …" a circumstance); what
// the demo does is below it and checked. Run with -update to rewrite, and read the diff.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, want)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(want) {
				t.Errorf("the transcript differs; got:\n%s", got)
			}
		})
	}
}

func newSession(t *testing.T, protocol domain.Protocol) *session {
	t.Helper()
	p, err := Kind().New(json.RawMessage(fmt.Sprintf(`{"word_delay_ms":0,"protocol":%q}`, protocol)), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{world: newWorld(), provider: p.(*provider), prompt: &ai.Prompt{Protocol: protocol,
		Tail: "<fermata type=\"NOW\">\nNow: Saturday 2026-11-21 11:29 (UTC, UTC+00:00).\n</fermata>"}}
	if protocol == domain.ProtocolNative {
		s.offer(append(slices.Clone(allCommands), domain.AskUser)...)
	}
	return s
}

var allCommands = []string{"APP_STATE", "ZONES", "TOOL_INSTANCES", "TOOL_CONFIG", "TOOL_DATA", "TOOL_STATS", "SCHEMA", "SEARCH", "CONTEXT",
	"CREATE_ZONE", "CREATE_TOOL", "CREATE_DATA", "CREATE_TOOL_TYPE", "UPDATE_ZONE", "UPDATE_TOOL", "UPDATE_DATA", "DELETE_DATA", "DELETE_ZONE",
	"CONTEXT_UPDATE", "CONTEXT_PUBLISH", "CREATE_AUTOMATION"}

func (s *session) offer(names ...string) {
	s.prompt.Commands = nil
	for _, n := range names {
		s.prompt.Commands = append(s.prompt.Commands, domain.CommandSpec{Name: n})
	}
}

func play(t *testing.T, transcript []byte) string {
	s := newSession(t, domain.ProtocolNative)
	lines := bufio.NewScanner(bytes.NewReader(transcript))
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "#"):
			s.log.WriteString(line + "\n")
		case strings.HasPrefix(line, "! "):
			s.log.WriteString("\n" + line + "\n")
			s.circumstance(t, strings.TrimPrefix(line, "! "))
		case strings.HasPrefix(line, "> "):
			s.log.WriteString("\n" + line + "\n")
			s.person(strings.TrimPrefix(line, "> "))
			s.round(t)
		}
	}
	return s.log.String()
}

func (s *session) circumstance(t *testing.T, what string) {
	verb, rest, _ := strings.Cut(what, " ")
	switch verb {
	case "json":
		log := s.log.String()
		*s = *newSession(t, domain.ProtocolJSON)
		s.log.WriteString(log)
	case "automation":
		if s.prompt.Protocol == domain.ProtocolJSON {
			s.prompt.System = "# You run by yourself\nThis session is an automation: nobody is watching now."
			break
		}
		s.offer(append(slices.Clone(allCommands), domain.Complete)...)
	case "end": // the request before was ended by the server, in these words
		kind, text, _ := strings.Cut(rest, " ")
		s.send(fmt.Sprintf("<fermata type=%q>\n%s\n</fermata>", kind, text))
	case "unanswered": // the person's last message got no answer
		s.send(rest)
	case "use": // the next message refers to this tool
		s.uses = rest
	case "some":
		s.world.some = rest
	case "agent": // what follows is a task for an agent that looks after the documents
		log, documents := s.log.String(), s.world.docs
		*s = *newSession(t, s.prompt.Protocol)
		s.world.docs = documents
		s.log.WriteString(log)
		if s.prompt.Protocol == domain.ProtocolJSON {
			s.prompt.System = "# You work for another assistant\nThe first message is a task."
			break
		}
		s.offer("CONTEXT", "CONTEXT_UPDATE", "CONTEXT_PUBLISH", "SEARCH", domain.Complete, domain.AskPrincipal)
	case "reports":
		s.world.report = strings.ReplaceAll(rest, "|", "\n")
	case "only":
		s.offer(strings.Fields(rest)...)
	case "answer":
		s.answers = append(s.answers, strings.ReplaceAll(rest, "|", "\n"))
	case "refuse-documents":
		s.world.refuseDocuments = true
	case "refuse":
		s.world.refuse = true
	case "fail":
		name, message, _ := strings.Cut(rest, " ")
		s.world.fail[name] = message
	default:
		t.Fatalf("unknown circumstance %q", what)
	}
}

// person says something; what it refers to comes along.
func (s *session) person(text string) {
	s.send(text)
	if s.uses == "" {
		return
	}
	tools := only(s.world.tools, "name", s.uses)
	if len(tools) == 0 {
		s.log.WriteString("(there is no tool " + s.uses + ")\n")
		return
	}
	id := tools[0]["id"]
	along := `<fermata type="DATA_ADDED">`
	for _, c := range []string{"TOOL_CONFIG", "TOOL_DATA", "TOOL_STATS"} {
		r := s.world.run(c, json.RawMessage(jsonOf(map[string]any{"tool_id": id, "limit": 100})))
		along += fmt.Sprintf("\n[%s: SUCCESS]\n%s\n", c, r.Text)
	}
	s.send(along + "</fermata>")
	s.uses = ""
}

func (s *session) send(text string) {
	turn := &ai.Turn{Role: ai.TurnUser}
	if n := len(s.prompt.Turns); n > 0 && s.prompt.Turns[n-1].Role == ai.TurnUser {
		turn = s.prompt.Turns[n-1]
		s.prompt.Turns = s.prompt.Turns[:n-1]
	}
	turn.Blocks = append(turn.Blocks, ai.Block{Kind: ai.BlockText, Text: text})
	s.prompt.Turns = append(s.prompt.Turns, turn)
}

// round calls the demo until it rests, as the server does.
func (s *session) round(t *testing.T) {
	t.Helper()
	for range 20 {
		var streamed strings.Builder
		answer, err := s.provider.Query(context.Background(), &providers.Request{Prompt: s.prompt, NewID: s.world.newID,
			OnDelta: func(d providers.Delta) {
				if d.Kind == providers.DeltaText {
					streamed.WriteString(d.Text)
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		raw := answer.Raw
		if streamed.String() != raw.Text {
			t.Errorf("streamed %q, answered %q", streamed.String(), raw.Text)
		}
		s.log.WriteString(strings.TrimSpace(raw.Text) + "\n")
		s.prompt.Turns = append(s.prompt.Turns, &ai.Turn{Role: ai.TurnAssistant,
			Blocks: []ai.Block{{Kind: ai.BlockAnswer, Answer: raw}}})
		var results *ai.Turn
		if s.prompt.Protocol == domain.ProtocolJSON {
			results = s.obeyJSON(t, raw)
		} else {
			results = s.obey(raw)
		}
		if results == nil {
			return
		}
		s.prompt.Turns = append(s.prompt.Turns, results)
		if s.ended(raw) {
			return
		}
	}
	t.Fatal("the demo does not end")
}

func (s *session) ended(raw *domain.RawAnswer) bool {
	return len(raw.Calls) > 0 && (raw.Calls[0].Name == domain.Complete || raw.Calls[0].Name == domain.AskPrincipal)
}

func (s *session) obey(raw *domain.RawAnswer) *ai.Turn {
	if len(raw.Calls) == 0 {
		return nil
	}
	turn := &ai.Turn{Role: ai.TurnUser}
	for i := range raw.Calls {
		call := &raw.Calls[i]
		fmt.Fprintf(&s.log, "    %s %s\n", call.Name, call.Arguments)
		block := ai.Block{Kind: ai.BlockResult, CallID: call.ID, Call: call}
		switch call.Name {
		case domain.AskUser:
			block.Text = s.personAnswers()
		case domain.Complete, domain.AskPrincipal:
			block.Text = "Noted."
		default:
			r := s.world.run(call.Name, json.RawMessage(call.Arguments))
			block.Text, block.IsError = said(r), r.Status == domain.ExecFailed
		}
		fmt.Fprintf(&s.log, "      = %s\n", strings.ReplaceAll(block.Text, "\n", " "))
		turn.Blocks = append(turn.Blocks, block)
	}
	return turn
}

func (s *session) personAnswers() string {
	if len(s.answers) == 0 {
		return "The person did not answer this question."
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer
}

func (s *session) obeyJSON(t *testing.T, raw *domain.RawAnswer) *ai.Turn {
	var a jsonAnswer
	if err := json.Unmarshal([]byte(raw.Text), &a); err != nil {
		t.Fatalf("the answer is no JSON: %v", err)
	}
	if a.Module != nil {
		return &ai.Turn{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: s.personAnswers()}}}
	}
	commands := slices.Concat(a.DataCommands, a.ActionCommands)
	if len(commands) == 0 {
		return nil
	}
	text := `<fermata type="DATA_ADDED">`
	for _, c := range commands {
		r := s.world.run(c.Type, c.Params)
		text += fmt.Sprintf("\n[%s: %s]\n%s", c.Type, r.Status, said(r))
	}
	text += "\n</fermata>"
	s.log.WriteString(text + "\n")
	return &ai.Turn{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: text}}}
}

// Words come with their delays, and a cut ends the wait at once.
func TestStreamingTakesItsTimeAndCanBeCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := Kind().New(json.RawMessage(`{"word_delay_ms":100}`), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		prompt := &ai.Prompt{Turns: []*ai.Turn{{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: "help"}}}},
			Commands: []domain.CommandSpec{{Name: domain.AskUser}}}
		n := 0
		start := time.Now()
		request := &providers.Request{Prompt: prompt, NewID: repeatable.IDs(), OnDelta: func(providers.Delta) { n++ }}
		if _, err := p.Query(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); n < 50 || took != time.Duration(n)*100*time.Millisecond {
			t.Errorf("%d words took %s", n, took)
		}
		stopped := errors.New("the person stopped it")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(250*time.Millisecond, func() { cancel(stopped) })
		start = time.Now()
		_, err = p.Query(ctx, request)
		if !errors.Is(err, stopped) || time.Since(start) != 250*time.Millisecond {
			t.Errorf("cut after %s with %v", time.Since(start), err)
		}
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != providers.ClassCancelled {
			t.Errorf("not classified as cancelled: %v", err)
		}
	})
}

// The examples of the help are understood, in both languages.
func TestHelpExamplesAreUnderstood(t *testing.T) {
	for _, help := range []string{helpEN, helpFR} {
		for line := range strings.SplitSeq(help, "\n") {
			examples, ok := strings.CutPrefix(line, "- ")
			if !ok {
				continue
			}
			for example := range strings.SplitSeq(examples, " · ") {
				example, _, _ = strings.Cut(example, " (")
				p, _ := find(clean(example))
				if p == nil && !isAgain(example) {
					t.Errorf("the help promises %q, but it is not understood", example)
				} else if p != nil && p.fr != (help == helpFR) {
					t.Errorf("%q is taken for the wrong language", example)
				}
			}
		}
	}
}

func TestSummaryOfAConversationIsText(t *testing.T) {
	p, err := Kind().New(json.RawMessage(`{}`), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	prompt := &ai.Prompt{Turns: []*ai.Turn{{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: "track my weight"}}}}}
	answer, err := p.Query(t.Context(), &providers.Request{Prompt: prompt, NewID: repeatable.IDs()})
	if err != nil || len(answer.Raw.Calls) > 0 || !strings.Contains(answer.Raw.Text, "track my weight") {
		t.Errorf("got %+v, %v", answer, err)
	}
}

// TestInstructionsAreNoRequest: what a chat client wants of every answer is nothing that the
// person says.
func TestInstructionsAreNoRequest(t *testing.T) {
	text := ai.ClientInstructions("You are brief.\n\ncreate a zone Nothing") + "hello"
	prompt := &ai.Prompt{Commands: []domain.CommandSpec{{Name: "ZONES"}}, Turns: []*ai.Turn{{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: text}}}}}
	c := newPlanner(prompt)
	c.answer()
	if raw := c.raw(repeatable.IDs()); !strings.Contains(raw.Text, "Hello!") || strings.Contains(raw.Text, "understand “") || len(raw.Calls) > 0 {
		t.Errorf("it says %q, and calls %v", raw.Text, raw.Calls)
	}
}

func FuzzReadsAnything(f *testing.F) {
	f.Add("note 72,5 pour le poids", `{"zones":[{"id":"zon_1","name":"A"}]}`)
	f.Add("note 007 for [data of “A” in “B”] yesterday; add to A: b = 01, c", `{"schema":{"properties":{"b":{"type":"number"}}},"tool_type":"a"}`)
	f.Add("delete the zone X; then what do i have", "[ZONES: SUCCESS]\n{")
	f.Fuzz(func(t *testing.T, request, result string) {
		call := domain.RawCall{ID: "call_1", Name: "TOOL_INSTANCES", Arguments: "{}"}
		prompt := &ai.Prompt{Commands: []domain.CommandSpec{{Name: "TOOL_INSTANCES"}, {Name: "ZONES"}}, Turns: []*ai.Turn{
			{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: request}}},
			{Role: ai.TurnAssistant, Blocks: []ai.Block{{Kind: ai.BlockAnswer, Answer: &domain.RawAnswer{Calls: []domain.RawCall{call}}}}},
			{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockResult, CallID: "call_1", Call: &call, Text: result}}},
		}}
		for _, protocol := range []domain.Protocol{domain.ProtocolNative, domain.ProtocolJSON} {
			prompt.Protocol = protocol
			c := newPlanner(prompt)
			c.answer()
			if raw := c.raw(repeatable.IDs()); raw.Text == "" && len(raw.Calls) == 0 {
				t.Errorf("an empty answer to %q", request)
			}
		}
	})
}
