package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// The format of an answer is read as each of the protocols sends it, and rejected at the position of its cause.
func TestTheFormatOfAnAnswer(t *testing.T) {
	long := strings.Repeat("x", maxFormatWords+1)
	for given, want := range map[string]string{
		``: "text", `null`: "text", `{"type":"text"}`: "text", `{"type":"json_object"}`: `json_object {"type":"object"}`,
		`{"type":"json_schema","name":"a","strict":true,"description":"Why.","schema":{"type":"array"}}`: `json_schema {"type":"array"}`,
		`{"type":"json_schema","schema":true}`:                            `json_schema true`,
		`{"type":"json_schema"}`:                                          "rejected /at",
		`{"type":"json_schema","schema":null}`:                            "rejected /at",
		`{"type":"json_schema","json_schema":{"schema":{}}}`:              "rejected /at",
		`{"type":"json_schema","name":"` + long[:65] + `","schema":{}}`:   "rejected /at/name",
		`{"type":"json_schema","description":"` + long + `","schema":{}}`: "rejected /at/description",
		`{"type":"json_schema","schema":{"allOf":[{"type":"x"}]}}`:        "rejected /at/schema/allOf/0/type",
		`{"type":"regex"}`: "rejected /at/type",
		`{}`:               "rejected /at/type",
		`"json"`:           "rejected /at",
	} {
		format, err := ReadAnswerFormat(json.RawMessage(given), "/at", "")
		got := "text"
		switch {
		case err != nil:
			e, ok := err.(*domain.Error)
			if !ok || len(e.Fields) != 1 {
				t.Fatalf("%s: %v", given, err)
			}
			got = "rejected " + e.Fields[0].Pointer
		case format != nil:
			shown := AnswerFormatOf(&domain.Message{Tools: &domain.ClientTools{Answer: format}})
			got = shown.Type + " " + string(format.Schema)
		}
		if got != want {
			t.Errorf("%.80s: %s, want %s", given, got, want)
		}
	}
}

// A response repeats the format of its request.
func TestAResponseHasItsFormat(t *testing.T) {
	for given, want := range map[string]string{
		`{"type":"json_schema","name":"a","strict":true,"schema":{"type":"array"}}`: `{"type":"json_schema","name":"a","schema":{"type":"array"},"strict":true}`,
		`{"type":"json_object"}`: `{"type":"json_object"}`,
		`null`:                   `{"type":"text"}`,
	} {
		format, err := ReadAnswerFormat(json.RawMessage(given), "/at", "")
		if err != nil {
			t.Fatal(err)
		}
		shown, err := json.Marshal(AnswerFormatOf(&domain.Message{Tools: (*domain.ClientTools)(nil).WithAnswer(format)}))
		if err != nil || string(shown) != want {
			t.Errorf("%s: %s, %v", given, shown, err)
		}
	}
}

// Tools without functions need no look at the catalogue.
func TestAFormatIsNoTool(t *testing.T) {
	tools := (*domain.ClientTools)(nil).WithAnswer(&domain.AnswerFormat{Schema: anyObject})
	if tools == nil || len(tools.List) != 0 || tools.Answer == nil {
		t.Errorf("%+v", tools)
	}
	before := &domain.ClientTools{List: []domain.ClientTool{{Name: "f"}}, OneAtATime: true}
	if after := before.WithAnswer(tools.Answer); before.Answer != nil || after.Answer == nil || len(after.List) != 1 || !after.OneAtATime {
		t.Errorf("%+v of %+v", after, before)
	}
	if before.WithAnswer(nil) != before {
		t.Error("text needs no copy")
	}
}
