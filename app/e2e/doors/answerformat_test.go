package doors

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// inFormat answers in the format on the call that offers no commands, and never where the person says so.
const inFormat = `[
	{"when": {"contains": "never"}, "answer": {"text": "I do not know."}},
	{"when": {"offers": "ASK_USER"}, "answer": {"text": "Three."}},
	{"answer": {"text": "{\"n\":3}"}}]`

var countSchema = map[string]any{
	"type": "object", "required": []any{"n"}, "properties": map[string]any{"n": map[string]any{"type": "integer"}}, "additionalProperties": false,
}

// An answer by a schema through every door that can ask for one: the JSON alone, whole or streamed, or a clear error.
func TestAnswersByASchema(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, inFormat)
		format := map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "count", "strict": true, "schema": countSchema}}
		asks := func(model, text string) map[string]any {
			return map[string]any{"model": model, "messages": []any{message("user", text)}, "response_format": format}
		}
		if plain := s.chat(key, nil, "how many?"); plain.text != "Three." {
			t.Errorf("without a schema: %+v", plain)
		}
		for _, model := range []string{"fermata", "fermata/raw"} {
			if got := s.completion(key, asks(model, "how many?")); got.status != 200 || got.text != `{"n":3}` {
				t.Errorf("%s: %+v", model, got)
			}
			if got := s.completion(key, asks(model, "never")); got.status != 502 || got.Error.Code != "answer_schema" ||
				!strings.Contains(got.Error.Message, "not a JSON value") {
				t.Errorf("%s never: %+v", model, got)
			}
		}
		streamed := asks("fermata", "how many now?")
		streamed["stream"] = true
		body, err := json.Marshal(streamed)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, p := range s.pieces(key, "/v1/chat/completions", string(body)) {
			if p.Choices != nil && len(*p.Choices) > 0 {
				content, _ := (*p.Choices)[0].Delta["content"].(string)
				text += content
			}
		}
		if text != `{"n":3}` {
			t.Errorf("streamed: %q", text)
		}

		s.Key = key
		wanted := map[string]any{"type": "json_schema", "name": "count", "schema": countSchema}
		respond := func(text string, background bool) *harness.Reply {
			return s.openAI("POST", "/v1/responses", map[string]any{
				"model": "fermata", "input": text, "background": background, "text": map[string]any{"format": wanted},
			})
		}
		got := respond("how many?", false)
		if seen, _ := s.readResponse(got); seen.Status != "completed" || seen.text() != `{"n":3}` || got.Str("text.format.name") != "count" ||
			got.Str("text.format.schema.type") != "object" {
			t.Errorf("a response: %s", got.Body)
		}
		if got := respond("never", false); got.Status != 502 || got.Str("error.code") != "answer_schema" {
			t.Errorf("a response, never: %s", got.Body)
		}
		later := respond("never in the background", true).Want(200).Str("id")
		s.Settle(s.response(later).Talk.ID)
		if e := s.response(later).Error; e == nil || e.Code != "answer_schema" {
			t.Errorf("in the background: %+v", e)
		}

		session := s.Chat()
		s.Call("POST", "/v1/sessions/"+session+"/messages", map[string]any{"text": "how many?", "answer_schema": countSchema}).Want(202)
		s.Settle(session)
		created := s.Call("POST", "/v1/sessions", map[string]any{"message": "how many?", "answer_schema": countSchema}).Want(201).Str("id")
		s.Settle(created)
		for _, id := range []string{session, created} {
			if got := s.LastText(id); got != `{"n":3}` {
				t.Errorf("our own: %q", got)
			}
		}
		s.Call("POST", "/v1/sessions/"+session+"/messages", map[string]any{"text": "never", "answer_schema": countSchema}).Want(202)
		s.Settle(session)
		if got := s.Call("GET", "/v1/sessions/"+session+"/messages?order=desc&limit=1", nil).Want(200); got.Str("data.0.system_message.code") != "answer_schema" {
			t.Errorf("never: %s", got.Body)
		}
		s.Key = harness.RootKey
		s.Sound()
	})
}

// Each schema that cannot be asked for has an error of its own at its place, through every door, and nothing is stored.
func TestSchemasThatNoAnswerSatisfies(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), inFormat)
	s.Key = key
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"text"}}}`: "/properties/a/type schema",
		`{"properties":{"next":{"$ref":"#"}}}`:                 "/properties/next/$ref recursive",
		`{"type":"number","minimum":2,"maximum":1}`:            " unsatisfiable",
		`{"title":"` + strings.Repeat("x", 1_000_000) + `"}`:   " too_large",
		`{"$ref":"http://127.0.0.1/schema.json"}`:              "/$ref not_supported",
		`7`: " schema",
	} {
		got := s.Call("POST", "/v1/sessions", json.RawMessage(`{"message":"hi","answer_schema":`+schema+`}`)).Problem(422, "invalid")
		if place := strings.TrimPrefix(got.Str("errors.0.pointer"), "/answer_schema") + " " + got.Str("errors.0.code"); place != want {
			t.Errorf("%.60s: %s, want %s", schema, got.Body, want)
		}
		pointer, _, _ := strings.Cut(want, " ")
		for path, c := range map[string][2]string{
			"/v1/chat/completions": {`"messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":` + schema + `}}`, "/response_format/json_schema/schema"},
			"/v1/responses":        {`"input":"hi","text":{"format":{"type":"json_schema","name":"a","schema":` + schema + `}}`, "/text/format/schema"},
		} {
			got := s.openAI("POST", path, `{"model":"fermata",`+c[0]+`}`)
			param := strings.ReplaceAll(strings.TrimPrefix(c[1]+pointer, "/"), "/", ".")
			if got.Status != 422 || got.Str("error.param") != param {
				t.Errorf("%s %.60s: %d %s, want %s", path, schema, got.Status, got.Body, param)
			}
		}
	}
	session := s.Chat()
	s.Call("POST", "/v1/sessions/"+session+"/messages", map[string]any{"text": "hi", "if_busy": "steer", "answer_schema": countSchema}).Problem(422, "invalid")
	s.Call("POST", "/v1/sessions", map[string]any{"answer_schema": countSchema}).Problem(422, "invalid")
	if all := s.Call("GET", "/v1/sessions", nil).Want(200); len(all.List("data")) != 1 {
		t.Errorf("the sessions are %s", all.Body)
	}
}
