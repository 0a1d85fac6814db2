package demo

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// outcome is what became of a command, as its result's text tells.
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
	outcome outcome
	text    string
}

// reading is what the conversation says: the person's request, and what was done for
// it so far.
type reading struct {
	request    string
	previous   string // the request before it
	steps      []step
	first      bool // nothing was answered yet
	automation bool
	summary    bool // a summary of the conversation is asked for
	json       bool
	offered    []string // nil: not known (JSON protocol)
}

const askUser, complete = "ASK_USER", "COMPLETE"

func read(p *domain.Prompt) reading {
	r := reading{json: p.Protocol == domain.ProtocolJSON, first: true}
	for _, c := range p.Commands {
		r.offered = append(r.offered, c.Name)
	}
	r.automation = slices.Contains(r.offered, complete)
	r.summary = len(r.offered) == 0 && !r.json
	at := -1
	for i, t := range slices.Backward(p.Turns) {
		if t.Role == domain.TurnAssistant {
			r.first = false
			continue
		}
		text := personsText(t)
		if text == "" || (i > 0 && r.json && asked(p.Turns[i-1])) {
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

// personsText is what the person says in a turn, without the server's words.
func personsText(t *domain.Turn) string {
	var parts []string
	for i := range t.Blocks {
		b := &t.Blocks[i]
		switch {
		case b.Kind != domain.BlockText:
		case !strings.HasPrefix(b.Text, notice):
			parts = append(parts, b.Text)
		case strings.Contains(b.Text[:min(len(b.Text), 60)], "CONTEXT_SUMMARY"):
			if _, kept, ok := strings.Cut(b.Text, verbatim); ok {
				kept, _, _ = strings.Cut(kept, "\n</fermata>")
				parts = append(parts, kept)
			}
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
					out = append(out, nativeStep(call.Name, b))
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
var heading = regexp.MustCompile(`(?m)^\[([A-Z][A-Za-z0-9_]*): ([A-Z]+)\]$`)

func jsonSteps(answer, results *domain.Turn) []step {
	if asked(answer) {
		if text := personsText(results); text != "" {
			return []step{{name: askUser, outcome: succeeded, text: text}}
		}
		return []step{{name: askUser, outcome: cancelled}}
	}
	var out []step
	for i := range results.Blocks {
		text := results.Blocks[i].Text
		if !strings.HasPrefix(text, notice) {
			continue
		}
		marks := heading.FindAllStringSubmatchIndex(text, -1)
		for n, m := range marks {
			end := len(text)
			if n+1 < len(marks) {
				end = marks[n+1][0]
			}
			body := strings.TrimSuffix(strings.TrimSpace(text[m[1]:end]), "</fermata>")
			out = append(out, step{name: text[m[2]:m[3]], outcome: outcome(text[m[4]:m[5]]), text: strings.TrimSpace(body)})
		}
	}
	return out
}
