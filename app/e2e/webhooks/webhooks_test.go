package webhooks

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// logged is what the log has of some types after a number.
func logged(s *harness.Server, after int64, types ...string) []message {
	var out []message
	cursor := fmt.Sprint(after)
	for cursor != "" {
		page := s.Call("GET", "/v1/events?limit=200&sessions=*&types="+strings.Join(types, ",")+"&after="+cursor, nil).Want(200)
		var list struct {
			Data []message `json:"data"`
			Next *string   `json:"next_cursor"`
		}
		if err := json.Unmarshal(page.Body, &list); err != nil {
			s.T.Fatal(err)
		}
		out, cursor = append(out, list.Data...), ""
		if list.Next != nil {
			cursor = *list.Next
		}
	}
	return out
}

// same says whether what was taken is what is in the log, each once, in order for each
// session, with the same data.
func same(t *testing.T, have, want []message) {
	t.Helper()
	bySession := func(all []message) map[string][]string {
		out := map[string][]string{}
		for _, m := range all {
			out[m.session()] = append(out[m.session()], fmt.Sprintf("%d %s %s %.60s… %x", m.Seq, m.Type, m.At, m.Data, sha256.Sum256(m.Data)))
		}
		return out
	}
	got, wanted := bySession(have), bySession(want)
	for session, lines := range wanted {
		if !slices.Equal(got[session], lines) {
			t.Errorf("of session %q came\n%s\nand not\n%s", session, strings.Join(got[session], "\n"), strings.Join(lines, "\n"))
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d messages came, %d are in the log", len(have), len(want))
	}
}

var all = []string{"session.created", "session.status", "session.phase", "message.created", "slot.changed", "usage.updated", "data.changed"}

// What happens is sent as the log has it: signed, numbered, each once, in order for each
// session; and nothing of other types, other workspaces or before.
func TestEventsAreSent(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := harness.NewServer(t, db)
		s.Call("POST", "/v1/zones", map[string]any{"name": "before"}).Want(201)
		r := newReceiver(t)
		id := r.registered(s, all...)
		begun := int64(s.Call("GET", "/v1/webhooks/"+id, nil).Want(200).At("sent_to").(float64))
		for range 3 {
			chat := s.Chat()
			s.Say(chat, "hello")
			s.Settle(chat)
		}
		s.Call("POST", "/v1/zones", map[string]any{"name": "after"}).Want(201)
		want := logged(s, begun, all...)
		if len(want) < 20 {
			t.Fatalf("only %d events in the log", len(want))
		}
		testkit.Until(t, "everything to be taken", func() bool { return len(r.taken()) >= len(want) })
		same(t, r.taken(), want)
		for _, m := range r.taken() {
			if m.ID != fmt.Sprintf("%s_%d", id, m.Seq) || m.WorkspaceID != "default" {
				t.Fatalf("message %+v", m)
			}
		}
		testkit.Until(t, "the deliveries to be recorded", func() bool {
			list := s.Call("GET", "/v1/webhooks/"+id+"/deliveries?limit=200&state=delivered", nil).Want(200)
			return len(list.List("data")) == len(want)
		})
		s.Sound()
	})
}

// A replay sends earlier events again, with the same ids, and continues with later ones.
func TestReplay(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, r := harness.NewServer(t, db), newReceiver(t)
		id := r.registered(s, "data.changed")
		for i := range 5 {
			s.Call("POST", "/v1/zones", map[string]any{"name": fmt.Sprint(i)}).Want(201)
		}
		testkit.Until(t, "five events to be taken", func() bool { return len(r.taken()) == 5 })
		first := r.taken()
		s.Call("POST", "/v1/webhooks/"+id+"/replay", map[string]any{"after": first[1].Seq}).Want(200)
		s.Call("POST", "/v1/zones", map[string]any{"name": "later"}).Want(201)
		testkit.Until(t, "four events to be taken", func() bool { return len(r.taken()) == 9 })
		again := r.taken()[5:]
		for i, m := range first[2:] {
			if again[i].ID != m.ID || string(again[i].Data) != string(m.Data) {
				t.Errorf("sent again: %+v, at first: %+v", again[i], m)
			}
		}
		s.Call("POST", "/v1/webhooks/"+id+"/replay", map[string]any{"after": 1 << 40}).Problem(422, "invalid")
		s.Call("PATCH", "/v1/webhooks/"+id, map[string]any{"enabled": false}).Want(200)
		s.Call("POST", "/v1/webhooks/"+id+"/replay", map[string]any{"after": 0}).Problem(409, "conflict")
	})
}

