package vendors

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers/suite"
)

// prefixRounds are how many rounds a conversation has: every kind of round comes several times.
const prefixRounds = 100

// TestEachPromptBeginsWithTheOneBefore: byte for byte, up to what changes with each call, through queries, actions,
// approvals, refusals, commands that are added, and files. Only a summary, and the first COMMANDS, may come between.
func TestEachPromptBeginsWithTheOneBefore(t *testing.T) {
	for _, wire := range wires {
		for name, budget := range map[string]any{"whole": nil, "summarised": 12_000} {
			if harness.Raced && !harness.Long && budget != nil {
				continue // eight conversations of a hundred rounds are many under the race detector
			}
			t.Run(wire.name+"/"+name, func(t *testing.T) {
				s := newServer(t, harness.Databases["sqlite"](t))
				limits := map[string]any{"max_tokens_per_round": nil, "context_budget_tokens": budget}
				s.Call("PATCH", "/v1/settings", map[string]any{"limits": map[string]any{"chat": limits}}).Want(200)
				s.Call("POST", "/v1/zones", map[string]any{"name": "Home"}).Want(201)
				s.Call("POST", "/v1/connectors", largeConnector(t)).Want(201)
				vendor := record(t, wire.fake, func(body []byte, _ int) suite.Reply { return nextReply(body, wire.protocol) })
				talk(s, recorded(s, wire.fake, vendor.URL, wire.protocol))
				breaks, summaries := comparePrompts(t, vendor.sent())
				if summaries > 0 != (budget != nil) {
					t.Errorf("%d summaries with a budget of %v", summaries, budget)
				}
				if most := 1 + summaries; breaks > most {
					t.Errorf("%d prompts begin differently, at most %d are expected", breaks, most)
				}
			})
		}
	}
}

// TestTheCacheIsMarkedWhereItsVendorReads: Claude reads from the latest mark that it wrote before, so each request has
// one where the request before ended. OpenAI finds the servers that cached a conversation by a key.
func TestTheCacheIsMarkedWhereItsVendorReads(t *testing.T) {
	for _, wire := range wires {
		s := newServer(t, harness.Databases["sqlite"](t))
		s.Call("POST", "/v1/zones", map[string]any{"name": "Home"}).Want(201)
		vendor := record(t, wire.fake, func(body []byte, _ int) suite.Reply { return nextReply(body, wire.protocol) })
		chat := recorded(s, wire.fake, vendor.URL, wire.protocol)
		for i, kind := range []string{"talk", "query", "talk"} {
			s.Say(chat, fmt.Sprintf("round %d: %s", i, kind))
		}
		bodies := vendor.sent()
		for i, body := range bodies {
			if marks := bytes.Count(body, cacheMark); marks > 4 || wire.name == "anthropic" && marks < 2 || wire.name != "anthropic" && marks > 0 {
				t.Errorf("%s: call %d has %d marks", wire.name, i+1, marks)
			}
			if keyed := bytes.Contains(body, []byte(`"prompt_cache_key":"`+chat+`"`)); keyed != (wire.name == "openai") {
				t.Errorf("%s: call %d has a key: %v", wire.name, i+1, keyed)
			}
			if i > 0 && wire.name == "anthropic" {
				before, _ := stable(t, bodies[i-1])
				if !markedAt(lowered.ReplaceAll(body, []byte(`"$1":0`)), before) {
					t.Errorf("call %d has no mark where the one before ended", i+1)
				}
			}
		}
	}
}

var cacheMark = []byte(`,"cache_control":{"type":"ephemeral"}`)

// markedAt reports whether the request has a mark right behind these bytes, which have none.
func markedAt(body, before []byte) bool {
	rest, at := body, 0
	for {
		part, after, found := bytes.Cut(rest, cacheMark)
		if !found {
			return false
		}
		if at += len(part); at == len(bytes.TrimSuffix(before, []byte("}"))) {
			return true
		}
		rest = after
	}
}

// talk has all rounds of the conversation, and approves every other action that needs it.
func talk(s *server, chat string) {
	s.T.Helper()
	for i := range prefixRounds {
		kind := kinds[i%len(kinds)]
		message := map[string]any{"text": fmt.Sprintf("round %d: %s. %s", i, kind, strings.Repeat("Some words. ", 30))}
		if kind == "file" {
			message["file_ids"] = []string{uploaded(s, fmt.Sprintf("note %d.txt", i), strings.Repeat("It rains. ", 20))}
		}
		s.Call("POST", "/v1/sessions/"+chat+"/messages", message).Want(202)
		r := s.Settle(chat)
		if r.Str("phase") == string(domain.WaitingValidation) {
			s.Call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": i%4 < 2}).Want(200)
			r = s.Settle(chat)
		}
		if r.Str("phase") != string(domain.Idle) || s.LastError(chat) != "" {
			s.T.Fatalf("round %d rests in %s: %s", i, r.Str("phase"), s.LastError(chat))
		}
	}
}

