package chat

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
)

// pointerOf returns the JSON pointer of a rejected value; "" for no error.
func pointerOf(err error) string {
	if err == nil {
		return ""
	}
	if invalid, ok := errors.AsType[*domain.Error](err); ok && len(invalid.Fields) == 1 {
		return invalid.Fields[0].Pointer
	}
	return err.Error()
}

// What cannot be served is rejected by its name, in terms of JSON; what belongs to the provider is ignored.
func TestARequest(t *testing.T) {
	const messages = `"messages":[{"role":"user","content":"Hello"}]`
	for body, pointer := range map[string]string{
		`{"model":"fermata",` + messages + `}`:                                                      "",
		`{"model":"fermata",` + messages + `,"temperature":2,"metadata":{"a":"b"},"logprobs":null}`: "",
		`{"model":"fermata",` + messages + `,"n":1,"modalities":["text"],"functions":[]}`:           "",
		`{"model":"fermata",` + messages + `,"response_format":{"type":"text"}}`:                    "",
		`{` + messages + `}`:                                                             "/model",
		`{"model":"fermata","messages":[]}`:                                              "/messages",
		`{"model":"fermata",` + messages + `,"n":2}`:                                     "/n",
		`{"model":"fermata",` + messages + `,"user":"two\nlines"}`:                       "/user",
		`{"model":"fermata",` + messages + `,"user":"` + strings.Repeat("x", 201) + `"}`: "/user",
		`{"model":"fermata",` + messages + `,"functions":[{}]}`:                          "/functions",
		`{"model":"fermata",` + messages + `,"response_format":{"type":"json_object"}}`:  "",
		`{"model":"fermata",` + messages + `,"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object"}}}}`: "",
		`{"model":"fermata",` + messages + `,"response_format":{"type":"grammar"}}`:                                                                         "/response_format/type",
		`{"model":"fermata",` + messages + `,"response_format":"json"}`:                                                                                     "/response_format",
		`{"model":"fermata",` + messages + `,"response_format":{"type":"json_schema","schema":{}}}`:                                                         "/response_format/json_schema",
		`{"model":"fermata",` + messages + `,"response_format":{"type":"json_schema","json_schema":{"name":"two\nlines","schema":{}}}}`:                     "/response_format/json_schema/name",
		`{"model":"fermata",` + messages + `,"response_format":{"type":"json_schema","json_schema":{"schema":{"properties":{"a":{"type":"x"}}}}}}`:          "/response_format/json_schema/schema/properties/a/type",
		`{"model":"fermata",` + messages + `,"response_format":{"type":"json_schema","json_schema":{"schema":false}}}`:                                      "/response_format/json_schema/schema",
		`{"model":"fermata",` + messages + `,"audio":{"voice":"x"}}`:                                                                                        "/audio",
		`{"model":"fermata",` + messages + `,"modalities":["text","audio"]}`:                                                                                "/modalities/1",
		`{"model":"fermata","messages":"hi"}`:                               "/messages",
		`{"model":7,"messages":[]}`:                                         "/model",
		`{"model":"fermata","stream":"yes","messages":[{"role":"user"}]}`:   "/stream",
		`{"model":"fermata","stream_options":{"include_usage":"x"}}`:        "/stream_options/include_usage",
		`{"model":"fermata","messages":[{"role":1,"content":"x"}],"n":"1"}`: "/messages/role",
	} {
		_, err := readRequest([]byte(body))
		if got := pointerOf(err); got != pointer || err != nil && strings.Contains(err.Error(), "Go") {
			t.Errorf("%s: %q, want %q (%v)", body, got, pointer, err)
		}
	}
}

// The messages of a request have their pointers.
func TestMessagesOfARequest(t *testing.T) {
	for messages, want := range map[string]string{
		`[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"u"}]}]`:               "system s, user u",
		`[{"role":"assistant","content":null,"tool_calls":[]},{"role":"tool","tool_call_id":"c","content":"r"}]`: "assistant , tool r of c at /messages/1/tool_call_id",
		`[{"role":"robot","content":"x"}]`: "rejected /messages/0/role",
		`[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"image_url","image_url":{"url":"data:,a"}}]}]`: "rejected /messages/1/content/0",
	} {
		r, err := readRequest([]byte(`{"model":"fermata","messages":` + messages + `}`))
		if err != nil {
			t.Fatal(err)
		}
		all, err := r.inputMessages()
		var got []string
		for _, m := range all {
			line := m.Role + " " + m.Text
			if m.Role == openai.RoleTool {
				line += " of " + m.Call + " at " + m.At + m.CallAt
			}
			got = append(got, line)
		}
		if err != nil {
			got = []string{"rejected " + pointerOf(err)}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %q, want %q", messages, text, want)
		}
	}
}

// Tools are functions with a name that every vendor accepts.
func TestToolsOfARequest(t *testing.T) {
	const function = `{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}`
	for tools, want := range map[string]string{
		`[` + function + `]`:                                             "f {\"type\":\"object\"} one at a time: false",
		`[` + function + `],"parallel_tool_calls":false`:                 "f {\"type\":\"object\"} one at a time: true",
		`[{"type":"function","function":{"name":"g"}}]`:                  `g {"type":"object","properties":{}} one at a time: false`,
		`[` + function + `],"tool_choice":"none"`:                        "",
		`[` + function + `],"tool_choice":"required"`:                    "rejected /tool_choice",
		`[{"type":"web_search"}]`:                                        "rejected /tools/0",
		`[` + function + `,{"type":"function","function":{"name":"é"}}]`: "rejected /tools/1",
		`{}`: "rejected /tools",
		`[` + strings.Repeat(function+",", maxTools) + function + `]`: "rejected /tools",
	} {
		r, err := readRequest([]byte(`{"model":"fermata","messages":[{"role":"user","content":"x"}],"tools":` + tools + `}`))
		if err != nil {
			t.Fatal(err)
		}
		offered, err := r.tools()
		got := ""
		if err != nil {
			got = "rejected " + pointerOf(err)
		} else if offered != nil {
			got = fmt.Sprintf("%s %s one at a time: %v", offered.List[0].Name, offered.List[0].Params, offered.OneAtATime)
		}
		if got != want {
			t.Errorf("%.80s: %q, want %q", tools, got, want)
		}
	}
}
