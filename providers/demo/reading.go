package demo

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// outcome is the outcome of a command, parsed from its result text.
type outcome string

const (
	succeeded outcome = "SUCCESS"
	failed    outcome = "FAILED"
	cancelled outcome = "CANCELLED"
	cached    outcome = "CACHED"
	pending   outcome = "PENDING"
	unknown   outcome = "UNKNOWN"
)

// step is a command of an earlier call with its result, or a question with its answer.
type step struct {
	name    string
	params  json.RawMessage
	outcome outcome
	text    string
}

// reading is what the conversation says: the person's request, and what was done for
// it so far.
type reading struct {
	request    string
	previous   string // the request before it
	steps      []step
	given      []step         // what the message brought along: its enrichments' results
	ended      []cutShort     // how the request before came to its end, where not by an answer
	files      []string       // what the message brought along: its files, described
	before     []*domain.Turn // all that was said before the request
	today      string         // the person's date, "2026-01-31"; "" where the prompt has none
	first      bool           // nothing was answered yet
	automation bool           // no person answers, and the work ends with COMPLETE
	agent      bool           // the request is another assistant's
	summary    bool           // a summary of the conversation is asked for
	json       bool
	offered    []string // nil: not known (JSON protocol)
}

const askUser, complete, askPrincipal = "ASK_USER", "COMPLETE", "ASK_PRINCIPAL"

// These stand in the rules for automations and for agents. In the JSON protocol, where no
// commands are offered, which distinguishes them from a chat.
const (
	alone      = "This session is an automation"
	forAnother = "You work for another assistant"
)

// now is the date at the end of a prompt; where a day begins later than midnight, the
// one that is still running follows it.
var (
	now      = regexp.MustCompile(`\bNow: \pL+ (\d{4}-\d{2}-\d{2})`)
	stillNow = regexp.MustCompile(`\btoday still is \pL+ (\d{4}-\d{2}-\d{2})`)
)

func dateIn(tail string) string {
	for _, re := range []*regexp.Regexp{stillNow, now} {
		if m := re.FindStringSubmatch(tail); m != nil {
			return m[1]
		}
	}
	return ""
}

func read(p *domain.Prompt) reading {
	r := reading{json: p.Protocol == domain.ProtocolJSON, first: true, today: dateIn(p.Tail)}
	for _, c := range p.Commands {
		r.offered = append(r.offered, c.Name)
	}
	r.agent = slices.Contains(r.offered, askPrincipal) || r.json && strings.Contains(p.System, forAnother)
	r.automation = r.agent || slices.Contains(r.offered, complete) || r.json && strings.Contains(p.System, alone)
	r.summary = len(r.offered) == 0 && !r.json
	at := -1
	for i, t := range slices.Backward(p.Turns) {
		if t.Role == domain.TurnAssistant {
			r.first = false
			continue
		}
		text := personsText(t)
		if text == "" || (i > 0 && r.json && asked(p.Turns[i-1]) && len(endings(t)) == 0) {
			continue
		}
		if at >= 0 {
			r.previous = text
			break
		}
		at, r.request = i, text
	}
	if at > 0 {
		r.first = false
	}
	if at >= 0 {
		r.before, r.ended, r.given = p.Turns[:at+1], endings(p.Turns[at]), given(p.Turns[at])
		r.files = filesIn(p.Turns[at])
	}
	for i := max(at, 0) + 1; i+1 < len(p.Turns); i++ {
		if p.Turns[i].Role == domain.TurnAssistant {
			r.steps = append(r.steps, stepsOf(p.Turns[i], p.Turns[i+1])...)
		}
	}
	return r
}

const (
	notice = "<fermata"
	// The server puts the request behind a summary under this line.
	verbatim = "word for word:\n"
)

// personsText is what the person says in a turn, without the server's words. What came
// before a request's end by the server is the request before.
func personsText(t *domain.Turn) string {
	var parts []string
	ended := false
	for i := range t.Blocks {
		b := &t.Blocks[i]
		switch {
		case b.Kind != domain.BlockText:
		case !strings.HasPrefix(b.Text, notice):
			if ended {
				parts, ended = nil, false
			}
			parts = append(parts, domain.OwnWords(b.Text))
		case noticeKind(b.Text) == "CONTEXT_SUMMARY":
			if _, kept, ok := strings.Cut(b.Text, verbatim); ok {
				kept, _, _ = strings.Cut(kept, "\n</fermata>")
				parts = append(parts, kept)
			}
		case endKinds[noticeKind(b.Text)]:
			ended = true
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// jsonAnswer is an answer of ours in the JSON protocol.
type jsonAnswer struct {
	PreText        string         `json:"pre_text"`
	DataCommands   []jsonCommand  `json:"data_commands,omitempty"`
	ActionCommands []jsonCommand  `json:"action_commands,omitempty"`
	Module         *domain.Module `json:"communication_module,omitempty"`
	KeepControl    bool           `json:"keep_control,omitempty"`
	Completed      bool           `json:"completed,omitempty"`
}

type jsonCommand struct {
	Type   string          `json:"type"`
	Params json.RawMessage `json:"params"`
}

func answerIn(t *domain.Turn) (a jsonAnswer) {
	for i := range t.Blocks {
		text := t.Blocks[i].Text
		if t.Blocks[i].Answer != nil {
			text = t.Blocks[i].Answer.Text
		}
		if json.Unmarshal([]byte(text), &a) == nil {
			return a
		}
	}
	return jsonAnswer{}
}

// asked says whether an answer in JSON was a question.
func asked(t *domain.Turn) bool { return answerIn(t).Module != nil }

// stepsOf pairs the commands of an answer with their results in the turn after it.
func stepsOf(answer, results *domain.Turn) []step {
	var out []step
	for i := range answer.Blocks {
		if answer.Blocks[i].Answer == nil {
			continue
		}
		for _, call := range answer.Blocks[i].Answer.Calls {
			for j := range results.Blocks {
				if b := &results.Blocks[j]; b.Kind == domain.BlockResult && b.CallID == call.ID {
					s := nativeStep(call.Name, b)
					s.params = json.RawMessage(call.Arguments)
					out = append(out, s)
				}
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	return jsonSteps(answer, results)
}

func nativeStep(name string, b *domain.Block) step {
	s := step{name: name, outcome: succeeded, text: b.Text}
	for prefix, o := range map[string]outcome{
		"Cancelled:": cancelled, "No result:": cancelled, "Not run again:": cached,
		"Started, and still": pending, "The outcome is unknown": unknown, "The person did not answer": cancelled,
	} {
		if strings.HasPrefix(b.Text, prefix) {
			s.outcome = o
		}
	}
	if b.IsError {
		s.outcome = failed
	}
	return s
}

// heading is the line over a result in the JSON protocol: "[ZONES: SUCCESS]".
var heading = regexp.MustCompile(`(?m)^\[([A-Z][A-Za-z0-9_.]*): ([A-Z]+)\]$`)

func jsonSteps(answer, results *domain.Turn) []step {
	if asked(answer) {
		if text := personsText(results); text != "" {
			return []step{{name: askUser, outcome: succeeded, text: text}}
		}
		return []step{{name: askUser, outcome: cancelled}}
	}
	var out []step
	for i := range results.Blocks {
		out = append(out, notedSteps(results.Blocks[i].Text)...)
	}
	a := answerIn(answer)
	for i, command := range slices.Concat(a.DataCommands, a.ActionCommands) {
		if i < len(out) && out[i].name == command.Type {
			out[i].params = command.Params
		}
	}
	return out
}