// What happened while a webhook was off is not sent when it is enabled, the list says so, and
// a replay sends it.
func TestOffAndOnAgain(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, r := harness.NewServer(t, db), newReceiver(t)
		id := r.registered(s, "data.changed")
		zone := func(name string) { s.Call("POST", "/v1/zones", map[string]any{"name": name}).Want(201) }
		zone("sent")
		testkit.Until(t, "an event to be taken", func() bool { return len(r.taken()) == 1 })
		off := s.Call("PATCH", "/v1/webhooks/"+id, map[string]any{"enabled": false}).Want(200)
		zone("missed")
		s.Call("PATCH", "/v1/webhooks/"+id, map[string]any{"enabled": true}).Want(200)
		zone("sent too")
		testkit.Until(t, "the next event to be taken", func() bool { return len(r.taken()) == 2 })
		if last := r.taken()[1]; !strings.Contains(string(last.Data), `"zone"`) || last.Seq-r.taken()[0].Seq != 2 {
			t.Errorf("taken: %+v", r.taken())
		}
		skipped := s.Call("GET", "/v1/webhooks/"+id+"/deliveries?state=skipped", nil).Want(200).List("data")
		if len(skipped) != 1 || !strings.Contains(fmt.Sprint(skipped[0]), "happened while it was disabled") {
			t.Errorf("skipped: %v", skipped)
		}
		s.Call("POST", "/v1/webhooks/"+id+"/replay", map[string]any{"after": off.At("sent_to")}).Want(200)
		testkit.Until(t, "what was missed to be taken", func() bool { return slices.Contains(r.seqs(), r.taken()[0].Seq+1) })
	})
}

// For a day after a secret was replaced both verify, and a test says whether the receiver
// answers.
func TestSecretsAndTests(t *testing.T) {
	s, r := harness.NewServer(t, harness.Databases["sqlite"](t)), newReceiver(t)
	id := r.registered(s, "data.changed")
	test := func() *harness.Reply { return s.Call("POST", "/v1/webhooks/"+id+"/test", nil).Want(200) }
	if got := test(); got.At("ok") != true || got.At("status") != 204.0 {
		t.Errorf("the test says %s", got.Body)
	}
	rotated := s.Call("POST", "/v1/webhooks/"+id+"/rotate", nil).Want(200)
	if rotated.Str("old_secret_until") == "" || rotated.Str("secret") == "" {
		t.Errorf("rotated: %s", rotated.Body)
	}
	if got := test(); got.At("ok") != true {
		t.Errorf("the old secret no longer verifies: %s", got.Body)
	}
	r.change(func() { r.secret = rotated.Str("secret") })
	if got := test(); got.At("ok") != true {
		t.Errorf("the new secret does not verify: %s", got.Body)
	}
	if m := r.taken()[0]; m.Type != "webhook.test" || m.Seq != 0 {
		t.Errorf("the test was %+v", m)
	}
	s.Call("POST", "/v1/webhooks/"+id+"/rotate", nil).Want(200)
	s.Call("POST", "/v1/webhooks/"+id+"/rotate", nil).Want(200)
	if got := test(); got.At("ok") != false || got.At("status") != 401.0 {
		t.Errorf("a secret of long ago: %s", got.Body)
	}
	if text := string(s.Call("GET", "/v1/webhooks", nil).Want(200).Body); strings.Contains(text, "whsec_") {
		t.Errorf("the list shows a secret: %s", text)
	}
}

// 410 ends it at once, with a notice.
func TestGone(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, r := harness.NewServer(t, db), newReceiver(t)
		r.refuses = func(_ *message, w http.ResponseWriter) bool { w.WriteHeader(http.StatusGone); return true }
		id := r.registered(s, "data.changed")
		s.Call("POST", "/v1/zones", map[string]any{"name": "one"}).Want(201)
		testkit.Until(t, "it to be disabled", func() bool { return s.Call("GET", "/v1/webhooks/"+id, nil).At("enabled") == false })
		s.Call("POST", "/v1/zones", map[string]any{"name": "two"}).Want(201)
		if got := s.Call("GET", "/v1/webhooks/"+id, nil); got.Str("disabled_reason") != "gone" {
			t.Errorf("it is %s", got.Body)
		}
		notices := logged(s, 0, "notice")
		if len(notices) != 1 || !strings.Contains(string(notices[0].Data), `"webhook_disabled"`) {
			t.Errorf("notices: %v", notices)
		}
		if r.tries != 1 {
			t.Errorf("it was tried %d times", r.tries)
		}
	})
}