// comparePrompts counts the prompts that do not begin with the one before, and the requests for a summary.
func comparePrompts(t *testing.T, bodies [][]byte) (breaks, summaries int) {
	t.Helper()
	if len(bodies) < prefixRounds*3/2 {
		t.Fatalf("%d calls in %d rounds", len(bodies), prefixRounds)
	}
	var before []byte
	for i, body := range bodies {
		if bytes.Contains(body, []byte("Write the summary of this transcript")) {
			summaries++
			continue
		}
		to, whole := stable(t, body)
		if !bytes.HasPrefix(whole, before) {
			at := firstDifferent(before, whole)
			breaks++
			t.Logf("call %d of %d differs at byte %d of %d: …%.120s, and was …%.120s", i+1, len(bodies), at, len(before), whole[max(0, at-40):], before[max(0, at-40):])
		}
		before = to
	}
	return breaks, summaries
}

// kinds are the rounds of the conversation.
var kinds = []string{"talk", "query", "action", "approval", "file", "definitions"}

// nextReply plays the model: what the person asked for last, then words.
func nextReply(body []byte, protocol domain.Protocol) suite.Reply {
	text := string(body)
	if strings.Contains(text, "Write the summary of this transcript") {
		return suite.Reply{Text: []string{"They spoke of many things."}, StopReason: "stop"}
	}
	asked := text[strings.LastIndex(text, "round "):]
	n, rest, _ := strings.Cut(strings.TrimPrefix(asked, "round "), ": ")
	kind, _, _ := strings.Cut(rest, ".")
	calls := map[string][2]string{
		"query": {"APP_STATE", `{}`}, "action": {"CREATE_ZONE", `{"name":"Zone ` + n + `"}`},
		"approval":    {"CREATE_ZONE", `{"name":"Guarded ` + n + `","validation_request":true}`},
		"definitions": {domain.AddCommands, `{"names":["SHOP_TOOL_7"]}`},
	}
	call, asks := calls[kind]
	if answered := strings.Contains(asked, call[0]); !asks || answered {
		return said("Done with "+n+".", protocol)
	}
	if protocol == domain.ProtocolNative {
		return suite.Reply{Calls: []suite.Call{{ID: "c" + n, Name: call[0], Arguments: call[1]}}, StopReason: "calls"}
	}
	list, flag := "action_commands", ""
	if kind == "query" {
		list = "data_commands"
	}
	if kind == "approval" {
		call[1], flag = `{"name":"Guarded `+n+`"}`, `,"validation_request":true`
	}
	return suite.Reply{
		Text:       []string{`{"pre_text":"","keep_control":true` + flag + `,"` + list + `":[{"type":"` + call[0] + `","params":` + call[1] + `}]}`},
		StopReason: "stop",
	}
}

// largeConnector has so many commands that they are offered by name.
func largeConnector(t *testing.T) map[string]any {
	t.Helper()
	var commands []any
	for i := range 25 {
		commands = append(commands, map[string]any{
			"name": fmt.Sprintf("TOOL_%d", i), "description": "Does one thing.", "effect": "read_only",
			"params_schema": map[string]any{"type": "object", "properties": map[string]any{"item": map[string]any{"type": "string"}}},
			"request":       map[string]any{"method": "GET", "path": "/items/{item}"},
		})
	}
	return map[string]any{
		"name": "Shop", "kind": "http", "prefix": "SHOP", "config": map[string]any{"base_url": "http://127.0.0.1:9"}, "commands": commands,
	}
}

// uploaded is the id of a text file.
func uploaded(s *server, name, text string) string {
	s.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write([]byte(text))
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		s.T.Fatal(err)
	}
	return s.Call("POST", "/v1/files", body.String(), "Content-Type", form.FormDataContentType()).Want(201).Str("id")
}

// lowered is the member that is lowered where a window is nearly full. It is no part of the prompt.
var lowered = regexp.MustCompile(`"(max_tokens|max_completion_tokens|maxOutputTokens)":\d+`)

// stable is a request without the marks of the cache, up to its tail, and whole.
func stable(t *testing.T, body []byte) (before, whole []byte) {
	t.Helper()
	whole = lowered.ReplaceAll(bytes.ReplaceAll(body, cacheMark, nil), []byte(`"$1":0`))
	at := bytes.LastIndex(whole, []byte(`<fermata type=\"NOW\"`))
	if at < 0 {
		t.Fatalf("no time in %.200s", whole)
	}
	before = whole[:at]
	for _, opening := range []string{`,{"type":"text","text":"`, `,{"text":"`, `\n\n`} {
		before = bytes.TrimSuffix(before, []byte(opening))
	}
	return before, whole
}

func firstDifferent(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
