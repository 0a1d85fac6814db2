package doors

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// knocked are the doors, each with a body that it would take and the methods that it has. What is
// said is "hello".
var knocked = map[string]struct {
	path, body string
	allow      []string
	code       func(answer []byte) string // of an error in the protocol's form; "" for another form
}{
	"chat completions": {"/v1/chat/completions", `{"model":"fermata","messages":[{"role":"user","content":"hello"}]}`, []string{"POST"}, openAICode},
	"responses":        {"/v1/responses", `{"model":"fermata","input":"hello"}`, []string{"POST"}, openAICode},
	"ag-ui":            {"/v1/agui", aguiBody("a talk", "m1", "hello", "[]"), []string{"GET", "POST"}, problemCode},
	"ui":               {"/v1/ui/chat", uiBody("a talk", "m1", "hello", ""), []string{"POST"}, problemCode},
	"mcp": {"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":{"text":"hello"}}}`,
		[]string{"POST"}, rpcCode},
}

func openAICode(answer []byte) string {
	var e struct {
		Error struct{ Message, Type, Code string }
	}
	if json.Unmarshal(answer, &e) != nil || e.Error.Message == "" || e.Error.Type == "" {
		return ""
	}
	return e.Error.Code
}

func problemCode(answer []byte) string {
	var e struct {
		Type, Title, Detail, Code string
		Status                    int
		RequestID                 string `json:"request_id"`
	}
	if json.Unmarshal(answer, &e) != nil || e.Type == "" || e.Title == "" || e.Detail == "" || e.Status == 0 || e.RequestID == "" {
		return ""
	}
	return e.Code
}

func rpcCode(answer []byte) string {
	var e struct {
		JSONRPC string
		Error   struct {
			Code    int
			Message string
			Data    struct{ Code string }
		}
	}
	if json.Unmarshal(answer, &e) != nil || e.JSONRPC != "2.0" || e.Error.Code == 0 || e.Error.Message == "" {
		return ""
	}
	return e.Error.Data.Code
}

// What no door reads is refused by each in the form of its protocol, with our code, and nothing is
// written.
func TestWhatNoDoorReads(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), echo)
	written := func() string { return string(s.Call("GET", "/v1/events?limit=200", nil).Want(200).Body) }
	before := written()
	asJSON := []string{"Content-Type", "application/json"}
	for name, door := range knocked {
		said := func(text string) string { return strings.Replace(door.body, `"hello"`, text, 1) }
		within := func(field string) string { return "{" + field + "," + door.body[1:] }
		for what, bad := range map[string]struct {
			body    string
			headers []string
			status  int
			code    string
		}{
			"nothing":               {"", asJSON, 400, "empty_body"},
			"spaces":                {" \r\n\t ", asJSON, 400, "empty_body"},
			"a half":                {door.body[:len(door.body)/2], asJSON, 400, "malformed_json"},
			"more behind it":        {door.body + "{}", asJSON, 400, "malformed_json"},
			"a NUL":                 {said("\"a\x00b\""), asJSON, 400, "malformed_json"},
			"an escaped NUL":        {said(`"a\u0000b"`), asJSON, 422, "invalid"},
			"half of a pair":        {said(`"a\ud83db"`), asJSON, 422, "invalid"},
			"no UTF-8":              {said("\"caf\xe9\""), asJSON, 400, "malformed_json"},
			"100,000 brackets":      {strings.Repeat("[", 100_000), asJSON, 400, "too_deep"},
			"100,000 pairs":         {within(`"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)), asJSON, 400, "too_deep"},
			"a name twice":          {within(`"same":1,"same":2`), asJSON, 400, "repeated_name"},
			"a name of 100 KB":      {within(`"` + strings.Repeat("n", 100_000) + `":1`), asJSON, 422, "invalid"},
			"a text":                {`"hello"`, asJSON, 422, "invalid"},
			"a number":              {`1e999999`, asJSON, 422, "invalid"},
			"null":                  {`null`, asJSON, 422, "invalid"},
			"a form":                {"text=hello", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"},
			"a text's type":         {door.body, []string{"Content-Type", "text/plain"}, 415, "unsupported_media_type"},
			"no type":               {door.body, []string{"Content-Type", ""}, 415, "unsupported_media_type"},
			"UTF-16":                {door.body, []string{"Content-Type", "application/json; charset=utf-16"}, 415, "unsupported_media_type"},
			"a type that is none":   {door.body, []string{"Content-Type", "json;;;="}, 415, "unsupported_media_type"},
			"packed":                {door.body, append(asJSON, "Content-Encoding", "gzip"), 415, "unsupported_media_type"},
			"no key":                {door.body, append(asJSON, "Authorization", ""), 401, "unauthenticated"},
			"a wrong key":           {door.body, append(asJSON, "Authorization", "Bearer fmt_"+strings.Repeat("0", 64)), 401, "unauthenticated"},
			"another way to say":    {door.body, append(asJSON, "Authorization", "Basic "+key), 401, "unauthenticated"},
			"a key of 8 KB":         {door.body, append(asJSON, "Authorization", "Bearer "+strings.Repeat("k", 8<<10)), 401, "unauthenticated"},
			"another's workspace":   {door.body, append(asJSON, "Fermata-Workspace", "elsewhere"), 403, "forbidden"},
			"from another origin":   {door.body, append(asJSON, "Origin", "https://evil.example"), 403, "cross_origin"},
			"a method of our own":   {door.body, append(asJSON, "method", "FERMATA"), 405, "method_not_allowed"},
			"what is to be put":     {door.body, append(asJSON, "method", "PUT"), 405, "method_not_allowed"},
			"what is to be patched": {door.body, append(asJSON, "method", "PATCH"), 405, "method_not_allowed"},
			"what is to go":         {"", append(asJSON, "method", "DELETE"), 405, "method_not_allowed"},
		} {
			status, header, answer := s.knock(key, door.path, bad.body, bad.headers)
			if got := door.code(answer); status != bad.status || got != bad.code {
				t.Errorf("%s, %s: %d %q, %.300s", name, what, status, got, answer)
			}
			if allow := strings.Split(header.Get("Allow"), ", "); status == 405 {
				slices.Sort(allow)
				for _, method := range door.allow {
					if !slices.Contains(allow, method) {
						t.Errorf("%s, %s: Allow has %q", name, what, allow)
					}
				}
			}
		}
	}
	if after := written(); after != before {
		t.Errorf("the log was %s and is %s", before, after)
	}
	s.Sound()
}

