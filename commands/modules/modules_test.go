package modules

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// pointerIn is where the problem is; "" for an error without a place.
func pointerIn(err error) string {
	if e, is := errors.AsType[*domain.Error](err); is && len(e.Fields) > 0 {
		return e.Fields[0].Pointer
	}
	return ""
}

func TestModulesAndTheirAnswers(t *testing.T) {
	form := `{"title":"You","schema":{"type":"object","properties":{"age":{"type":"integer","minimum":0,"title":"Age"},"sports":{"type":"array","items":{"type":"string"}}},"required":["age"]}}`
	for _, tt := range []struct {
		kind, data string
		good       map[string]string // answer -> in words
		bad        []string
	}{
		{"MultipleChoice", `{"question":"Which?","options":["a","b"]}`, map[string]string{`"a"`: "a"}, []string{`"c"`, `["a"]`, `1`, ``, `nonsense`}},
		{"MultipleChoice", `{"question":"Which?","options":["a","b"],"multiple":true}`, map[string]string{`["a","b"]`: "a, b"}, []string{`"a"`, `[]`, `["a","a"]`, `["c"]`}},
		{"MultipleChoice", `{"question":"Which?","options":["a","b"],"allow_other":true}`, map[string]string{`"c"`: "c"}, []string{`""`, `true`}},
		{"Validation", `{"message":"Sure?"}`, map[string]string{`true`: "Yes", `false`: "No"}, []string{`"yes"`, `1`, `null`}},
		{"Text", `{"question":"Why?","placeholder":"because"}`, map[string]string{`"so"`: "so"}, []string{`""`, `5`}},
		{"Form", form, map[string]string{`{"age":30,"sports":["run"]}`: "Age (age): 30\nsports: [\"run\"]"}, []string{`{}`, `{"age":-1}`, `{"age":"30"}`, `{"age":30,"name":"x"}`, `30`}},
		{"Plan", `{"title":"Move","steps":["pack","go"]}`, map[string]string{`true`: "Yes"}, []string{`["pack"]`}},
	} {
		m := &domain.Module{Type: tt.kind, Data: json.RawMessage(tt.data)}
		if err := Check(m); err != nil {
			t.Errorf("%s %s: %v", tt.kind, tt.data, err)
			continue
		}
		if !json.Valid(ResponseSchema(m)) {
			t.Errorf("%s: %s", tt.kind, ResponseSchema(m))
		}
		for value, words := range tt.good {
			if err := CheckResponse(m, json.RawMessage(value)); err != nil {
				t.Errorf("%s %s: %v", tt.kind, value, err)
			}
			if got := ResponseText(m, json.RawMessage(value), "en"); got != words {
				t.Errorf("%s %s: %q", tt.kind, value, got)
			}
		}
		for _, value := range tt.bad {
			if err := CheckResponse(m, json.RawMessage(value)); domain.ErrorCode(err) != domain.CodeInvalid || !strings.HasPrefix(pointerIn(err), "/value") {
				t.Errorf("%s %s: %v", tt.kind, value, err)
			}
		}
	}
}

// TestAnswersInWords: people and the AI read the answer in the workspace's language.
func TestAnswersInWords(t *testing.T) {
	form := `{"schema":{"type":"object","properties":{"done":{"type":"boolean","title":"Fait"},"unit":{"type":"string","oneOf":[{"const":"km","title":"Kilomètres"}]}}}}`
	for _, tt := range []struct{ kind, data, value, en, fr string }{
		{"Validation", `{"message":"Sure?"}`, `true`, "Yes", "Oui"},
		{"Plan", `{"steps":["pack"]}`, `false`, "No", "Non"},
		{"Form", form, `{"done":true,"unit":"km"}`, "Fait (done): Yes\nunit: km", "Fait (done): Oui\nunit: km"},
		{"Text", `{"question":"Why?"}`, `"parce que"`, "parce que", "parce que"},
	} {
		m := &domain.Module{Type: tt.kind, Data: json.RawMessage(tt.data)}
		if err := Check(m); err != nil {
			t.Errorf("%s: %v", tt.kind, err)
		}
		if en, fr := ResponseText(m, json.RawMessage(tt.value), "en"), ResponseText(m, json.RawMessage(tt.value), "fr"); en != tt.en || fr != tt.fr {
			t.Errorf("%s %s: %q and %q", tt.kind, tt.value, en, fr)
		}
	}
}

