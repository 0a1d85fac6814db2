package responses

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// What cannot be served is rejected by its name; what belongs to the provider is ignored.
func TestARequest(t *testing.T) {
	names := make([]string, maxMetadata+1)
	for i := range names {
		names[i] = fmt.Sprintf(`"%d":""`, i)
	}
	for more, pointer := range map[string]string{
		``: "", `,"temperature":1,"truncation":"auto","instructions":null`: "", `,"text":{"format":{"type":"text"}}`: "", `,"text":{}`: "",
		`,"metadata":{"a":"b"}`: "", `,"conversation":"mine"`: "", `,"previous_response_id":"resp_1"`: "",
		`,"prompt":{"id":"x"}`:                              "/prompt",
		`,"user":"two\nlines"`:                              "/user",
		`,"previous_response_id":"r","conversation":"mine"`: "/conversation",
		`,"text":{"format":{"type":"json_schema"}}`:         "/text/format",
		`,"text":{"format":{"type":"json_schema","name":"a","schema":{"type":"object"}}}`: "",
		`,"text":{"format":{"type":"json_schema","schema":{"items":{"$ref":"#"}}}}`:       "/text/format/schema/items/$ref",
		`,"text":7`: "/text",
		`,"metadata":{` + strings.Join(names, ",") + `}`:                      "/metadata",
		`,"metadata":{"a":"` + strings.Repeat("é", maxMetadataValue+1) + `"}`: "/metadata",
		`,"metadata":{"` + strings.Repeat("é", maxMetadataName+1) + `":""}`:   "/metadata",
		`,"stream":"yes"`: "/stream",
	} {
		_, err := readRequest([]byte(`{"model":"fermata","input":"Hello"` + more + `}`))
		if got := pointerOf(err); got != pointer || (err == nil) != (pointer == "") {
			t.Errorf("%s: %q, want %q (%v)", more, got, pointer, err)
		}
	}
	for body, pointer := range map[string]string{
		`{"input":"Hello"}`: "/model", `{"model":"fermata/raw","input":"Hello"}`: "/model", `{"model":"fermata","input":[]}`: "/input", `{"model":"fermata"}`: "/input",
	} {
		if _, err := readRequest([]byte(body)); pointerOf(err) != pointer {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// A conversation is named by its id or by an object.
func TestNameOfTheConversation(t *testing.T) {
	for value, want := range map[string]string{
		`null`: "", `"mine"`: "mine", `{"id":" mine "}`: "mine", `7`: "!/conversation", `{}`: "!/conversation", `" "`: "!/conversation",
		`"` + strings.Repeat("x", 201) + `"`: "!/conversation",
	} {
		name, err := (&request{Talk: []byte(value)}).sessionName()
		if err != nil {
			name = "!" + pointerOf(err)
		}
		if name != want {
			t.Errorf("%s is %q, want %q", value, name, want)
		}
	}
}

// Instructions come first, and a text is a message of the user.
func TestInputOfARequest(t *testing.T) {
	for in, want := range map[string]string{
		`"input":"Hello"`: "user Hello",
		`"input":"Hello","instructions":"Be brief."`:                                     "system Be brief., user Hello",
		`"input":[{"role":"developer","content":"d"},{"role":"user","content":"Hello"}]`: "developer d, user Hello",
		`"input":"Hello","instructions":7`:                                               "rejected /instructions",
		`"input":7`:                                                                      "rejected /input",
		`"input":[{"role":"user","content":7}]`:                                          "rejected /input/0/content",
		`"input":[{"role":"user","content":"a"},{"type":"other"}]`:                       "rejected /input/1/type",
	} {
		r, err := readRequest([]byte(`{"model":"fermata",` + in + `}`))
		if err != nil {
			t.Fatal(in, err)
		}
		all, err := r.inputItems()
		var got []string
		for i := range all {
			got = append(got, all[i].Role+" "+all[i].Text)
		}
		if err != nil {
			got = []string{"rejected " + pointerOf(err)}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %q, want %q", in, text, want)
		}
	}
}

// After a previous response only new messages are sent. References to what is in the record are ignored.
func TestTheNewMessage(t *testing.T) {
	for input, want := range map[string]string{
		`[{"role":"user","content":"One"}]`: "One",
		`[{"role":"system","content":"s"},{"role":"user","content":"One"},{"role":"user","content":"Two"}]`: "One\n\nTwo",
		`[{"id":"msg_1"},{"role":"user","content":"One"}]`:                                                  "One",
		`[{"role":"assistant","content":"1"},{"role":"user","content":"One"}]`:                              "rejected /input/0",
		`[{"role":"system","content":"s"}]`:                                                                 "rejected /input",
		`[{"role":"user","content":" "}]`:                                                                   "rejected /input/0/content",
	} {
		all, err := (&request{Input: []byte(input)}).inputItems()
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := newMessageOf(all)
		got := rounds.TextOf(pieces)
		if err != nil {
			got = "rejected " + pointerOf(err)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}

// Items of this server are referred to by their ids: answers, calls and approvals of the workspace.
func TestReferences(t *testing.T) {
	w := newWorld(t)
	w.called(t, domain.ApprovalStatusOpen)
	c := w.config()
	call := strings.TrimPrefix(domain.ClientCallID(approvalID, 0), "call_")
	for id, want := range map[string]string{
		answerID: "Good day.", "fc_" + call: "a call", "msg_" + strings.TrimPrefix(approvalID, "apr_"): "",
		messageID: "rejected /input/0/id", "fc_x": "rejected /input/0/id", "rs_1": "rejected /input/0/id", "msg_9": "rejected /input/0/id",
	} {
		all, err := (&request{Input: []byte(`[{"id":"` + id + `"}]`)}).inputItems()
		if err == nil {
			err = (&referenceResolver{Config: &c, workspace: "w"}).resolve(t.Context(), all)
		}
		got := all[0].Text
		switch {
		case err != nil:
			got = "rejected " + pointerOf(err)
		case all[0].isCall:
			got = "a call"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

// What a request names twice has to be the same session, and nothing is stored otherwise.
func TestContradictions(t *testing.T) {
	w := newWorld(t)
	w.called(t, domain.ApprovalStatusOpen)
	door := &Door{Config: w.config()}
	results := `[{"type":"function_call_output","call_id":"` + domain.ClientCallID(approvalID, 0) + `","output":"sunny"}]`
	for body, want := range map[string]string{
		`"input":"Hello","previous_response_id":"resp_1"`:                                    "not_found /previous_response_id",
		`"input":` + results + `,"previous_response_id":"resp_1"`:                            "not_found /previous_response_id",
		`"input":` + results + `,"conversation":"theirs"`:                                    "invalid /conversation",
		`"input":` + results + `,"conversation":"mine"`:                                      "invalid /input/0/call_id", // the second result is missing
		`"input":[{"type":"function_call_output","call_id":"call_x","output":"s"}]`:          "invalid /input/0/call_id",
		`"input":` + strings.TrimSuffix(results, "]") + `,{"role":"user","content":"Next"}]`: "invalid /input/0/call_id",
	} {
		if got := serve(t, door, http.MethodPost, "", "", `{"model":"fermata",`+body+`}`); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
