package gemini

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/suite"
)

type network = suite.Transport

func answerWith(r *http.Request, status int, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(body), Request: r}
}

const finished = `{"candidates":[{"content":{"parts":[{"text":"ok"}],"role":"model"},"finishReason":"STOP"}],"modelVersion":"m-1"}`

func made(t testing.TB, config, secret string, n network) *provider {
	t.Helper()
	p, err := newProvider(json.RawMessage(config), secret, &http.Client{Transport: n})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// asked is the request that a call makes: its path and its body.
func asked(t testing.TB, config string, request *providers.Request) (path, body string) {
	t.Helper()
	p := made(t, config, "AIza-secret", func(r *http.Request) (*http.Response, error) {
		all, err := io.ReadAll(r.Body)
		if err != nil || int64(len(all)) != r.ContentLength {
			t.Errorf("read %d of %d bytes: %v", len(all), r.ContentLength, err)
		}
		path, body = r.URL.String(), string(all)
		text := finished
		if request.OnDelta != nil {
			text = "data: " + finished + "\n\n"
		}
		return answerWith(r, http.StatusOK, strings.NewReader(text)), nil
	})
	request.NewID = repeatable.IDs()
	if _, err := p.Query(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	return path, body
}

var text, said = suite.UserTurn, suite.Answered

// results marks those that begin with "Failed" as errors.
func results(raw *domain.RawAnswer, texts ...string) *ai.Turn {
	t := suite.Results(raw, texts...)
	for i := range raw.Calls {
		t.Blocks[i].IsError = strings.HasPrefix(texts[i], "Failed")
	}
	return t
}

var commands = []domain.CommandSpec{
	{Name: "ZONES", Description: "List the \"zones\".", Params: []byte(`{"type":"object","properties":{},"additionalProperties":false}`)},
	{Name: "TOOL_DATA", Description: "Entries.", Params: []byte(`{"type":"object","properties":{"tool_id":{"type":"string"},"limit":{"type":"integer","maximum":9007199254740993}},"required":["tool_id"]}`)},
	{Name: "OPEN", Description: "Whatever.", Params: []byte(`{"type":"object"}`)},
	{Name: "BAD", Description: "Its schema is none.", Params: []byte(`{`)},
}

// queried is an answer with two queries of the same name, as Gemini 3 signs it: the
// first call only. One number has more digits than a float.
func queried() *domain.RawAnswer {
	return &domain.RawAnswer{Provider: kindName, Text: "I look.", Calls: []domain.RawCall{
		{ID: "call_1", Name: "TOOL_DATA", Arguments: `{"tool_id": "tol_1", "limit": 9007199254740993, "x": 1.0e2}`, Signature: "c2lnLTE="},
		{ID: "call_2", ProviderID: "own-id", Name: "TOOL_DATA", Arguments: `{"tool_id":"tol_2"}`},
	}}
}

// The requests as they go out, in testdata: to be read by people when they change.
func TestRequests(t *testing.T) {
	const model = `"model":"gemini-3-flash"`
	listen := func(providers.Delta) {}
	acted := &domain.RawAnswer{Provider: kindName, Calls: []domain.RawCall{
		{ID: "call_1", Name: "CREATE_ZONE", Arguments: `{"name":"Health"}`, Signature: "c2ln"},
		{ID: "call_2", Name: "CREATE_ZONE", Arguments: `{"name":`},
		{ID: "call_3", Name: "9 invented name!", Arguments: ``},
	}}
	signed := &domain.RawAnswer{Provider: kindName, Text: "First.Then.", Thinking: []domain.Thinking{{
		Text: "hmaha", Data: `{"parts":[{"kind":"thought","size":2},{"kind":"thought","size":3,"signature":"dGg="},{"kind":"text","size":6},{"kind":"call"},{"kind":"text","size":5},{"kind":"text","signature":"ZW5k"}]}`,
	}}, Calls: []domain.RawCall{{ID: "call_1", Name: "ZONES", Arguments: "{}", Signature: "Y2FsbA=="}}}
	foreign := &domain.RawAnswer{Provider: "anthropic", Text: "I look.", Thinking: []domain.Thinking{{Text: "hm", Data: `{"signature":"theirs"}`}},
		Calls: []domain.RawCall{{ID: "call_1", ProviderID: "toolu_1", Name: "ZONES", Arguments: `{}`, Signature: "dGhlaXJz"}, {ID: "call_2", ProviderID: "toolu_2", Name: "ZONES", Arguments: `{}`}}}
	schema := []byte(`{"type":"object","properties":{"pre_text":{"type":"string"},"completed":{"type":"boolean"}},"required":["pre_text"]}`)
	base := ai.Prompt{System: "Rules.", UserData: "Data.", Protocol: domain.ProtocolNative, Tail: `It is "now".`, Commands: commands}
	with := func(change func(*ai.Prompt)) *ai.Prompt {
		p := base
		change(&p)
		return &p
	}
	table := map[string]struct {
		config  string
		request providers.Request
	}{
		"plain": {`{` + model + `}`, providers.Request{Prompt: with(func(p *ai.Prompt) {
			p.Commands, p.Turns = nil, []*ai.Turn{text("Hello \"you\"\n", "\x00 and \xff"), said(&domain.RawAnswer{Text: "Good morning."}), text("Thanks")}
		}), OnDelta: listen}},
		"queries": {`{` + model + `,"temperature":0.7,"top_p":0.95,"max_tokens":100}`, providers.Request{Prompt: with(func(p *ai.Prompt) {
			p.Turns = []*ai.Turn{text("Zones?"), said(queried()), results(queried(), `{"zones":[]}`, "Failed: unknown tool.", "And now?")}
		})}},
		"actions": {`{` + model + `}`, providers.Request{Prompt: with(func(p *ai.Prompt) {
			p.Turns = []*ai.Turn{text("Do it."), said(acted), results(acted, "Done.", "Failed: not JSON.", "Cancelled: this was not run.")}
		}), OnDelta: listen}},
		"signatures": {`{` + model + `,"reasoning_effort":"low"}`, providers.Request{Prompt: with(func(p *ai.Prompt) {
			p.Commands, p.Turns = nil, []*ai.Turn{text("Zones?"), said(signed), results(signed, "None."), said(&domain.RawAnswer{Provider: kindName, Text: "None."}), text("Thanks")}
		})}},
		"another-vendors-calls": {`{` + model + `}`, providers.Request{Prompt: with(func(p *ai.Prompt) {
			p.Commands, p.Turns = nil, []*ai.Turn{text("Zones?"), said(foreign), results(foreign, "None.", "None.")}
		})}},
		"json": {`{` + model + `,"protocol":"json"}`, providers.Request{Prompt: with(func(p *ai.Prompt) {
			p.Commands, p.Protocol, p.AnswerSchema, p.Turns = nil, domain.ProtocolJSON, schema, []*ai.Turn{text("Zones?")}
		}), OnDelta: listen}},
		"schema": {`{` + model + `}`, providers.Request{Prompt: with(func(p *ai.Prompt) {
			p.Commands, p.AnswerSchema, p.Turns = nil, schema, []*ai.Turn{text("Zones?")}
		}), OnDelta: listen}},
		"small": {`{` + model + `,"small_model":"gemini-2.5-flash-lite"}`, providers.Request{Small: true, MaxTokens: 700, Prompt: with(func(p *ai.Prompt) {
			p.Commands, p.Tail, p.UserData, p.Turns = nil, "", "", []*ai.Turn{text("Sum up.")}
		})}},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			path, body := asked(t, row.config, &row.request)
			// The second time all turns come from their caches: the same bytes.
			if _, again := asked(t, row.config, &row.request); again != body {
				t.Errorf("the second request differs:\n%s\n%s", body, again)
			}
			checkValid(t, body)
			var shown bytes.Buffer
			if err := json.Indent(&shown, []byte(body), "", "  "); err != nil {
				t.Fatalf("not JSON: %v in %s", err, body)
			}
			golden.Check(t, "testdata/request-"+name+".txt", "POST "+path+"\n"+shown.String())
		})
	}
}