// An answer that is not given is refused before its schema is asked.
func TestNoAnswer(t *testing.T) {
	m := &domain.Module{Type: "Text", Data: json.RawMessage(`{"question":"Why?"}`)}
	if err := CheckResponse(m, nil); domain.ErrorCode(err) != domain.CodeInvalid || pointerIn(err) != "/value" {
		t.Errorf("%v at %q", err, pointerIn(err))
	}
}

func TestModulesThatAreNotValid(t *testing.T) {
	for _, tt := range []struct{ kind, data, pointer string }{
		{"MultipleChoice", `{"question":"Which?","options":["a"]}`, "/data/options"},
		{"MultipleChoice", `{"question":"Which?","options":["a","a"]}`, "/data/options"},
		{"MultipleChoice", `{"options":["a","b"]}`, "/data/question"},
		{"Validation", `{"question":"Sure?"}`, "/data/message"},
		{"Validation", ``, "/data/message"},
		{"Text", `{"question":""}`, "/data/question"},
		{"Form", `{"schema":{"type":"object","properties":{}}}`, "/data/schema"},
		{"Form", `{"schema":{"type":"object","properties":{"a":{"type":"object"}}}}`, "/data/schema/properties/a"},
		{"Form", `{"schema":{"type":"object","properties":{"a":{"type":["string","null"]}}}}`, "/data/schema"},
		{"Form", `{"schema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}}}`, "/data/schema/properties/a"},
		{"Form", `{"schema":{"type":"object","properties":{"a":{"type":"string","$ref":"http://example.com/x"}}}}`, "/data/schema"},
		{"Form", `{"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}}`, "/data/schema/required"},
		{"Form", `{"schema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","$ref":"#/properties/a"}}}}`, "/data/schema/properties/b/$ref"},
		{"Form", `{"schema":{"type":"object","$defs":{"x":{"type":"object"}},"properties":{"a":{"type":"string"}}}}`, "/data/schema/$defs"},
		{"Form", `{"schema":{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]}]}}`, "/data/schema/anyOf"},
		{"Form", `{"schema":{"type":"object","properties":{"a":{"type":"string","oneOf":[{"type":"string"}]}}}}`, "/data/schema/properties/a/oneOf"},
		{"Form", `{"schema":{"type":"object","properties":{"a":{"type":"string","properties":{"b":{"type":"string"}}}}}}`, "/data/schema/properties/a/properties"},
		{"Form", `{"schema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","allOf":[]}}}}}`, "/data/schema/properties/a/items/allOf"},
		{"Plan", `{"steps":[]}`, "/data/steps"},
		{"Text", `{"question":"a","colour":"red"}`, "/data/colour"},
	} {
		err := Check(&domain.Module{Type: tt.kind, Data: json.RawMessage(tt.data)})
		if domain.ErrorCode(err) != domain.CodeInvalid || !strings.HasPrefix(pointerIn(err), tt.pointer) {
			t.Errorf("%s %s: %v at %s", tt.kind, tt.data, err, pointerIn(err))
		}
	}
	if err := Check(&domain.Module{Type: "Slider"}); domain.ErrorCode(err) != CodeUnknown {
		t.Error(err)
	}
}

// The AI reads the types with their schemas: each is one that a module of the type can keep to.
func TestTypesOfModules(t *testing.T) {
	types := Types()
	if !slices.IsSorted(types) || !slices.Contains(types, "MultipleChoice") {
		t.Errorf("the types are %v", types)
	}
	for _, name := range types {
		if !json.Valid(DataSchema(name)) {
			t.Errorf("%s has the schema %s", name, DataSchema(name))
		}
		if err := Check(&domain.Module{Type: name, Data: json.RawMessage(`{"unheard_of":1}`)}); domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%s takes any data: %v", name, err)
		}
	}
}

// A module that was stored by a newer server is shown as it is, and no answer to it is accepted.
func TestAModuleOfAnUnknownType(t *testing.T) {
	for name, m := range map[string]*domain.Module{
		"an unknown type": {Type: "Slider", Data: json.RawMessage(`{"from":1,"to":5}`)},
		"unreadable data": {Type: "Form", Data: json.RawMessage(`{"schema":`)},
	} {
		if got := string(ResponseSchema(m)); got != "false" {
			t.Errorf("%s: its answers have the schema %s", name, got)
		}
		if err := CheckResponse(m, json.RawMessage(`3`)); domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%s: an answer was accepted: %v", name, err)
		}
		if got := ResponseText(m, json.RawMessage(`3`), "en"); got != "3" {
			t.Errorf("%s: its answer reads %q", name, got)
		}
	}
}
