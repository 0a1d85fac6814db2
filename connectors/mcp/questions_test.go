package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// TestEverythingAsks uses a third-party server that asks a question in the middle of a call: a person answers, and
// the same call continues. If the connection on which it asked is gone, the question is asked again.
func TestEverythingAsks(t *testing.T) {
	const answer = `{"name":"Ada","check":true,"integer":7,"untitledMultipleSelectEnum":["Guitar"]}`
	for _, over := range []string{"stdio", "http"} {
		t.Run(over, func(t *testing.T) {
			config := Config{Command: node(t), Args: []string{script(t, "server-everything")}}
			if over == "http" {
				config = Config{URL: everythingOverHTTP(t)}
			}
			c := open(t, config)
			l := list(t, c)
			asked := call(t, c, l, "TRIGGER_ELICITATION_REQUEST", `{}`)
			checkForm(t, asked.Question, "Please provide inputs for the following fields:", "firstLine", "untitledMultipleSelectEnum")
			if again := call(t, c, l, "TRIGGER_ELICITATION_REQUEST", `{}`); again.Question == nil {
				t.Errorf("asked again: %+v", again)
			}
			if r := call(t, c, l, "ECHO", `{"message":"x"}`); r.Text != "Echo: x" {
				t.Errorf("meanwhile: %+v", r)
			}
			r := call(t, c, l, "TRIGGER_ELICITATION_REQUEST", `{}`, answer)
			if !strings.Contains(r.Text, "Ada") || !strings.Contains(r.Text, "dark and stormy") || r.Question != nil {
				t.Errorf("answered: %+v", r)
			}
			elsewhere := open(t, config)
			command := named(t, l, "TRIGGER_ELICITATION_REQUEST")
			if _, err := try(t.Context(), elsewhere, command, `{}`, answer); outside.FaultOf(err) != outside.FaultUnknown {
				t.Errorf("a call that may have done something is made again: %v", err)
			}
			command.Effect = domain.EffectRead
			if r, err := try(t.Context(), elsewhere, command, `{}`, `null`); err != nil || !strings.Contains(r.Text, "declined") {
				t.Errorf("declined: %+v %v", r, err)
			}
		})
	}
}

