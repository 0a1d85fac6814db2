package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
)

func twoActions() *asking {
	return newAsking(&api.Approval{ID: "apr_1", Kind: api.ApprovalActions, Actions: []api.ApprovalAction{
		{ID: "exe_1", Command: "ADD", Text: "Add\nit", Params: json.RawMessage(`{"b": 1.50, "a": "x"}`)},
		{ID: "exe_2", Command: "DROP", Text: "Drop it", Params: json.RawMessage(`{}`)},
	}})
}

// TestEditsAreRead: what differs is sent and nothing else, and what cannot be read is said.
func TestEditsAreRead(t *testing.T) {
	q := twoActions()
	text := q.editHeader() + q.editText()
	if !strings.HasPrefix(text, "// \"1\": Add\n// it (ADD)\n// \"2\": Drop it (DROP)\n") {
		t.Errorf("the file is\n%s", text)
	}
	if strings.Index(text, `"b": 1.50`) > strings.Index(text, `"a": "x"`) {
		t.Errorf("its fields are in another order\n%s", text)
	}
	for left, want := range map[string]string{
		uncommented(text):                             `{}`,
		`{"1": {"a": "x", "b": 1.50}, "2": {}}`:       `{}`,
		`{"1": {"a": "y", "b": 1.5}, "2": {}}`:        `{"exe_1":{"a":"y","b":1.5}}`,
		`{"1": {"b": 1.50, "a": "x"}, "2": {"c": 1}}`: `{"exe_2":{"c":1}}`,
		`{"1": {"b": 1.50}, "2": {"c": 1}}`:           `{"exe_1":{"b":1.50},"exe_2":{"c":1}}`,
		`{"1": {}}`:                                   `"2" is missing`,
		`{"1": {}, "2": {}, "3": {}}`:                 `there is no action "3"`,
		`{"1": [], "2": {}}`:                          `not a JSON object`,
		`{"1": null, "2": {}}`:                        `null`,
		`null`:                                        `null`,
		`{"1": {}, "2": {}} {}`:                       `after the end`,
		"{\n\"1\": {},\n\"2\": {,}}":                  `in line 3`,
		`{"1": `:                                      `incomplete`,
	} {
		params, wrong := q.readEdits(left)
		got, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		if want[0] == '{' && string(got) != want || want[0] != '{' && !strings.Contains(wrong, want) {
			t.Errorf("%s: %s %q, want %s", left, got, wrong, want)
		}
	}
}

// TestEditsGoWithTheirAction: an edit of an action that is left out is not sent, nor with a no.
func TestEditsGoWithTheirAction(t *testing.T) {
	for said, want := range map[string]string{
		"y": `{"approved":true,"edits":{"exe_1":{"a":2}}}`,
		"1": `{"approved":true,"approved_ids":["exe_1"],"edits":{"exe_1":{"a":2}}}`,
		"2": `{"approved":true,"approved_ids":["exe_2"]}`,
		"n": `{"approved":false}`,
	} {
		q := twoActions()
		q.edits.params = map[string]json.RawMessage{"exe_1": json.RawMessage(`{"a":2}`)}
		answer, problem := q.feed(said)
		if got, err := json.Marshal(answer); err != nil || string(got) != want || problem != "" {
			t.Errorf("%s: %s %q %v, want %s", said, got, problem, err, want)
		}
	}
}

// TestValuesAreAskedForOneByOne: kept, taken away, of the kind that they had, and in JSON where that is none.
func TestValuesAreAskedForOneByOne(t *testing.T) {
	q := twoActions()
	q.askLines()
	for _, c := range []struct{ question, said, problem string }{
		{"1. b, now 1.50 (. keeps it, - removes it):", "seven", "Please enter it as JSON"},
		{"1. b, now 1.50", "7", ""},
		{`1. a, now "x"`, "12", "b: 1.50 -> 7"},
	} {
		if !strings.HasPrefix(q.question(), c.question) {
			t.Errorf("asked %q, want %q", q.question(), c.question)
		}
		if answer, problem := q.feed(c.said); answer != nil || c.problem == "" && problem != "" || !strings.Contains(problem, c.problem) {
			t.Errorf("%q: %v %q, want %q", c.said, answer, problem, c.problem)
		}
	}
	if got := string(q.edits.params["exe_1"]); got != `{"a":"12","b":7}` || !strings.HasPrefix(q.question(), "Approve as edited?") {
		t.Errorf("edited to %s; %s", got, q.question())
	}
	q.askLines() // once more, from the current state
	for _, said := range []string{"x", "1.50"} {
		q.feed(said)
	}
	if len(q.edits.params) != 0 || !strings.HasPrefix(q.question(), "Approve?") {
		t.Errorf("edited back to %v; %s", q.edits.params, q.question())
	}
	q.askLines()
	q.feed(keep)
	q.feed(leaveOut)
	if got := string(q.edits.params["exe_1"]); got != `{"b":1.50}` {
		t.Errorf("without a: %s", got)
	}
}
