package demo

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// step is a command of an earlier call with its result, or a question with its answer.
type step struct {
	name    string
	params  json.RawMessage
	outcome domain.ExecutionStatus
	text    string
}

// notice is a text of the server between its tags, such as DATA_ADDED or LIMIT_REACHED.
type notice struct{ kind, text string }

// reading is what the conversation says: the person's request, and what was done for
// it so far.
type reading struct {
	request    string
	previous   string // the request before it
	steps      []step
	given      []step     // what the message brought along: its enrichments' results
	ended      []notice   // how the request before came to its end, where not by an answer
	files      []string   // what the message brought along: its files, described
	before     []*ai.Turn // all that was said before the request
	today      string     // the person's date, "2026-01-31"; "" where the prompt has none
	first      bool       // nothing was answered yet
	automation bool       // no person answers, and the work ends with COMPLETE
	agent      bool       // the request is another assistant's
	summary    bool       // a summary of the conversation is asked for
	json       bool
	offered    []string // nil: not known (JSON protocol)
}

const (
	// These stand in the rules for automations and for agents. In the JSON protocol, where no
	// commands are offered, which distinguishes them from a chat.
	alone      = "This session is an automation"
	forAnother = "You work for another assistant"

	limitReached = "LIMIT_REACHED"
	notApproved  = "VALIDATION_CANCELLED"
	notAnswered  = "COMMUNICATION_CANCELLED"
)

var endKinds = []string{limitReached, notApproved, notAnswered}

var (
	// now is the date at the end of a prompt; where a day begins later than midnight, the
	// one that is still running follows it.
	now      = regexp.MustCompile(`\bNow: \pL+ (\d{4}-\d{2}-\d{2})`)
	stillNow = regexp.MustCompile(`\btoday still is \pL+ (\d{4}-\d{2}-\d{2})`)
	aNotice  = regexp.MustCompile(`^<fermata type="([^"]*)"`)
	// aFile matches a file in a prompt: its source and description.
	aFile = regexp.MustCompile(`^<fermata type="OUTSIDE" mark="[0-9a-f]+" source="file: ([^"]*)">\s+\[File \S+, (a picture of [^\]]*|a text of [^\]]*)\.\]`)
	// heading is the line over a result in the JSON protocol: "[ZONES: SUCCESS]".
	heading = regexp.MustCompile(`(?m)^\[([A-Z][A-Za-z0-9_.]*): ([A-Z]+)\]$`)
	// verbatim is the request that the server puts behind a summary.
	verbatim = regexp.MustCompile(`word for word:\n((?s:.*))`)
)

// inside is what a pattern's first group matches, "" where the pattern does not.
func inside(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

func read(p *ai.Prompt) reading {
	r := reading{json: p.Protocol == domain.ProtocolJSON, first: true, today: cmp.Or(inside(stillNow, p.Tail), inside(now, p.Tail))}
	for _, c := range p.Commands {
		r.offered = append(r.offered, c.Name)
	}
	r.agent = slices.Contains(r.offered, domain.AskPrincipal) || r.json && strings.Contains(p.System, forAnother)
	r.automation = r.agent || slices.Contains(r.offered, domain.Complete) || r.json && strings.Contains(p.System, alone)
	r.summary = len(r.offered) == 0 && !r.json
	at := -1
	for i, t := range slices.Backward(p.Turns) {
		if t.Role == ai.TurnAssistant {
			r.first = false
			continue
		}
		text := personsText(t)
		if text == "" || (i > 0 && r.json && answerIn(p.Turns[i-1]).Module != nil && len(endings(t)) == 0) {
			continue
		}
		if at >= 0 {
			r.previous = text
			break
		}
		at, r.request = i, text
	}
	if at >= 0 {
		r.first = r.first && at == 0
		r.before, r.ended = p.Turns[:at+1], endings(p.Turns[at])
		r.given, r.files = attached(p.Turns[at])
	}
	for i := max(at, 0) + 1; i+1 < len(p.Turns); i++ {
		if p.Turns[i].Role == ai.TurnAssistant {
			r.steps = append(r.steps, stepsOf(p.Turns[i], p.Turns[i+1])...)
		}
	}
	return r
}

// noticeIn is the server's text in a block; its kind is "" for a person's text.
func noticeIn(b *ai.Block) notice {
	head, text, _ := strings.Cut(b.Text, "\n")
	if kind := inside(aNotice, head); kind != "" {
		return notice{kind, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "</fermata>"))}
	}
	return notice{}
}

