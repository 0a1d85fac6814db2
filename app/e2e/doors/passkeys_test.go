package doors

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit/device"
)

// holder is a person in a browser, with a passkey device.
type holder struct {
	*browser
	device *device.Device
}

// newHolder signs a person in with a key, and registers their passkey.
func newHolder(t *testing.T, s *server, key string) *holder {
	t.Helper()
	h := &holder{newBrowser(t, s), &device.Device{Origin: strings.Replace(s.URL, "127.0.0.1", "localhost", 1)}}
	h.call("POST", "/v1/sign-in", `{"key":"`+key+`"}`, 200)
	begun := h.fields(h.call("POST", "/v1/me/passkeys/registration", "", 200))
	h.call("POST", "/v1/me/passkeys", `{"name":"phone","credential":`+string(h.device.Make(t, begun["public_key"]))+`}`, 201)
	return h
}

func (h *holder) fields(text string) (out map[string]json.RawMessage) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		h.t.Fatal(err)
	}
	return out
}

// asked is what has to be signed for a yes, as the server says it.
func (h *holder) asked(approval, body string) (issuedAt, options json.RawMessage) {
	h.t.Helper()
	refused := h.fields(h.call("POST", "/v1/approvals/"+approval, body, 403))
	if string(refused["code"]) != `"passkey_required"` {
		h.t.Fatalf("refused with %s", refused["code"])
	}
	passkey := h.fields(string(refused["passkey"]))
	return passkey["issued_at"], passkey["public_key"]
}

// yes is a body that approves, signed.
func yes(issuedAt json.RawMessage, signed json.RawMessage) string {
	return fmt.Sprintf(`{"approved":true,"passkey":{"issued_at":%s,"credential":%s}}`, issuedAt, signed)
}

// waiting brings up an approval of a sensitive action.
func (s *server) waiting() (chat string, card *harness.Reply) {
	s.T.Helper()
	chat = s.Chat()
	s.Say(chat, "make it")
	return chat, s.Card()
}

func newSensitiveServer(t *testing.T, db app.Database) (s *server, key string) {
	t.Helper()
	s, key = newChatServer(t, db, echo)
	s.Call("PATCH", "/v1/settings", map[string]any{"sensitive_commands": []string{"CREATE_ZONE"}, "automation_validation": "allow"}).Want(200)
	return s, key
}

// A sensitive action waits for a signed approval; the evidence is stored with the settlement, and
// nothing else counts for it.
func TestASensitiveActionIsApprovedWithAPasskey(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newSensitiveServer(t, db)
		ada := newHolder(t, s, key)
		other := s.Call("POST", "/v1/keys", map[string]any{"name": "ben", "role": "member"}).Want(201).Str("key")
		ben := newHolder(t, s, other)
		chat, card := s.waiting()
		if card.At("actions.0.sensitive") != true {
			t.Fatalf("the card says %s", card.Body)
		}
		id := card.Str("id")
		issued, options := ada.asked(id, `{"approved":true}`)
		his, hisOptions := ben.asked(id, `{"approved":true}`)
		edited := `"approved":true,"edits":{"` + card.Str("actions.0.id") + `":{"name":"Cellar"}}`
		for what, c := range map[string]struct{ body, code string }{
			"empty":              {yes(issued, json.RawMessage(`{}`)), "unreadable"},
			"of another person":  {yes(issued, ben.device.Sign(t, options)), "not_yours"},
			"for another person": {yes(his, ada.device.Sign(t, hisOptions)), "other_challenge"},
			"of another time":    {yes(json.RawMessage(`"2026-03-02T12:00:00.000Z"`), ada.device.Sign(t, options)), "expired"},
			"for other params":   {strings.Replace(yes(issued, ada.device.Sign(t, options)), `"approved":true`, edited, 1), "other_challenge"},
		} {
			text := ada.call("POST", "/v1/approvals/"+id, c.body, 403)
			if !strings.Contains(text, `"passkey_refused"`) || !strings.Contains(text, `"`+c.code+`"`) {
				t.Errorf("%s: %s", what, text)
			}
		}
		if got := s.Call("GET", "/v1/approvals/"+id, nil); got.Str("status") != "open" || got.At("evidence") != nil {
			t.Fatalf("after that it is %s", got.Body)
		}
		good := yes(issued, ada.device.Sign(t, options))
		ada.call("POST", "/v1/approvals/"+id, good, 200)
		ada.call("POST", "/v1/approvals/"+id, `{"approved":true}`, 200) // the same answer once more
		s.Settle(chat)
		settled := s.Call("GET", "/v1/approvals/"+id, nil).Want(200)
		if settled.Str("status") != "approved" || !strings.Contains(settled.Str("evidence.signed"), id) || settled.Str("evidence.signature") == "" {
			t.Errorf("settled: %s", settled.Body)
		}
		if zones := s.Call("GET", "/v1/zones", nil).List("data"); len(zones) != 1 {
			t.Errorf("%d zones were made", len(zones))
		}
		if used := ada.call("GET", "/v1/me/passkeys", "", 200); strings.Contains(used, `"last_used_at":null`) {
			t.Errorf("it was used: %s", used)
		}
		s.anotherOne(ada, good)
	})
}

