package doors

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestKeysOnTheCommandLine: made, listed, revoked; what the server refuses is said in its
// words.
func TestKeysOnTheCommandLine(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	refused := func(says string, args ...string) {
		t.Helper()
		if _, _, err := s.Typed("", append([]string{"keys"}, args...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", args, err, says)
		}
	}
	do := func(args ...string) (string, string) {
		t.Helper()
		return s.Types("", append([]string{"keys"}, args...)...)
	}
	refused("only an admin's key", "create", "me")
	key, beside := do("create", "me", "--role=admin")
	if !strings.HasPrefix(key, "fmt_") || strings.Count(key, "\n") != 1 {
		t.Errorf("the key alone: %q", key)
	}
	harness.Wants(t, beside, "role admin", "every call needs a key")
	refused("Send a key", "list")

	s.Key = strings.TrimSpace(key)
	_, beside = do("create", "ci", "--role=viewer", "--expires-in=1h")
	if strings.Contains(beside, "from now on") {
		t.Errorf("the second key says %q", beside)
	}
	refused("in the future", "create", "past", "--role=viewer", "--expires-in=-1h")
	list, _ := do("list")
	harness.Wants(t, list, "admin", s.Key[:12], "good", "never", "me", "viewer", "until 20", "ci")
	refused("there is no key", "revoke", "unknown")
	refused("make another admin key first", "revoke", "me")
	out, _ := do("revoke", "ci")
	harness.Wants(t, out, "revoked key_", "(ci)")
	list, _ = do("list")
	harness.Wants(t, list, "viewer", "revoked")
	if strings.Contains(list, s.Key) {
		t.Error("the list shows a key")
	}
}
