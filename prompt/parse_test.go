package prompt

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

var kinds = map[string]domain.CommandKind{
	"ZONES": domain.KindQuery, "TOOL_DATA": domain.KindQuery,
	"CREATE_DATA": domain.KindAction, "DELETE_DATA": domain.KindAction,
	"ASK_USER": domain.KindControl, "COMPLETE": domain.KindControl, "CANCEL_TASK": domain.KindControl,
}

func input(protocol domain.Protocol) ParseInput {
	n := 0
	return ParseInput{
		Protocol: protocol, SessionType: domain.Chat, Specs: kinds, MaxCalls: 10,
		NewID: func(prefix string) string { n++; return fmt.Sprintf("%s_%d", prefix, n) },
	}
}

func calls(pairs ...string) []domain.RawCall {
	var out []domain.RawCall
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, domain.RawCall{ID: fmt.Sprintf("c%d", i/2+1), Name: pairs[i], Arguments: pairs[i+1]})
	}
	return out
}

func asText(t *testing.T, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func TestNativeAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		raw  domain.RawAnswer
		want string
	}{
		{"text is what is said", domain.RawAnswer{Text: "Hello."}, `{"pre_text":"Hello."}`},
		{"calls are filed by kind, unknown ones to the actions",
			domain.RawAnswer{Text: "Let me see.", Calls: calls("ZONES", "", "CREATE_DATA", `{"tool_id":"t","repeat":true}`, "NONSENSE", `{}`)},
			`{"pre_text":"Let me see.","data_commands":[{"id":"","type":"ZONES","params":{},"call_id":"c1"}],` +
				`"action_commands":[{"id":"","type":"CREATE_DATA","params":{"tool_id":"t","repeat":true},"call_id":"c2","repeat":true},` +
				`{"id":"","type":"NONSENSE","params":{},"call_id":"c3"}]}`},
		{"the model wants the results",
			domain.RawAnswer{Calls: calls("DELETE_DATA", `{"keep_control":true}`)},
			`{"pre_text":"","action_commands":[{"id":"","type":"DELETE_DATA","params":{"keep_control":true},"call_id":"c1"}],"keep_control":true}`},
		{"the model itself requests an approval",
			domain.RawAnswer{Calls: calls("DELETE_DATA", `{"validation_request":true}`)},
			`{"pre_text":"","validation_request":true,"action_commands":[{"id":"","type":"DELETE_DATA","params":{"validation_request":true},"call_id":"c1","validation_request":true}]}`},
		{"ASK_USER is the module",
			domain.RawAnswer{Calls: calls("ASK_USER", `{"type":"Text","data":{"question":"Which?"}}`)},
			`{"pre_text":"","communication_module":{"type":"Text","data":{"question":"Which?"}}}`},
		{"COMPLETE is completed, and its summary is shown where there is no text",
			domain.RawAnswer{Calls: calls("COMPLETE", `{"summary":"All 3 done."}`)}, `{"pre_text":"All 3 done.","completed":true}`},
		{"NUL and broken UTF-8 are replaced", domain.RawAnswer{Text: "a\x00b\xffc", Calls: calls("ZONES", `{"a":"x\u0000\ud800y"}`)},
			`{"pre_text":"a�b�c","data_commands":[{"id":"","type":"ZONES","params":{"a":"x��y"},"call_id":"c1"}]}`},
		{"a cut text without calls is still said", domain.RawAnswer{Text: "One, two,", StopReason: "length"}, `{"pre_text":"One, two,","stop_reason":"length"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer, problem := Parse(&tt.raw, input(domain.ProtocolNative))
			if problem != "" {
				t.Fatal(problem)
			}
			if got := asText(t, answer); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestNativeProblems(t *testing.T) {
	for _, tt := range []struct {
		name string
		raw  domain.RawAnswer
		want string
	}{
		{"nothing", domain.RawAnswer{Text: " \n"}, "The answer is empty"},
		{"cut with calls", domain.RawAnswer{Text: "x", Calls: calls("ZONES", `{}`), StopReason: "length"}, "cut at its length limit"},
		{"cut in a call", domain.RawAnswer{Text: "x", CutCalls: []string{"ZONES", "X"}, StopReason: "length", CutAt: 4096, CutLimit: 4096},
			"cut at 4096 tokens, its length limit, in the middle of its calls (ZONES, X); nothing of it was run"},
		{"cut earlier than was allowed", domain.RawAnswer{CutCalls: []string{"ZONES"}, StopReason: "length", CutAt: 5, CutLimit: 4096}, "cut after 5 tokens, at its length limit (max_tokens is 4096)"},
		{"cut, and it is not known where", domain.RawAnswer{CutCalls: []string{"A", "B", "C", "D", "E", "F", "G"}, StopReason: "length"}, "(A, B, C, D, E, and 2 more)"},
		{"cut in its thoughts", domain.RawAnswer{Thinking: []domain.Thinking{{Text: "hm"}}, StopReason: "length", CutAt: 9}, "cut at 9 tokens, its length limit, before it said anything: all of it was thoughts"},
		{"cut before its first word", domain.RawAnswer{StopReason: "length"}, "before it said anything"},
		{"a call that the provider could not read", domain.RawAnswer{Text: "x", StopReason: "malformed", StopDetail: "MALFORMED"}, "could not read the call in your answer (MALFORMED)"},
		{"an end that is not known, in a call", domain.RawAnswer{CutCalls: []string{"ZONES"}, StopReason: "unknown", StopDetail: "weather"}, "the provider says weather"},
		{"cut arguments", domain.RawAnswer{Calls: calls("ZONES", `{}`, "CREATE_DATA", `{"tool_id":"t","ent`)}, "call 2 (CREATE_DATA) are not JSON: it ends too early"},
		{"a list", domain.RawAnswer{Calls: calls("ZONES", `[]`)}, "must be one JSON object"},
		{"two objects", domain.RawAnswer{Calls: calls("ZONES", `{} {}`)}, "there is text after the end"},
		{"deep", domain.RawAnswer{Calls: calls("ZONES", `{"a":`+strings.Repeat("[", 70)+strings.Repeat("]", 70)+`}`)}, "nested more than 64 deep"},
		{"two modules", domain.RawAnswer{Calls: calls("ASK_USER", `{"type":"Text","data":{}}`, "ASK_USER", `{"type":"Text","data":{}}`)}, "more than one question"},
		{"a module without data", domain.RawAnswer{Calls: calls("ASK_USER", `{"type":"Text"}`)}, `"data" must be an object`},
		{"a module without type", domain.RawAnswer{Calls: calls("ASK_USER", `{"data":{}}`)}, `a "type"`},
		{"a module beside a command", domain.RawAnswer{Calls: calls("ASK_USER", `{"type":"Text","data":{}}`, "ZONES", "")}, "commands beside it"},
		{"too many", domain.RawAnswer{Calls: calls(strings.Split(strings.Repeat("ZONES,,", 11), ",")[:22]...)}, "11 commands; at most 10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer, problem := Parse(&tt.raw, input(domain.ProtocolNative))
			if answer != nil || !strings.Contains(problem, tt.want) {
				t.Errorf("answer %v, problem %q, want %q", answer, problem, tt.want)
			}
		})
	}
}

