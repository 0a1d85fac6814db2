package main

import (
	"strings"
	"testing"
	"time"
)

// TestKeysOnTheCommandLine: made, listed, revoked; what the server refuses is said in its
// words.
func TestKeysOnTheCommandLine(t *testing.T) {
	s := newServer(t, databases["sqlite"](t))
	flags := clientFlags{URL: s.url, Output: "table"}
	try := func(c interface{ Run(cc *cliContext) error }) (string, string, error) {
		cc, out := testContext(t, strings.NewReader(""))
		beside := &output{}
		cc.errors = beside
		err := c.Run(cc)
		return out.String(), beside.String(), err
	}
	refused := func(c interface{ Run(cc *cliContext) error }, says string) {
		t.Helper()
		if _, _, err := try(c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", c, err, says)
		}
	}
	do := func(c interface{ Run(cc *cliContext) error }) (string, string) {
		t.Helper()
		out, beside, err := try(c)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		return out, beside
	}
	refused(&keysCreate{clientFlags: flags, Name: "me", Role: "member"}, "only an admin's key")
	key, beside := do(&keysCreate{clientFlags: flags, Name: "me", Role: "admin"})
	if !strings.HasPrefix(key, "fmt_") || strings.Count(key, "\n") != 1 {
		t.Errorf("the key alone: %q", key)
	}
	wants(t, beside, "role admin", "every call needs a key")
	refused(&keysList{clientFlags: flags}, "Send a key")

	flags.Key = strings.TrimSpace(key)
	_, beside = do(&keysCreate{clientFlags: flags, Name: "ci", Role: "viewer", ExpiresIn: time.Hour})
	if strings.Contains(beside, "from now on") {
		t.Errorf("the second key says %q", beside)
	}
	refused(&keysCreate{clientFlags: flags, Name: "past", Role: "viewer", ExpiresIn: -time.Hour}, "in the future")
	list, _ := do(&keysList{clientFlags: flags})
	wants(t, list, "admin", flags.Key[:12], "good", "never", "me", "viewer", "until 20", "ci")
	refused(&keysRevoke{clientFlags: flags, Key: "nobody's"}, "there is no key")
	refused(&keysRevoke{clientFlags: flags, Key: "me"}, "make another admin key first")
	out, _ := do(&keysRevoke{clientFlags: flags, Key: "ci"})
	wants(t, out, "revoked key_", "(ci)")
	list, _ = do(&keysList{clientFlags: flags})
	wants(t, list, "viewer", "revoked")
	if strings.Contains(list, flags.Key) {
		t.Error("the list shows a key")
	}
}
