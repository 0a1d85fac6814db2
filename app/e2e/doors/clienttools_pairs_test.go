package doors

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

const compare = "Compare Bern and Rome"

// toolDoors are the doors whose clients bring tools of their own. begins has a session of this name
// call them, and gives the calls; brings gives what they found, and what was answered to it.
var toolDoors = map[string]struct {
	begins func(s *server, name string) (calls []string)
	brings func(s *server, name string, calls []string, found ...string) (answer string)
}{
	"chat": {
		func(s *server, name string) (calls []string) {
			asked := s.completion(s.Key, map[string]any{
				"model": "fermata", "messages": []any{message("user", compare)}, "tools": weather,
			}, "X-Fermata-Session", name)
			for _, c := range asked.Choices[0].Message.ToolCalls {
				calls = append(calls, c.ID)
			}
			return calls
		},
		func(s *server, _ string, calls []string, found ...string) string {
			messages := []any{message("user", compare)}
			for i, call := range calls {
				messages = append(messages, resultOf(call, found[i]))
			}
			return s.completion(s.Key, map[string]any{"model": "fermata", "messages": messages, "tools": weather}).text
		},
	},
	"responses": {
		func(s *server, name string) []string {
			_, calls := s.respondCalls(map[string]any{"input": compare, "conversation": name})
			return calls
		},
		func(s *server, _ string, calls []string, found ...string) string {
			var input []any
			for i, call := range calls {
				input = append(input, output(call, found[i]))
			}
			got, _ := s.respond(map[string]any{"input": input})
			return got.text()
		},
	},
	"agui": {
		func(s *server, name string) []string { return s.aguiCalls(s.Key, name, compare) },
		func(s *server, name string, calls []string, found ...string) string {
			behind := []map[string]any{calling(calls...)}
			for i, call := range calls {
				behind = append(behind, resulting(call, found[i]))
			}
			_, events, _ := s.aguiPost(s.Key, aguiWith(name, compare, behind...), 0)
			return aguiText(events)
		},
	},
}

// A call that is begun through one door is answered through another: it is known by its id. A
// front end of AG-UI has the message that its run continues, and so submits the results of its own calls.
// Whichever two they are, the record is the same, and the same results again change nothing.
func TestAClientsToolsThroughEveryTwoDoors(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, withTools)
		s.Key = key
		records := map[string]string{}
		for one := range toolDoors {
			for other := range toolDoors {
				if other == "agui" && one != other {
					continue
				}
				name := one + " and " + other
				calls := toolDoors[one].begins(s, name)
				session := s.named(name)
				for range 2 {
					if answer := toolDoors[other].brings(s, name, calls, "Bern: sunny", "Rome: sunny"); answer != "Both are sunny." {
						t.Errorf("%s: the answer is %q", name, answer)
					}
				}
				if again := toolDoors["chat"].brings(s, name, calls, "Bern: sunny", "Rome: sunny"); again != "Both are sunny." {
					t.Errorf("%s: the same results through a third door give %q", name, again)
				}
				records[s.comparable(session, 4)] = name
			}
		}
		if len(records) != 1 {
			t.Errorf("there are %d records: %v", len(records), records)
		}
		for record := range records {
			if !strings.Contains(record, `"Rome: sunny"`) || !strings.Contains(record, `"client"`) {
				t.Errorf("the record is %s", record)
			}
		}
		s.Key = harness.RootKey
		s.Sound()
	})
}

// named is the id of the session that clients know by a name.
func (s *server) named(name string) string {
	s.T.Helper()
	return s.Call("POST", "/v1/sessions", map[string]any{"external_id": name}).Want(200).Str("id")
}

// While a session waits for another client's tools, every other client is shown that, and gets no
// form that it cannot answer. Each of them can end the wait, or send another message.
func TestWhatOthersSeeOfAClientsTools(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), withTools)
	s.Call("PATCH", "/v1/settings", map[string]any{"mcp_answers": true}).Want(200)
	s.Key = key
	calls := toolDoors["chat"].begins(s, "theirs")
	session := s.named("theirs")
	waits := func() []string {
		t.Helper()
		var kinds []string
		_, chunks, _ := s.uiCall(key, "GET", "/"+session+"/stream", "", 0)
		for _, c := range chunks {
			kinds = append(kinds, strings.TrimSpace(c.Type+" "+c.ToolName+c.ErrorText+c.Finish))
		}
		return kinds
	}
	received := waits()
	if !slices.Contains(received, "tool-input-available WAITS_FOR_PROGRAM") || slices.Contains(received, "tool-approval-request") ||
		received[len(received)-1] != "finish tool-calls" {
		t.Errorf("a UI chat receives %q", received)
	}
	client := s.mcpClient(key, "2026-07-28", nil)
	var seen struct {
		Pending []struct {
			ApprovalID     string `json:"approval_id"`
			Kind, Text     string
			ResponseSchema json.RawMessage `json:"response_schema"`
		}
	}
	callTool(t, client, "get_session", map[string]any{"session_id": session}, &seen)
	if len(seen.Pending) != 1 || seen.Pending[0].Kind != "client_calls" || !strings.Contains(string(seen.Pending[0].ResponseSchema), `{"const":false}`) ||
		!strings.HasSuffix(seen.Pending[0].Text, "Waits for the program that called: get_weather, get_weather") {
		t.Errorf("an MCP client receives %+v", seen)
	}
	approval := map[string]any{"approval_id": seen.Pending[0].ApprovalID, "answer": map[string]any{"approved": true}}
	if _, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "answer_pending", Arguments: approval}); refusedBy(t, err) != "invalid" {
		t.Errorf("an approval is answered with %v", err)
	}
	approval["answer"] = map[string]any{"approved": false}
	callTool(t, client, "answer_pending", approval, nil)
	s.Until(session, "idle")
	if received = waits(); !slices.Contains(received, "tool-output-error The session no longer waits for the program: refused") || received[len(received)-1] != "finish stop" {
		t.Errorf("after that a UI chat receives %q", received)
	}
	if late := toolDoors["responses"].brings(s, "", calls, "Bern: sunny", "Rome: sunny"); late != "" {
		t.Errorf("results after that are answered %q", late)
	}
	// A message of any client ends the wait; and the results of the program are shown.
	toolDoors["chat"].begins(s, "left")
	session = s.named("left")
	if _, next, _ := s.uiCall(key, "POST", "", uiBody(session, "m1", "Thank you", ""), 0); uiText(next) != "You are welcome." {
		t.Errorf("another message is answered %+v", next)
	}
	calls = toolDoors["chat"].begins(s, "answered")
	session = s.named("answered")
	toolDoors["chat"].brings(s, "", calls, "Bern: sunny", "Rome: sunny")
	if received = waits(); !slices.Contains(received, "tool-input-available WAITS_FOR_PROGRAM") || !slices.Contains(received, "tool-output-available") ||
		received[len(received)-1] != "finish stop" {
		t.Errorf("of an answered call a UI chat receives %q", received)
	}
	s.Key = harness.RootKey
	s.Sound()
}
