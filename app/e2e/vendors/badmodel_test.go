package vendors

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// What models get wrong ends in a correction to the model or in clear words to the
// person; never in a crash, never in an action from an answer that was half read.
func TestWhatModelsGetWrong(t *testing.T) {
	zone := `{"name": "CREATE_ZONE", "arguments": {"name": "Z"}}`
	corrected := []string{"USER", "AI?", "FORMAT_ERROR", "AI"}
	cases := map[string]struct {
		protocol string
		answer   string // of the first call; the next one says "Sorry."
		want     []string
		zones    int
	}{
		"unknown command":         {"native", `{"calls": [{"name": "LAUNCH", "arguments": {}}, ` + zone + `]}`, corrected, 0},
		"wrong params":            {"native", `{"calls": [{"name": "CREATE_ZONE", "arguments": {"name": 7}}]}`, corrected, 0},
		"unknown param":           {"native", `{"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Z", "colour_of_sky": 1}}]}`, corrected, 0},
		"arguments cut":           {"native", `{"calls": [` + zone + `, {"name": "CREATE_ZONE", "arguments": "{\"name\": \"Ha"}]}`, corrected, 0},
		"arguments no object":     {"native", `{"calls": [{"name": "CREATE_ZONE", "arguments": "[1]"}]}`, corrected, 0},
		"cut by length":           {"native", `{"stop_reason": "length", "calls": [` + zone + `]}`, corrected, 0},
		"eleven calls":            {"native", `{"calls": [` + strings.Repeat(zone+", ", 10) + zone + `]}`, corrected, 0},
		"nothing at all":          {"native", `{"text": ""}`, corrected, 0},
		"module beside a command": {"native", `{"calls": [` + zone + `, {"name": "ASK_USER", "arguments": {"type": "Text", "data": {"question": "?"}}}]}`, corrected, 0},
		"invalid module":          {"native", `{"calls": [{"name": "ASK_USER", "arguments": {"type": "MultipleChoice", "data": {"question": "?"}}}]}`, corrected, 0},
		"two calls with one id":   {"native", `{"calls": [{"id": "x", "name": "CREATE_ZONE", "arguments": {"name": "A"}}, {"id": "x", "name": "CREATE_ZONE", "arguments": {"name": "B"}}]}`, []string{"USER", "AI", "ACTIONS_EXECUTED", "AI"}, 2},
		"the same action twice":   {"native", `{"calls": [` + zone + `, ` + zone + `]}`, []string{"USER", "AI", "ACTIONS_EXECUTED", "AI"}, 1},
		"a query with wrong params": {"native", `{"calls": [{"name": "ZONES", "arguments": {"x": 1}}, {"name": "APP_STATE", "arguments": {}}]}`,
			[]string{"USER", "AI", "DATA_ADDED", "AI"}, 0},
		"prose":              {"json", `{"text": "I think I should create a zone."}`, corrected, 0},
		"fences":             {"json", "{\"text\": \"Here:\\n```json\\n{\\\"pre_text\\\": \\\"Hi\\\"}\\n```\"}", []string{"USER", "AI"}, 0},
		"cut JSON":           {"json", `{"stop_reason": "length", "text": "{\"pre_text\": \"x\", \"action_commands\": [{\"type\": \"CREATE_ZONE\", \"params\": {\"name\": \"Z\"}}"}`, corrected, 0},
		"both kinds at once": {"json", `{"json": {"pre_text": "x", "data_commands": [{"type": "ZONES", "params": {}}], "action_commands": [{"type": "CREATE_ZONE", "params": {"name": "Z"}}]}}`, corrected, 0},
		"an unknown field":   {"json", `{"json": {"pre_text": "x", "do_it_now": true}}`, corrected, 0},
		"seven megabytes":    {"json", `{"megabytes": 7}`, []string{"USER", "AI?", "FORMAT_ERROR", "CONTEXT_SUMMARY", "AI"}, 0},
	}
	s := newServer(t, harness.Databases["sqlite"](t))
	var steps []string
	for name, c := range cases {
		steps = append(steps, `{"when": {"matches": "^`+name+`$", "roundtrip": 1}, "answer": `+c.answer+`}`)
	}
	for _, protocol := range []string{"native", "json"} {
		last := `{"answer": {"text": "Sorry."}}`
		if protocol == "json" {
			last = `{"answer": {"json": {"pre_text": "Sorry."}}}`
		}
		s.Call("POST", "/v1/providers", `{"name": "`+protocol+`", "kind": "script", "config": {"protocol": "`+protocol+`", "steps": [`+strings.Join(append(slices.Clone(steps), last), ",")+`]}}`).Want(201)
	}
	ids := map[string]string{}
	for _, p := range s.Call("GET", "/v1/providers", nil).Want(200).List("data") {
		row := p.(map[string]any)
		ids[row["name"].(string)] = row["id"].(string)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := len(s.Call("GET", "/v1/zones", nil).List("data"))
			chat := s.Call("POST", "/v1/sessions", map[string]any{"provider_id": ids[c.protocol]}).Want(201).Str("id")
			r := s.Say(chat, name)
			if r.Str("phase") != "IDLE" {
				t.Fatalf("it does not rest: %s", r.Body)
			}
			if got := s.Record(chat); !slices.Equal(got, c.want) {
				t.Errorf("the record is %v, want %v", got, c.want)
			}
			if made := len(s.Call("GET", "/v1/zones", nil).List("data")) - before; made != c.zones {
				t.Errorf("%d zones were made, want %d", made, c.zones)
			}
		})
	}
	for _, row := range s.Call("GET", "/v1/admin/invariants", nil).Want(200).List("data") {
		if inv := row.(map[string]any); inv["count"].(float64) != 0 {
			t.Errorf("invariant %v is %v", inv["name"], inv["count"])
		}
	}
}
