package prompt

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

func clientInput(protocol domain.Protocol) ParseInput {
	in := input(protocol)
	in.Client = map[string]bool{"get_weather": true, "get_time": true}
	return in
}

// Calls of a program's own tools stand apart from the commands, in both protocols, and alone.
func TestCallsOfAClientsTools(t *testing.T) {
	raw := func(text string, list ...string) domain.RawAnswer {
		return domain.RawAnswer{Text: text, Calls: calls(list...)}
	}
	const paris = `{"city":"Paris"}`
	for name, c := range map[string]struct {
		protocol   domain.Protocol
		raw        domain.RawAnswer
		oneAtATime bool
		want       string // the answer; else what the problem says
		problem    string
	}{
		"native": {domain.ProtocolNative, raw("Wait.", "get_weather", paris, "get_time", ""), false,
			`{"pre_text":"Wait.","client_calls":[{"id":"c1","name":"get_weather","params":{"city":"Paris"}},{"id":"c2","name":"get_time","params":{}}]}`, ""},
		"in JSON, in either list": {domain.ProtocolJSON, raw(`{"pre_text":"","action_commands":[{"type":"get_weather","params":` + paris + `}]}`), false,
			`{"pre_text":"","client_calls":[{"id":"call_1","name":"get_weather","params":{"city":"Paris"}}]}`, ""},
		"in JSON, as a query": {domain.ProtocolJSON, raw(`{"pre_text":"","data_commands":[{"type":"get_time","params":{}}]}`), false,
			`{"pre_text":"","client_calls":[{"id":"call_1","name":"get_time","params":{}}]}`, ""},
		"beside a query":            {domain.ProtocolNative, raw("", "get_weather", paris, "ZONES", ""), false, "", "something else beside them"},
		"beside an action, in JSON": {domain.ProtocolJSON, raw(`{"pre_text":"","action_commands":[{"type":"get_time","params":{}},{"type":"CREATE_DATA","params":{}}]}`), false, "", "something else beside them"},
		"beside a question":         {domain.ProtocolNative, raw("", "get_time", "", "ASK_USER", `{"type":"Text","data":{"question":"?"}}`), false, "", "something else beside them"},
		"too many":                  {domain.ProtocolNative, raw("", strings.Split(strings.Repeat("get_time,{},", 11), ",")[:22]...), false, "", "at most 10"},
		"one at a time":             {domain.ProtocolNative, raw("", "get_time", ""), true, `{"pre_text":"","client_calls":[{"id":"c1","name":"get_time","params":{}}]}`, ""},
		"two, one at a time":        {domain.ProtocolNative, raw("", "get_time", "", "get_weather", paris), true, "", "one call of its tools at a time"},
		"arguments that are none":   {domain.ProtocolNative, raw("", "get_weather", "Paris"), false, "", "The arguments of call 1 (get_weather)"},
	} {
		in := clientInput(c.protocol)
		in.OneAtATime = c.oneAtATime
		answer, problem := Parse(&c.raw, in)
		switch {
		case c.problem != "" && !strings.Contains(problem, c.problem), c.problem == "" && problem != "":
			t.Errorf("%s: the problem is %q", name, problem)
		case c.problem == "" && asText(t, answer) != c.want:
			t.Errorf("%s: the answer is %s", name, asText(t, answer))
		}
	}
}

// A model that is offered no tools with schemas reads of them in a block with their source; and
// what it called stays in the history in the form that it writes itself.
func TestAClientsToolsInJSON(t *testing.T) {
	in := level2Input()
	in.Commands = append(in.Commands, domain.CommandSpec{
		Name: "get_weather", Kind: domain.KindQuery, Source: domain.SourceClient, Description: "The weather.",
		Params: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`),
	})
	text := Level2(in)
	at := strings.Index(text, "the program that sent the message")
	if at < 0 || !strings.Contains(text[at:], "### get_weather (query)") || !strings.Contains(text[at:], "- city?: string") {
		t.Errorf("the prompt says\n%s", text)
	}
	m := &domain.Message{Sender: domain.SenderAI, Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Calls: calls("get_weather", "{}")},
		AI: &domain.AIMessage{ClientCalls: []domain.ClientCall{{ID: "c1", Name: "get_weather", Params: json.RawMessage(`{}`)}}}}
	if got := answerBlocks(m, domain.ProtocolJSON)[0].Text; got != `{"pre_text":"","data_commands":[{"type":"get_weather","params":{}}]}` {
		t.Errorf("in the history it is %s", got)
	}
}

// The results of a client are external content, and replace the placeholder of their call.
func TestResultsOfAClientsTools(t *testing.T) {
	r := result("c1", "get_weather", domain.ExecSuccess, "20 degrees")
	r.From = domain.From(domain.OriginClient, "get_weather")
	h := (&story{}).user("How warm?").ai("", "c1", "get_weather", "{}").system(domain.SystemDataAdded, "x", r).history(domain.ProtocolNative)
	turns := h.Turns()
	b := turns[len(turns)-1].Blocks[0]
	if b.Kind != ai.BlockResult || b.CallID == "" || !strings.Contains(b.Text, `type="OUTSIDE"`) || !strings.Contains(b.Text, `source="client: get_weather"`) ||
		!strings.Contains(b.Text, "20 degrees") || invalid(turns) != "" {
		t.Errorf("the result is %+v (%s)", b, invalid(turns))
	}
}
