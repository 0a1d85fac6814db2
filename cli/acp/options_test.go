package acp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
)

// Each kind of approval has its answers, or a form, or neither.
func TestWhatAPersonCanAnswer(t *testing.T) {
	actions := func(n int) string {
		return `{"kind":"actions","actions":[` + strings.TrimSuffix(strings.Repeat(`{"id":"exe"},`, n), ",") + `]}`
	}
	question := func(kind, data string) string {
		return `{"kind":"question","module":{"type":"` + kind + `","data":` + data + `}}`
	}
	for name, c := range map[string]struct{ approval, options, form string }{
		"one change":        {actions(1), `Approve{"approved":true} Refuse{"approved":false}`, ""},
		"two changes":       {actions(2), `Approve all 2{"approved":true} Refuse all{"approved":false} Only 1{"approved":true,"approved_ids":["exe"]} Only 2{"approved":true,"approved_ids":["exe"]}`, ""},
		"many changes":      {actions(11), `Approve all 11{"approved":true} Refuse all{"approved":false}`, ""},
		"a budget":          {`{"kind":"budget"}`, `Go on{"approved":true} Stop here{"approved":false}`, ""},
		"a completion":      {`{"kind":"completion"}`, `It is finished{"confirmed":true} Not yet{"confirmed":false}`, ""},
		"an outcome":        {`{"kind":"outcome"}`, `It happened{"outcome":"happened"} It did not{"outcome":"did_not"} Run it again{"outcome":"run_again"}`, ""},
		"a sign-in":         {`{"kind":"reconnect"}`, `Signed in: try again{"approved":true} Do without{"approved":false}`, ""},
		"a client's tools":  {`{"kind":"client_calls"}`, `Stop waiting{"approved":false}`, ""},
		"a poisoned one":    {`{"kind":"poisoned"}`, `Try again{"approved":true} Stop{"approved":false}`, ""},
		"yes or no":         {question("Validation", `{"message":"Sure?"}`), `Yes{"value":true} No{"value":false} Leave it unanswered{"cancelled":true}`, ""},
		"one of two":        {question("MultipleChoice", `{"options":["red","blue"]}`), `red{"value":"red"} blue{"value":"blue"} Leave it unanswered{"cancelled":true}`, `{"properties":{"value":{"enum":["red","blue"],"title":"Your answer","type":"string"}},"required":["value"],"type":"object"}`},
		"some of two":       {question("MultipleChoice", `{"options":["red","blue"],"multiple":true}`), "", `{"properties":{"value":{"items":{"enum":["red","blue"],"type":"string"},"minItems":1,"title":"Your answer","type":"array"}},"required":["value"],"type":"object"}`},
		"words":             {question("Text", `{"question":"Where?"}`), "", `{"properties":{"value":{"minLength":1,"title":"Your answer","type":"string"}},"required":["value"],"type":"object"}`},
		"a form":            {question("Form", `{"schema":{"properties":{"name":{"type":"string"}}}}`), "", `{"properties":{"name":{"type":"string"}}}`},
		"a form in a form":  {question("Form", `{"schema":{"properties":{"place":{"type":"object"}}}}`), "", ""},
		"a form of nothing": {question("Form", `{"schema":{"properties":{}}}`), "", ""},
		"something new":     {question("Map", `{}`), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var a api.Approval
			if err := json.Unmarshal([]byte(c.approval), &a); err != nil {
				t.Fatal(err)
			}
			var options []string
			for _, o := range answerOptions(&a) {
				answer, err := json.Marshal(o.answer)
				if err != nil {
					t.Fatal(err)
				}
				options = append(options, o.name+string(answer))
			}
			if got := strings.Join(options, " "); got != c.options {
				t.Errorf("the options are %s", got)
			}
			form := ""
			if f := formOf(&a); f != nil {
				text, err := json.Marshal(f)
				if err != nil {
					t.Fatal(err)
				}
				form = string(text)
			}
			if form != c.form {
				t.Errorf("the form is %s", form)
			}
		})
	}
}

// What was put into a form is the value, or the one field of it.
func TestWhatWasPutIntoAForm(t *testing.T) {
	for kind, want := range map[string]string{
		"Form": `{"value":{"name":"Ada","value":"x"}}`, "Text": `{"value":"x"}`,
	} {
		content := map[string]json.RawMessage{"name": json.RawMessage(`"Ada"`), "value": json.RawMessage(`"x"`)}
		got, err := json.Marshal(valueOf(&api.Approval{Module: &api.Module{Type: kind}}, content))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s (%v)", kind, got, err)
		}
	}
}

// A prompt consists of the person's text and of the embedded resources, which are kept apart.
func TestTextOfAPrompt(t *testing.T) {
	var blocks []block
	if err := json.Unmarshal([]byte(`[{"type":"text","text":"Look at "},{"type":"resource_link","name":"a.go","uri":"file:///a.go"},{"type":"text","text":" and this:"},
		{"type":"resource","resource":{"uri":"file:///src/b.go","text":"package b\n"}}]`), &blocks); err != nil {
		t.Fatal(err)
	}
	content, err := readPrompt(blocks)
	want := promptContent{{text: "Look at [a.go](file:///a.go) and this:\n\nfile:///src/b.go:\n\n"}, {text: "package b\n", resource: "b.go"}}
	if err != nil || !slices.Equal(content, want) {
		t.Errorf("%q (%v)", content, err)
	}
	for name, wrong := range map[string][]block{"nothing": nil, "blanks": {{Type: "text", Text: " \n"}}, "a picture": {{Type: "image"}}, "bytes": {{Type: "resource"}}} {
		if content, err := readPrompt(wrong); err == nil {
			t.Errorf("%s is %q", name, content)
		}
	}
}

// A resource is named after the last segment of its path.
func TestNameOfAResource(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///home/ada/plan.md":      "plan.md",
		"file:///home/ada/my%20plan.md": "my plan.md",
		"file:///src/main.go#L1:20":     "main.go",
		"https://example.org/":          "resource",
		"https://example.org":           "https://example.org"[len("https://"):],
		"zed://thread/1":                "1",
		"":                              "resource",
		"%zz":                           "%zz",
	} {
		if got := resourceName(uri); got != want {
			t.Errorf("%q is called %q, want %q", uri, got, want)
		}
	}
}