// checkValid holds the contents to the API's rules: roles alternate and begin with the
// user, no content is empty, and each call is answered in the next content, in order.
func checkValid(t *testing.T, body string) {
	t.Helper()
	type named struct {
		Name string `json:"name"`
	}
	var request struct {
		Contents []struct {
			Role  string `json:"role"`
			Parts []struct {
				Call   *named `json:"functionCall"`
				Result *named `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
	}
	if err := json.Unmarshal([]byte(body), &request); err != nil || len(request.Contents) == 0 {
		t.Fatalf("%v: %s", err, body)
	}
	var open []string
	for i, c := range request.Contents {
		if c.Role != []string{"user", "model"}[i%2] || len(c.Parts) == 0 {
			t.Errorf("content %d is of the %s, with %d parts", i, c.Role, len(c.Parts))
		}
		var calls, answered []string
		for _, p := range c.Parts {
			if p.Call != nil {
				calls = append(calls, p.Call.Name)
			}
			if p.Result != nil {
				answered = append(answered, p.Result.Name)
			}
		}
		if strings.Join(answered, " ") != strings.Join(open, " ") {
			t.Errorf("content %d answers %v, called were %v", i, answered, open)
		}
		open = calls
	}
}

// What is new is encoded, and nothing else: turns keep their bytes, also where
// functions and levels are the same.
func TestOnlyNewTurnsAreEncoded(t *testing.T) {
	prompt := &ai.Prompt{System: "Rules.", Commands: commands, Turns: []*ai.Turn{text("a"), said(queried()), results(queried(), "1", "2")}}
	p := made(t, `{"model":"gemini-3-flash"}`, "", func(r *http.Request) (*http.Response, error) {
		return answerWith(r, 200, strings.NewReader(finished)), nil
	})
	query := func() {
		if _, err := p.Query(t.Context(), &providers.Request{Prompt: prompt, NewID: repeatable.IDs()}); err != nil {
			t.Fatal(err)
		}
	}
	query()
	kept := prompt.Turns[1].Encoded.Load()
	prompt.Turns = append(prompt.Turns, said(&domain.RawAnswer{Text: "b"}), text("c"))
	query()
	if prompt.Turns[1].Encoded.Load() != kept {
		t.Error("an old turn was encoded again")
	}
	p.prefix.Bytes(prompt, prompt.Commands, func() []byte {
		t.Error("the levels are encoded again")
		return nil
	})
	// Another generation of models needs other bytes, and coming back changes nothing.
	older := newEncoder("gemini-2.5-flash").turn(prompt.Turns[1])
	if bytes.Contains(older, []byte(noSignature)) || !bytes.Equal(newEncoder("gemini-3-pro").turn(prompt.Turns[1]), kept.Bytes) {
		t.Errorf("got %s", older)
	}
}

func TestThinkingOfEveryGeneration(t *testing.T) {
	table := map[string]struct{ config, want string }{
		"3, as it likes":             {`{"model":"gemini-3-pro"}`, `"thinkingConfig":{"includeThoughts":true}`},
		"3, with an effort":          {`{"model":"gemini-3-pro","reasoning_effort":"medium"}`, `"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"MEDIUM"}`},
		"2.5, with an effort":        {`{"model":"gemini-2.5-flash","reasoning_effort":"medium"}`, `"thinkingConfig":{"includeThoughts":true,"thinkingBudget":8192}`},
		"2.5 without thoughts":       {`{"model":"gemini-2.5-flash","reasoning_effort":"none"}`, `"thinkingConfig":{"thinkingBudget":0}`},
		"2.5 pro cannot stop":        {`{"model":"gemini-2.5-pro","reasoning_effort":"none"}`, `"thinkingConfig":{"includeThoughts":true,"thinkingBudget":128}`},
		"a budget before the effort": {`{"model":"gemini-2.5-pro","thinking_budget":-1,"reasoning_effort":"low"}`, `"thinkingConfig":{"includeThoughts":true,"thinkingBudget":-1}`},
		"not shown":                  {`{"model":"gemini-3-pro","include_thoughts":false}`, ``},
		"a model that does not":      {`{"model":"gemini-2.0-flash"}`, ``},
		"shown where asked for":      {`{"model":"gemini-2.5-flash-lite","include_thoughts":true}`, `"thinkingConfig":{"includeThoughts":true}`},
	}
	for name, row := range table {
		_, body := asked(t, row.config, &providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi")}}})
		if row.want == "" && strings.Contains(body, "thinkingConfig") || !strings.Contains(body, row.want) {
			t.Errorf("%s: %s", name, body)
		}
	}
}
