package webhooks

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestWebhooksOnTheCommandLine: added, tried, looked at, sent again, rotated, deleted.
func TestWebhooksOnTheCommandLine(t *testing.T) {
	s, r := harness.NewServer(t, harness.Databases["sqlite"](t)), newReceiver(t)
	do := func(args ...string) (out, beside string) {
		t.Helper()
		return s.Types("", append([]string{"webhooks"}, args...)...)
	}
	refused := func(says string, args ...string) {
		t.Helper()
		if _, _, err := s.Typed("", append([]string{"webhooks"}, args...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", args, err, says)
		}
	}
	refused("must be one of", "add", r.URL, "weather.changed")
	secret, beside := do("add", r.URL, "data.changed", "notice")
	harness.Wants(t, beside, "whk_", "not shown again")
	if !strings.HasPrefix(secret, "whsec_") || strings.Count(secret, "\n") != 1 {
		t.Errorf("the secret alone: %q", secret)
	}
	id, _, _ := strings.Cut(beside, ".")
	r.change(func() { r.secret = strings.TrimSpace(secret) })
	out, _ := do("test", id)
	harness.Wants(t, out, "the receiver responded with 204")
	s.Call("POST", "/v1/zones", map[string]any{"name": "z"}).Want(201)
	testkit.Until(t, "the delivery to be listed", func() bool {
		out, _ = do("deliveries", id)
		return strings.Contains(out, "delivered")
	})
	harness.Wants(t, out, "data.changed")
	out, _ = do("list")
	harness.Wants(t, out, id, "good", "data.changed,notice", r.URL)
	if strings.Contains(out, "whsec_") {
		t.Error("the list shows a secret")
	}
	out, _ = do("replay", id, "--after=0")
	harness.Wants(t, out, "all events after 0")
	testkit.Until(t, "it to be sent again", func() bool { return len(r.taken()) == 3 })

	r.change(func() { r.refuses = func(_ *message, w http.ResponseWriter) bool { w.WriteHeader(500); return true } })
	refused("it answered 500", "test", id)
	s.Call("POST", "/v1/zones", map[string]any{"name": "y"}).Want(201)
	testkit.Until(t, "it to fail", func() bool {
		out, _ = do("list")
		return strings.Contains(out, "failing since")
	})
	again, _ := do("rotate", id)
	if !strings.HasPrefix(again, "whsec_") || again == secret {
		t.Errorf("rotated: %q", again)
	}
	out, _ = do("delete", id)
	harness.Wants(t, out, "deleted "+id)
	refused("no such webhook", "deliveries", id)
	if out, _ = do("list", "-o", "json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("what is left: %s", out)
	}
}