// knock makes a request; a header "method" is the method.
func (s *server) knock(key, path, body string, headers []string) (status int, header http.Header, answer []byte) {
	s.T.Helper()
	request, err := http.NewRequestWithContext(s.T.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i < len(headers); i += 2 {
		switch name, value := headers[i], headers[i+1]; {
		case name == "method":
			request.Method = value
		case value == "":
			request.Header.Del(name)
		default:
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		s.T.Fatal(err)
	}
	return response.StatusCode, response.Header, answer
}

// An answer to an approval that says more than the door knows is refused: a client that approves one
// of two actions under a name of its own would approve both.
func TestAnAnswerThatSaysMore(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), `[
		{"when": {"roundtrip": 1}, "answer": {"text": "I make two.", "calls": [
			{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}, {"name": "CREATE_ZONE", "arguments": {"name": "Shed"}}]}},
		{"answer": {"text": "Made."}}]`)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true, "mcp_answers": true}).Want(200)
	s.aguiPost(key, aguiBody("a talk", "m1", "make two", "[]"), 0)
	card := s.Card()
	id, first := card.Str("id"), card.Str("actions.0.id")
	doors := map[string]func(answer string) (code string){
		"ag-ui": func(answer string) string {
			_, events, code := s.aguiPost(key, aguiBody("a talk", "m1", "make two",
				fmt.Sprintf(`[{"interruptId":%q,"status":"resolved","payload":%s}]`, id, answer)), 0)
			if len(events) > 0 {
				return events[len(events)-1].Code
			}
			return code
		},
		"mcp": func(answer string) string {
			_, reply := s.rpc(key, fmt.Sprintf(
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer_pending","arguments":{"approval_id":%q,"answer":%s}}}`, id, answer))
			if reply.Result.IsError { // the arguments did not fit the tool
				return "invalid"
			}
			return reply.Error.Data.Code
		},
	}
	for door, answers := range doors {
		for _, wrong := range []string{
			fmt.Sprintf(`{"approved":true,"approvedIds":[%q]}`, first), fmt.Sprintf(`{"approved":true,"Approved_IDs":[%q]}`, first),
			`{"approved":true,"comment":"` + strings.Repeat("x", 10_001) + `"}`, `{"approved":true,"edits":{"` + first + `":7}}`,
			`{"approved":"true"}`, `{"approved":1}`, `{"approved":null}`, `{}`, `[]`, `true`, `{"outcome":"happened"}`,
		} {
			if code := answers(wrong); code != "invalid" {
				t.Errorf("%s: %.60s is %q", door, wrong, code)
			}
		}
	}
	if open := s.Card().Str("id"); open != id || len(s.Call("GET", "/v1/zones", nil).Want(200).List("data")) != 0 {
		t.Fatalf("%s is open, and was %s", open, id)
	}
	if code := doors["ag-ui"](fmt.Sprintf(`{"approved":true,"approved_ids":[%q],"comment":null}`, first)); code != "" {
		t.Errorf("one of two is %q", code)
	}
	if zones := s.Call("GET", "/v1/zones", nil).Want(200); len(zones.List("data")) != 1 || zones.Str("data.0.name") != "Garden" {
		t.Errorf("the zones are %s", zones.Body)
	}
	s.Sound()
}
