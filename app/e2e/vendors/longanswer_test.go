package vendors

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// An excessively long answer is cut: the person is notified, nothing of it is stored, and its usage is recorded.
func TestAnAnswerThatIsTooLongIsCut(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Scripted(`[{"answer": {"megabytes": 9}}]`)
	chat := s.Chat()
	s.Say(chat, "write all you can")
	for _, m := range s.Call("GET", "/v1/sessions/"+chat+"/messages", nil).Want(200).List("data") {
		if text, _ := m.(map[string]any)["sender"].(string); text == "AI" {
			t.Error("the answer was stored")
		}
	}
	answer := s.Call("GET", "/v1/sessions/"+chat+"/timeline", nil).Want(200)
	if len(answer.Body) > 64<<10 {
		t.Errorf("the timeline has %d bytes", len(answer.Body))
	}
	found := false
	for _, line := range answer.List("data") {
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

// Providers of kind script are for tests: a server without the setting does not offer them, and the error of a
// stored one names the setting.
func TestScriptProvidersAreOfferedWhereTheyAreAskedFor(t *testing.T) {
	db := harness.Databases["sqlite"](t)
	s := newServer(t, db)
	s.Scripted(`[{"answer": {"text": "Hello."}}]`)
	id := s.Call("GET", "/v1/providers", nil).Want(200).Str("data.0.id")
	s.Stop()
	s = newServer(t, db, func(f *app.Config) { f.ScriptProvider = false })
	if kinds := s.Call("GET", "/v1/provider-kinds", nil).Want(200); strings.Contains(string(kinds.Body), `"script"`) {
		t.Error("the kind is offered")
	}
	body := `{"name": "x", "kind": "script", "config": {"steps": []}}`
	for what, said := range map[string]string{
		"made":    string(s.Call("POST", "/v1/providers", body).Problem(422, "invalid").Body),
		"changed": string(s.Call("PATCH", "/v1/providers/"+id, `{"config": {"max_tokens": 9}}`).Problem(422, "invalid").Body),
		"tested":  string(s.Call("POST", "/v1/providers/"+id+"/test", nil).Want(200).Body),
	} {
		if !strings.Contains(said, "FERMATA_SCRIPT_PROVIDER=true") {
			t.Errorf("%s: %s", what, said)
		}
	}
	chat := s.Chat()
	s.Say(chat, "hello")
	if record := string(s.Call("GET", "/v1/sessions/"+chat+"/messages", nil).Want(200).Body); !strings.Contains(record, "FERMATA_SCRIPT_PROVIDER=true") {
		t.Errorf("the error is: %s", record)
	}
}