// isPersons: the block is a text without the server's tags.
func isPersons(b *ai.Block) bool {
	return b.Kind == ai.BlockText && !strings.HasPrefix(b.Text, "<fermata")
}

// personsText is what the person says in a turn, without the server's words. What came
// before a request's end by the server is the request before.
func personsText(t *ai.Turn) string {
	var parts []string
	ended := false
	for i := range t.Blocks {
		b := &t.Blocks[i]
		n := noticeIn(b)
		switch {
		case isPersons(b) && ended:
			parts, ended = []string{ai.OwnWords(b.Text)}, false
		case isPersons(b):
			parts = append(parts, ai.OwnWords(b.Text))
		case b.Kind == ai.BlockText && n.kind == "CONTEXT_SUMMARY":
			if kept := inside(verbatim, n.text); kept != "" {
				parts = append(parts, kept)
			}
		case b.Kind == ai.BlockText:
			ended = ended || slices.Contains(endKinds, n.kind)
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// lastWords is where the person's last words stand in a turn; 0 if nowhere.
func lastWords(t *ai.Turn) int {
	for i := len(t.Blocks) - 1; i > 0; i-- {
		if isPersons(&t.Blocks[i]) {
			return i
		}
	}
	return 0
}

// endings are those in a turn before the last words of the person in it.
func endings(t *ai.Turn) (all []notice) {
	for i := range lastWords(t) {
		if n := noticeIn(&t.Blocks[i]); slices.Contains(endKinds, n.kind) {
			all = append(all, n)
		}
	}
	return all
}

// attached are the results that a message brought along, which stand behind its words, and its files.
func attached(t *ai.Turn) (results []step, files []string) {
	last := lastWords(t)
	for i := range t.Blocks {
		b := &t.Blocks[i]
		if n := noticeIn(b); i > last && n.kind == "DATA_ADDED" {
			results = append(results, notedSteps(n)...)
		}
		if m := aFile.FindStringSubmatch(b.Text); m != nil && (b.Kind == ai.BlockText || b.Kind == ai.BlockPicture) {
			files = append(files, "“"+m[1]+"”: "+m[2])
		}
	}
	return results, files
}

// notedSteps are the results in a notice, each under its heading.
func notedSteps(n notice) (out []step) {
	marks := heading.FindAllStringSubmatchIndex(n.text, -1)
	for i, m := range marks {
		end := len(n.text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		status := domain.ExecutionStatus(n.text[m[4]:m[5]])
		out = append(out, step{name: n.text[m[2]:m[3]], outcome: status, text: strings.TrimSpace(n.text[m[1]:end])})
	}
	return out
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

func answerIn(t *ai.Turn) (a jsonAnswer) {
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

// stepsOf pairs the commands of an answer with their results in the turn after it.
func stepsOf(answer, results *ai.Turn) (out []step) {
	for i := range answer.Blocks {
		if answer.Blocks[i].Answer == nil {
			continue
		}
		for _, call := range answer.Blocks[i].Answer.Calls {
			for j := range results.Blocks {
				if b := &results.Blocks[j]; b.Kind == ai.BlockResult && b.CallID == call.ID {
					out = append(out, step{call.Name, json.RawMessage(call.Arguments), outcomeOf(b), b.Text})
				}
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	return jsonSteps(answer, results)
}

// outcomeOf reads the outcome of a native call from the first words of its result.
func outcomeOf(b *ai.Block) domain.ExecutionStatus {
	if b.IsError {
		return domain.ExecFailed
	}
	for prefix, status := range map[string]domain.ExecutionStatus{
		"Cancelled:": domain.ExecCancelled, "No result:": domain.ExecCancelled, "The person did not answer": domain.ExecCancelled,
		"Not run again:": domain.ExecCached, "Started, and still": domain.ExecPending, "The outcome is unknown": domain.ExecUnknown,
	} {
		if strings.HasPrefix(b.Text, prefix) {
			return status
		}
	}
	return domain.ExecSuccess
}

func jsonSteps(answer, results *ai.Turn) (out []step) {
	a := answerIn(answer)
	if a.Module != nil {
		if text := personsText(results); text != "" {
			return []step{{name: domain.AskUser, outcome: domain.ExecSuccess, text: text}}
		}
		return []step{{name: domain.AskUser, outcome: domain.ExecCancelled}}
	}
	for i := range results.Blocks {
		out = append(out, notedSteps(noticeIn(&results.Blocks[i]))...)
	}
	for i, command := range slices.Concat(a.DataCommands, a.ActionCommands) {
		if i < len(out) && out[i].name == command.Type {
			out[i].params = command.Params
		}
	}
	return out
}
