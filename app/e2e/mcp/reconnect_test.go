package mcp

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

const script = `[
	{"when": {"contains": "look", "roundtrip": 1}, "answer": {"calls": [{"name": "VAULT_LOOK", "arguments": {"n": 1}}]}},
	{"when": {"contains": "pay", "roundtrip": 1}, "answer": {"text": "I pay.", "calls": [{"name": "VAULT_PAY", "arguments": {"n": 1}}]}},
	{"when": {"result": "look done"}, "answer": {"text": "I looked."}},
	{"when": {"result": "pay done"}, "answer": {"text": "It is paid."}},
	{"when": {"result": "a person refused"}, "answer": {"text": "Then not."}},
	{"answer": {"text": "Hm."}}]`

// signedInVault is a signed-in connector, with a command that reads and one that acts.
func signedInVault(t *testing.T, db app.Database) *vault {
	t.Helper()
	v := newVault(t, db)
	v.Scripted(script)
	v.signIn()
	v.offer("LOOK", "read_only")
	v.offer("PAY", "non_idempotent")
	return v
}

// restart stops the server and starts it again on the same database.
func (v *vault) restart() {
	v.T.Helper()
	v.Stop()
	config := v.Config
	v.Server = harness.NewServer(v.T, config.Database, func(c *app.Config) { c.Listen = strings.TrimPrefix(v.URL, "http://") })
}

// TestAnExpiredSignIn parks the session, in whatever it does: after a restart during it, it is still parked, and the
// same call continues after a new sign-in.
func TestAnExpiredSignIn(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := signedInVault(t, db)
		for word, want := range map[string]string{"look": "I looked.", "pay": "It is paid."} {
			before := v.g.calls
			v.g.revoke(true)
			chat := v.Chat()
			if got := v.Say(chat, "Please "+word+".").Str("phase"); got != "WAITING_VALIDATION" {
				t.Fatalf("%s: the session is in %s: %v", word, got, v.Record(chat))
			}
			card := v.Card()
			if card.Str("kind") != "reconnect" || !strings.Contains(card.Str("text"), "sign in to Vault") || card.Str("reasons.0.level") != "connector" ||
				!strings.HasSuffix(v.at, card.Str("reasons.0.id")) || card.Str("actions.0.command") != "VAULT."+strings.ToUpper(word) {
				t.Errorf("%s: the card is %s", word, card.Body)
			}
			if why := v.Call("GET", "/v1/sessions/"+chat+"/explain", nil).Want(200); !strings.Contains(why.Str("text"), "needs someone to sign in") {
				t.Errorf("%s: explained by %s", word, why.Body)
			}
			if c := v.Call("GET", v.at, nil).Want(200); c.Str("status") != "needs_sign_in" {
				t.Errorf("%s: the connector is %s", word, c.Str("status"))
			}
			v.restart()
			if v.Card().Str("id") != card.Str("id") || v.g.calls != before {
				t.Errorf("%s: after a restart %s is open, and %d calls were made", word, v.Card().Str("id"), v.g.calls-before)
			}
			v.signIn()
			v.Until(chat, "idle")
			if got := v.LastText(chat); got != want || v.g.calls != before+1 {
				t.Errorf("%s: the AI says %q after %d calls: %v", word, got, v.g.calls-before, v.Record(chat))
			}
			if settled := v.Call("GET", "/v1/approvals/"+card.Str("id"), nil).Want(200); settled.Str("status") != "approved" {
				t.Errorf("%s: the card is %s", word, settled.Str("status"))
			}
		}
		v.Sound()
	})
}

// TestASignInIsRefused: the call fails with words for the AI, and nothing is called. Trying
// again without a sign-in asks again.
func TestASignInIsRefused(t *testing.T) {
	v := signedInVault(t, harness.Databases["sqlite"](t))
	for _, word := range []string{"look", "pay"} {
		v.g.revoke(true)
		before := v.g.calls
		chat := v.Chat()
		v.Say(chat, "Please "+word+".")
		first := v.Card().Str("id")
		v.Call("POST", "/v1/approvals/"+first, map[string]any{"approved": true}).Want(200)
		v.Settle(chat)
		second := v.Card().Str("id")
		if second == first {
			t.Fatalf("%s: without a sign-in it was not asked again", word)
		}
		v.Call("POST", "/v1/approvals/"+second, map[string]any{"approved": false}).Want(200)
		v.Until(chat, "idle")
		if got := v.LastText(chat); got != "Then not." || v.g.calls != before {
			t.Errorf("%s: the AI says %q: %v", word, got, v.Record(chat))
		}
	}
	v.Sound()
}

// TestARunWaitsForASignIn without the slot, and continues when it has both.
func TestARunWaitsForASignIn(t *testing.T) {
	v := signedInVault(t, harness.Databases["sqlite"](t))
	v.g.revoke(true)
	made := v.MadeAutomation("Please look.", nil)
	run := v.Call("POST", "/v1/automations/"+made.Str("id")+"/execute", nil).Want(202).Str("session.id")
	v.Until(run, "requires_action")
	if slot := v.Call("GET", "/v1/slot", nil).Want(200); slot.At("session") != nil {
		t.Errorf("the slot is held: %s", slot.Body)
	}
	v.signIn()
	v.Until(run, "waiting", "ended", "idle")
	if got := v.LastText(run); v.g.calls != 1 {
		t.Errorf("the run says %q after %d calls: %v", got, v.g.calls, v.Record(run))
	}
}