// anotherOne: what was signed for one approval, and a device that counts back, settle no other.
func (s *server) anotherOne(ada *holder, before string) {
	s.T.Helper()
	s.Call("DELETE", "/v1/zones/"+s.Call("GET", "/v1/zones", nil).Str("data.0.id"), nil).Want(204)
	chat, card := s.waiting()
	id := card.Str("id")
	issued, options := ada.asked(id, `{"approved":true}`)
	if text := ada.call("POST", "/v1/approvals/"+id, before, 403); !strings.Contains(text, "other_challenge") {
		s.T.Errorf("replayed: %s", text)
	}
	ada.device.Count = 0
	if text := ada.call("POST", "/v1/approvals/"+id, yes(issued, ada.device.Sign(s.T, options)), 403); !strings.Contains(text, `"count"`) {
		s.T.Errorf("a count that goes back: %s", text)
	}
	ada.call("POST", "/v1/approvals/"+id, `{"approved":false}`, 200) // a no needs none
	if phase := s.Settle(chat).Str("phase"); phase != "IDLE" {
		s.T.Errorf("after the no it is %s", phase)
	}
}

// Every door refuses a yes that is not signed, in its own form, and nothing happens.
func TestEveryDoorAsksForThePasskey(t *testing.T) {
	s, key := newSensitiveServer(t, harness.Databases["sqlite"](t))
	s.Call("PATCH", "/v1/settings", map[string]any{"mcp_answers": true}).Want(200)
	chat, card := s.waiting()
	id := card.Str("id")
	refused := s.Call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": true}).Problem(403, "passkey_required")
	if !strings.Contains(refused.Str("detail"), "/#/settings/you") {
		t.Errorf("who has no passkey receives %s", refused.Body)
	}
	client := s.mcpClient(key, "2026-07-28", nil)
	_, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "answer_pending", Arguments: map[string]any{
		"approval_id": id, "answer": map[string]any{"approved": true},
	}})
	if code := refusedBy(t, err); code != "passkey_required" {
		t.Errorf("the MCP client is refused with %s", code)
	}
	if _, _, err := s.Typed("", "approve", id, "--yes"); err == nil || !strings.Contains(err.Error(), "passkey") {
		t.Errorf("the command line says %v", err)
	}
	status, events, _ := s.aguiPost(key, aguiBody("talk", "m1", "make it", "null"), 0)
	last := events[len(events)-1]
	if status != 200 || len(last.Outcome.Interrupts) != 1 {
		t.Fatalf("the run ends with %+v", last)
	}
	resume := fmt.Sprintf(`[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]`, last.Outcome.Interrupts[0].ID)
	status, events, code := s.aguiPost(key, aguiBody("talk", "m1", "make it", resume), 0)
	if code != "passkey_required" && (len(events) == 0 || events[len(events)-1].Code != "passkey_required") {
		t.Errorf("the AG-UI client is answered %d %s %+v", status, code, events)
	}
	if zones := s.Call("GET", "/v1/zones", nil).List("data"); len(zones) != 0 {
		t.Errorf("%d zones were made", len(zones))
	}
}

// A program with a key registers nothing; and a run waits, whatever its policy allows.
func TestWhoRegistersAndWhoWaits(t *testing.T) {
	s, key := newSensitiveServer(t, harness.Databases["sqlite"](t))
	s.Call("POST", "/v1/me/passkeys/registration", nil, bearer(key)...).Problem(403, "forbidden")
	automation := s.MadeAutomation("make it", nil).Str("id")
	run := s.Call("POST", "/v1/automations/"+automation+"/execute", nil).Want(202).Str("session.id")
	s.Settle(run)
	if card := s.Card(); card.At("actions.0.sensitive") != true {
		t.Errorf("it asks %s", card.Body)
	}
}
