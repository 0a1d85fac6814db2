package e2e

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
)

// An answer that is longer than anybody reads is cut: the person is told, nothing of it is
// stored, and what it used is recorded.
func TestAnAnswerThatIsTooLongIsCut(t *testing.T) {
	s := newServer(t, databases["sqlite"](t))
	s.scripted(`[{"answer": {"megabytes": 9}}]`)
	chat := s.chat()
	s.say(chat, "write all you can")
	for _, m := range s.call("GET", "/v1/sessions/"+chat+"/messages", nil).want(200).list("data") {
		if text, _ := m.(map[string]any)["sender"].(string); text == "AI" {
			t.Error("the answer was stored")
		}
	}
	answer := s.call("GET", "/v1/sessions/"+chat+"/timeline", nil).want(200)
	if len(answer.body) > 64<<10 {
		t.Errorf("the timeline has %d bytes", len(answer.body))
	}
	found := false
	for _, line := range answer.list("data") {
		call, _ := line.(map[string]any)["roundtrip"].(map[string]any)
		if call == nil {
			continue
		}
		found = true
		usage, _ := call["usage"].(map[string]any)
		if said, _ := call["error"].(string); !strings.Contains(said, "too long") || call["outcome"] != "invalid_request" || usage["output_tokens"].(float64) < 2e6 || usage["input_tokens"] == 0.0 {
			t.Errorf("the call is recorded as %v", call)
		}
	}
	if !found {
		t.Error("the call is not recorded")
	}
}

// Providers of kind script are for tests: a server that was not told to offer them does
// not, and says of one that is stored what would have to be set.
func TestScriptProvidersAreOfferedWhereTheyAreAskedFor(t *testing.T) {
	db := databases["sqlite"](t)
	s := newServer(t, db)
	s.scripted(`[{"answer": {"text": "Hello."}}]`)
	id := s.call("GET", "/v1/providers", nil).want(200).str("data.0.id")
	s.stop()
	s = newServer(t, db, func(f *app.Config) { f.ScriptProvider = false })
	if kinds := s.call("GET", "/v1/provider-kinds", nil).want(200); strings.Contains(string(kinds.body), `"script"`) {
		t.Error("the kind is offered")
	}
	body := `{"name": "x", "kind": "script", "config": {"steps": []}}`
	for what, said := range map[string]string{
		"made":    string(s.call("POST", "/v1/providers", body).problem(422, "invalid").body),
		"changed": string(s.call("PATCH", "/v1/providers/"+id, `{"config": {"max_tokens": 9}}`).problem(422, "invalid").body),
		"tested":  string(s.call("POST", "/v1/providers/"+id+"/test", nil).want(200).body),
	} {
		if !strings.Contains(said, "FERMATA_SCRIPT_PROVIDER=true") {
			t.Errorf("%s: %s", what, said)
		}
	}
	chat := s.chat()
	s.say(chat, "hello")
	if record := string(s.call("GET", "/v1/sessions/"+chat+"/messages", nil).want(200).body); !strings.Contains(record, "FERMATA_SCRIPT_PROVIDER=true") {
		t.Errorf("the person is told: %s", record)
	}
}
