package jsonbody

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// everything has a field of each kind that a request has.
type everything struct {
	Text    string                      `json:"text"`
	Named   kind                        `json:"named"`
	Yes     bool                        `json:"yes"`
	Count   int                         `json:"count"`
	Long    int64                       `json:"long"`
	Share   float64                     `json:"share"`
	Raw     json.RawMessage             `json:"raw"`
	At      time.Time                   `json:"at"`
	Perhaps *string                     `json:"perhaps,omitempty"`
	MaybeAt *time.Time                  `json:"maybe_at"`
	MaybeRw *json.RawMessage            `json:"maybe_raw"`
	List    []string                    `json:"list"`
	Parts   []inner                     `json:"parts"`
	Refs    []*inner                    `json:"refs"`
	By      map[string]inner            `json:"by"`
	Edits   map[kind]json.RawMessage    `json:"edits"`
	Deep    *map[string]map[string]bool `json:"deep"`
	Null    nullable                    `json:"null"`
	Any     any                         `json:"any"`
	Bytes   []byte                      `json:"bytes"`
	Small   int8                        `json:"small"`
	Quoted  int                         `json:"quoted,string"`
	Skipped string                      `json:"-"`
	Plain   string
}

type (
	kind  string
	inner struct {
		Name string `json:"name"`
		N    *int   `json:"n"`
	}
	// nullable reads itself, as the contract's own types do.
	nullable map[bool]int
)

func (n *nullable) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = nullable{false: 0}
		return nil
	}
	var value int
	err := json.Unmarshal(text, &value)
	*n = nullable{true: value}
	return err
}

var filled = []string{
	`{"text":"a\n\u00e9\"","named":"k","yes":true,"count":-1,"long":9223372036854775807,"share":1.5e3}`,
	` { "raw" : {"b": [1, 2.0 ,{}], "a":"x"} , "at":"2026-03-02T07:30:00Z"} `, `{"raw":null,"maybe_raw":null,"maybe_at":null,"perhaps":null}`,
	`{"maybe_raw": [ ],"maybe_at":"2026-03-02T07:30:00Z","perhaps":"x","raw":-0.0e1}`, `{"list":[],"parts":[{},{"name":"a","n":1}],"refs":[null,{"n":null}]}`,
	`{"list":null,"by":null,"text":null,"count":null,"yes":null,"share":null}`, `{"by":{"a":{"name":"x"},"b":{}},"edits":{"i":{"x":1}},"deep":{"a":{"b":true},"c":{}}}`,
	`{"null":null}`, `{"null":7}`, `{"any":{"a":[1]},"bytes":"aGk=","small":7,"Plain":"x"}`, `{"TEXT":"folded","plain":"x"}`, `{"unknown":1,"text":"x"}`, `{"-":"x","Skipped":"x"}`,
	`{"text":1}`, `{"count":1.5}`, `{"count":1e3}`, `{"share":1e999}`, `{"long":9223372036854775808}`, `{"at":"soon"}`, `{"list":{}}`, `{"by":[]}`, `{"null":"x"}`, `{"quoted":"3"}`,
	`{"parts":[{"name":"a"},{"name":2}],"text":"after"}`, `[]`, `null`, `"x"`, `{"edits":{"k":0},"edits2":1}`, `{"text":"a","text":"b","by":{"a":{"name":"x"}},"by":{"b":{}}}`,
}

// What Fill decodes is what Unmarshal decodes, and so are its errors.
func TestFillIsUnmarshal(t *testing.T) {
	for _, text := range filled {
		likeUnmarshal(t, []byte(text), func() any { return &everything{} })
		likeUnmarshal(t, []byte(text), func() any { return &struct{ inner }{} })
		likeUnmarshal(t, []byte(text), func() any { return &[]any{} })
		likeUnmarshal(t, []byte(text), func() any { return new(json.RawMessage) })
	}
}

func likeUnmarshal(t *testing.T, text []byte, fresh func() any) {
	t.Helper()
	got, want := fresh(), fresh()
	err, expected := Fill(text, got), Unmarshal(text, want)
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, expected) {
		t.Errorf("%s into %T: %+v %v\nUnmarshal: %+v %v", text, got, got, err, want, expected)
	}
}

// A short text out of a large body does not keep the body.
func TestAFilledTextStandsAlone(t *testing.T) {
	text := []byte(`{"text":"short","list":["` + strings.Repeat("a", 1<<10) + `"]}`)
	var got everything
	if err := Fill(text, &got); err != nil {
		t.Fatal(err)
	}
	clear(text)
	if got.Text != "short" || got.List[0][0] != 'a' {
		t.Error(got.Text, got.List)
	}
}

// FuzzFill looks for a text that is decoded otherwise than Unmarshal decodes it.
func FuzzFill(f *testing.F) {
	for _, text := range filled {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, mistakes, err := Read(text, Request); err == nil && len(mistakes.List) == 0 {
			likeUnmarshal(t, text, func() any { return &everything{} })
		}
	})
}