// A text that was cut is no report: an agent answers again.
func TestACutTextIsNoResultOfAnAgent(t *testing.T) {
	in := input(domain.ProtocolNative)
	raw := &domain.RawAnswer{Text: "The draft begins", StopReason: domain.StopLength, CutLimit: 1024}
	if answer, problem := Parse(raw, in); problem != "" || answer.StopReason != domain.StopLength {
		t.Errorf("a chat: %+v, %q", answer, problem)
	}
	in.SessionType = domain.Agent
	if answer, problem := Parse(raw, in); answer != nil || !strings.Contains(problem, "cut at 1024 tokens, its length limit, so it does not count as your result") {
		t.Errorf("an agent: %+v, %q", answer, problem)
	}
}

func TestJSONAnswers(t *testing.T) {
	const zones = `{"pre_text":"See:","data_commands":[{"id":"","type":"ZONES","params":{},"call_id":"call_1"}]}`
	for name, tt := range map[string]struct{ text, want string }{
		"plain":           {`{"pre_text":"Hi.","completed":null}`, `{"pre_text":"Hi."}`},
		"fenced":          {"Sure!\n```json\n{\"pre_text\":\"See:\",\"data_commands\":[{\"type\":\"ZONES\"}]}\n```\nDone.", zones},
		"braces in prose": {`I use {name} here: {"pre_text":"See:","data_commands":[{"type":"ZONES","params":{}}]}`, zones},
		"another object":  {`Given {"a":1}, {"pre_text":"See:","data_commands":[{"type":"ZONES","params":{}}]}`, zones},
		"trailing comma":  {`{"pre_text":"See:","data_commands":[{"type":"ZONES","params":{},},],}`, zones},
		"single quotes":   {`{'pre_text':'See:','data_commands':[{'type':'ZONES'}]}`, zones},
		"real newline":    {"{\"pre_text\":\"a\nb\"}", `{"pre_text":"a\nb"}`},
		"unclosed query":  {`{"pre_text":"See:","data_commands":[{"type":"ZONES","params":{}}`, zones},
		"all fields": {`{"pre_text":"","validation_request":true,"action_commands":[{"type":"DELETE_DATA","params":{"entry_ids":["e"],"repeat":true}}],"post_text":"Gone.","keep_control":true,"completed":false}`,
			`{"pre_text":"","validation_request":true,"action_commands":[{"id":"","type":"DELETE_DATA","params":{"entry_ids":["e"],"repeat":true},"call_id":"call_1","repeat":true}],"post_text":"Gone.","keep_control":true}`},
		"a module": {`{"pre_text":"","communication_module":{"type":"Text","data":{"question":"?"}}}`,
			`{"pre_text":"","communication_module":{"type":"Text","data":{"question":"?"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			answer, problem := Parse(&domain.RawAnswer{Text: tt.text, StopReason: "stop"}, input(domain.ProtocolJSON))
			if problem != "" {
				t.Fatal(problem)
			}
			if got := asText(t, answer); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestJSONProblems(t *testing.T) {
	for name, tt := range map[string]struct{ text, stop, want string }{
		"prose":                 {"I will list the zones.", "stop", "There is no JSON object"},
		"unknown field":         {`{"pre_text":"","actions":[]}`, "stop", `Unknown field "actions" in the answer`},
		"only an odd object":    {`{"a":1}`, "stop", `Unknown field "a"`},
		"wrong type":            {`{"pre_text":5}`, "stop", "pre_text must be a string, not a number"},
		"wrong flag":            {`{"pre_text":"","completed":"yes"}`, "stop", "completed must be true or false, not a string"},
		"wrong list":            {`{"pre_text":"","data_commands":{}}`, "stop", "data_commands must be a list of commands, not an object"},
		"wrong item":            {`{"pre_text":"","data_commands":[1]}`, "stop", "data_commands[0] must be an object, not a number"},
		"wrong params":          {`{"pre_text":"","data_commands":[{"type":"ZONES","params":[]}]}`, "stop", "data_commands[0].params must be an object, not a list"},
		"no type":               {`{"pre_text":"","data_commands":[{"params":{}}]}`, "stop", "data_commands[0].type is missing"},
		"unknown in a command":  {`{"pre_text":"","data_commands":[{"type":"ZONES","args":{}}]}`, "stop", `Unknown field "args" in data_commands[0]. Known are: type, params.`},
		"wrong type in module":  {`{"pre_text":"","communication_module":{"type":1,"data":{}}}`, "stop", "communication_module.type must be a string"},
		"no pre_text":           {`{"completed":true}`, "stop", `"pre_text" is missing`},
		"empty":                 {`{"pre_text":" "}`, "stop", "The answer is empty"},
		"queries and actions":   {`{"pre_text":"","data_commands":[{"type":"ZONES"}],"action_commands":[{"type":"CREATE_DATA"}]}`, "stop", "both data_commands and action_commands"},
		"a query as an action":  {`{"pre_text":"","action_commands":[{"type":"ZONES"}]}`, "stop", "belongs in data_commands"},
		"COMPLETE as a command": {`{"pre_text":"","action_commands":[{"type":"COMPLETE"}]}`, "stop", `"completed": true`},
		"cut":                   {`{"pre_text":"See:","data_commands":[{"type":"ZONES","params":{}}`, "length", "cut at its length limit"},
		"cut, nearly whole":     {`{"pre_text":"See:",}`, "length", "cut at its length limit"},
		"an unclosed action":    {`{"pre_text":"","action_commands":[{"type":"DELETE_DATA","params":{"entry_ids":["a","b`, "stop", "is not complete"},
		"deep":                  {`{"pre_text":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}`, "stop", "nested more"},
	} {
		t.Run(name, func(t *testing.T) {
			answer, problem := Parse(&domain.RawAnswer{Text: tt.text, StopReason: tt.stop}, input(domain.ProtocolJSON))
			if answer != nil || !strings.Contains(problem, tt.want) {
				t.Errorf("answer %v, problem %q, want %q", answer, problem, tt.want)
			}
		})
	}
}

func TestARefusalIsSaidWhateverTheProtocol(t *testing.T) {
	answer, problem := Parse(&domain.RawAnswer{Text: "I cannot help with that.", StopReason: "refused"}, input(domain.ProtocolJSON))
	if problem != "" || answer.PreText != "I cannot help with that." {
		t.Errorf("%v %q", answer, problem)
	}
}

func TestHash(t *testing.T) {
	one := &domain.RawAnswer{Text: "x", Calls: []domain.RawCall{{ID: "1", Name: "ZONES", Arguments: `{"a":1,"b":2}`}}}
	same := &domain.RawAnswer{Text: "x ", Calls: []domain.RawCall{{ID: "2", ProviderID: "p", Name: "ZONES", Arguments: `{ "b":2, "a":1 }`}}, Thinking: []domain.Thinking{{Text: "hm"}}}
	other := &domain.RawAnswer{Text: "x", Calls: []domain.RawCall{{ID: "1", Name: "ZONES", Arguments: `{"a":1,"b":3}`}}}
	if Hash(one) != Hash(same) {
		t.Error("equal answers must have equal hashes")
	}
	if Hash(one) == Hash(other) || Hash(one) == Hash(&domain.RawAnswer{Text: "x"}) {
		t.Error("different answers must differ")
	}
}

// The text of a call that ends a run or an agent's work is its report, besides any other text.
func TestAReportIsTheFinalText(t *testing.T) {
	for _, c := range []struct {
		name         string
		kind         domain.SessionType
		raw          domain.RawAnswer
		above, final string
	}{
		{"beside a text", domain.Run, domain.RawAnswer{Text: "Done.", Calls: calls("COMPLETE", `{"summary":"REPORT: 3 notes"}`)}, "Done.", "REPORT: 3 notes"},
		{"alone", domain.Run, domain.RawAnswer{Calls: calls("COMPLETE", `{"summary":"REPORT: 3 notes"}`)}, "REPORT: 3 notes", "REPORT: 3 notes"},
		{"the same words", domain.Run, domain.RawAnswer{Text: "All is well.", Calls: calls("COMPLETE", `{"summary":" All is well. "}`)}, "All is well.", "All is well."},
		{"no report", domain.Run, domain.RawAnswer{Text: "Done.", Calls: calls("COMPLETE", `{}`)}, "Done.", "Done."},
		{"an empty report", domain.Run, domain.RawAnswer{Text: "Done.", Calls: calls("COMPLETE", `{"summary":" "}`)}, "Done.", "Done."},
		{"beside an action", domain.Run, domain.RawAnswer{Text: "I write it.", Calls: calls("CREATE_DATA", `{}`, "COMPLETE", `{"summary":"REPORT"}`)}, "I write it.", "REPORT"},
		{"an agent's", domain.Agent, domain.RawAnswer{Text: "So.", Calls: calls("COMPLETE", `{"reason":"found","result":"42","conclusion":"It is 42."}`)}, "So.", "42\n\nIt is 42."},
		{"an agent's result alone", domain.Agent, domain.RawAnswer{Calls: calls("COMPLETE", `{"result":{"open":3}}`)}, "", `{"open":3}`},
		{"an agent's summary", domain.Agent, domain.RawAnswer{Text: "So.", Calls: calls("COMPLETE", `{"summary":"42"}`)}, "So.", "42"},
		{"an agent's question", domain.Agent, domain.RawAnswer{Text: "Hm.", Calls: calls("ASK_PRINCIPAL", `{"question":"Which one?"}`)}, "Hm.", "Which one?"},
		{"a chat does not end", domain.Chat, domain.RawAnswer{Text: "Done.", Calls: calls("COMPLETE", `{"summary":"REPORT"}`)}, "Done.", "Done."},
		{"as JSON", domain.Run, domain.RawAnswer{Text: `{"pre_text":"Done.","post_text":"REPORT","completed":true}`}, "Done.", "REPORT"},
	} {
		protocol := domain.ProtocolNative
		if strings.HasPrefix(c.raw.Text, "{") {
			protocol = domain.ProtocolJSON
		}
		in := input(protocol)
		in.SessionType = c.kind
		answer, problem := Parse(&c.raw, in)
		if problem != "" || strings.TrimSpace(answer.PreText) != c.above || strings.TrimSpace(answer.FinalText()) != c.final {
			t.Errorf("%s: %s %+v, in the end %q", c.name, problem, answer, answer.FinalText())
		}
	}
}