func checkForm(t *testing.T, m *domain.Module, title string, fields ...string) {
	t.Helper()
	if m == nil || m.Type != "Form" {
		t.Fatalf("asked %+v", m)
	}
	var form struct {
		Title  string `json:"title"`
		Schema struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"schema"`
	}
	if err := json.Unmarshal(m.Data, &form); err != nil || form.Title != title || form.Schema.Type != "object" {
		t.Fatalf("%s %v", m.Data, err)
	}
	for _, f := range fields {
		if form.Schema.Properties[f] == nil {
			t.Errorf("it has no field %s", f)
		}
	}
}

// In 2026-07-28 the call is repeated with the answers and what the server noted, from
// whatever process.
func TestAskedBetweenCalls(t *testing.T) {
	s := newRawServer(t, false)
	s.on("tools/call", func(w http.ResponseWriter, _ *http.Request, m wireMessage) {
		var p struct {
			State   string `json:"requestState"`
			Replies map[string]struct {
				Action  string          `json:"action"`
				Content json.RawMessage `json:"content"`
			} `json:"inputResponses"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Error(err)
		}
		form := func(field string) string {
			return fmt.Sprintf(`{"method":"elicitation/create","params":{"message":"%s?","requestedSchema":{"type":"object","properties":{"%[1]s":{"type":"string"}}}}}`, field)
		}
		switch p.State {
		case "":
			reply(w, m, `{"resultType":"input_required","requestState":"one","inputRequests":{"b":`+form("second")+`,"a":`+form("first")+`}}`)
		case "one":
			if string(p.Replies["a"].Content) != `{"first":"1"}` || string(p.Replies["b"].Content) != `{"second":"2"}` || p.Replies["a"].Action != "accept" {
				t.Errorf("replied %+v", p.Replies)
			}
			reply(w, m, `{"resultType":"input_required","requestState":"two","inputRequests":{"c":{"method":"elicitation/create","params":{"message":"Really?"}}}}`)
		default:
			reply(w, m, fmt.Sprintf(`{"content":[{"type":"text","text":"%s after %d"}]}`, p.Replies["c"].Action, len(p.Replies)))
		}
	})
	c := open(t, Config{URL: s.URL})
	answers := []string{`{"first":"1"}`, `{"second":"2"}`, `true`}
	for round, title := range []string{"first?", "second?"} {
		r, err := try(t.Context(), c, doIt(""), `{}`, answers[:round]...)
		if err != nil {
			t.Fatal(err)
		}
		checkForm(t, r.Question, title)
	}
	r, err := try(t.Context(), c, doIt(""), `{}`, answers[:2]...)
	if err != nil || r.Question == nil || r.Question.Type != "Validation" || string(r.Question.Data) != `{"message":"Really?"}` {
		t.Fatalf("%+v %v", r, err)
	}
	if n := s.count("tools/call"); n != 2 {
		t.Errorf("%d calls for two questions at once and one after", n)
	}
	for name, from := range map[string]*Connection{"the same": c, "another": open(t, Config{URL: s.URL})} {
		r, err := try(t.Context(), from, doIt(""), `{}`, answers...)
		if err != nil || r.Text != "accept after 1" {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

func TestReadQuestion(t *testing.T) {
	for params, want := range map[string]string{
		`{"message":"Sure?"}`: `Validation {"message":"Sure?"}`,
		`{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}`:                                                          `Validation {"message":"Sure?"}`,
		`{"message":"m","requestedSchema":{"$ref":"x","required":["a","z"],"properties":{"a":{"type":"string","$ref":"y","enum":["x"]}}}}`: `Form {"schema":{"properties":{"a":{"enum":["x"],"type":"string"}},"required":["a"],"type":"object"},"title":"m"}`,
		`{"message":"m","requestedSchema":{"properties":{"a":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}}}}`:            `Form {"schema":{"properties":{"a":{"items":{"anyOf":[{"const":"x","title":"X"}],"type":"string"},"type":"array"}},"type":"object"},"title":"m"}`,
		`{"message":"m","requestedSchema":{"properties":{"a":{"type":"string","oneOf":[{"const":"x"},{"$ref":"y"}]}}}}`:                    `Form {"schema":{"properties":{"a":{"type":"string"}},"type":"object"},"title":"m"}`,
		`{"message":"m","requestedSchema":{"properties":{"a":{"type":"object"}}}}`:                                                         "a form can only have flat fields",
		`{"message":"m","requestedSchema":{"properties":{"a":{"type":"array","items":{"type":"object"}}}}}`:                                "a form can only have flat fields",
		`{"message":"m","requestedSchema":{"properties":{"a":{"type":["string","null"]}}}}`:                                                "a form can only have flat fields",
		`{"message":"m","mode":"url","url":"https://x.example","elicitationId":"1"}`:                                                       "only forms are supported",
		`[]`: "the question cannot be read",
		`{"message":"` + strings.Repeat("x", MaxQuestionBytes) + `"}`: "the question cannot be read",
	} {
		q, err := readQuestion(json.RawMessage(params))
		got := fmt.Sprint(err)
		if err == nil {
			got = q.module.Type + " " + string(q.module.Data)
		}
		if got != want {
			t.Errorf("%.100s:\n got %s\nwant %s", params, got, want)
		}
	}
}

func TestReplies(t *testing.T) {
	form, err := readQuestion(json.RawMessage(`{"requestedSchema":{"properties":{"a":{"type":"string","default":"x"},"b":{"type":"integer"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := readQuestion(json.RawMessage(`{"message":"Sure?"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		q            *question
		answer, want string
	}{
		{form, `{"b":1}`, `{"action":"accept","content":{"a":"x","b":1}}`},
		{form, `{"a":"y"}`, `{"action":"accept","content":{"a":"y"}}`},
		{form, `null`, `{"action":"decline"}`},
		{form, `false`, `{"action":"decline"}`},
		{form, ``, `{"action":"decline"}`},
		{form, `true`, "the answer is not an object"},
		{plain, `true`, `{"action":"accept","content":{}}`},
		{plain, `false`, `{"action":"decline"}`},
	} {
		got, err := tt.q.reply(json.RawMessage(tt.answer))
		if err != nil {
			got = json.RawMessage(err.Error())
		}
		if string(got) != tt.want {
			t.Errorf("%s: %s", tt.answer, got)
		}
	}
}

// Calls that wait for a person are bounded, and end with the connection.
func TestParkedCallsAreBounded(t *testing.T) {
	s := newRawServer(t, true)
	s.on("tools/call", func(w http.ResponseWriter, r *http.Request, m wireMessage) {
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, `{"jsonrpc":"2.0","id":%s,"method":"elicitation/create","params":{"message":"Sure?"}}`, m.ID)
		<-r.Context().Done()
	})
	c := open(t, Config{URL: s.URL})
	for i := range maxParked + 1 {
		made := connectors.Call{Definition: doIt(""), Call: outside.Call{ExecutionID: fmt.Sprint("exe_", i), Params: json.RawMessage(`{}`)}}
		r, err := c.Call(t.Context(), made)
		if i < maxParked && (err != nil || r.Question == nil) || i == maxParked && (err == nil || !strings.Contains(err.Error(), "too many")) {
			t.Fatalf("call %d: %+v %v", i, r, err)
		}
	}
}
