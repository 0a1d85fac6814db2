package seal

import (
	"errors"
	"strings"
	"testing"
)

func testSealer(t *testing.T, letters ...string) *Keys {
	t.Helper()
	var keys [][]byte
	for _, l := range letters {
		keys = append(keys, []byte(strings.Repeat(l, 32)))
	}
	s, err := New(keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What was sealed for one place opens at no other.
func TestSecretsAreBoundToTheirPlace(t *testing.T) {
	const origin = "https://api.example:443"
	here := Place{"provider", "ws", "prv_1", "openai", origin}
	s := testSealer(t, "a")
	sealed, err := s.Seal("sk-secret", here)
	if err != nil || strings.Contains(sealed, "secret") {
		t.Fatal(sealed, err)
	}
	if got, err := s.Open(sealed, here); got != "sk-secret" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	for name, at := range map[string]Place{
		"provider":  {"provider", "ws", "prv_2", "openai", origin},
		"workspace": {"provider", "other", "prv_1", "openai", origin},
		"kind":      {"provider", "ws", "prv_1", "anthropic", origin},
		"origin":    {"provider", "ws", "prv_1", "openai", "https://evil.example:443"},
		"port":      {"provider", "ws", "prv_1", "openai", "https://api.example:444"},
		"use":       {"hook", "ws", "prv_1"},
		"parts":     {"provider", "ws", "prv_1", "openai", origin, ""},
	} {
		if got, err := s.Open(sealed, at); got != "" || !errors.Is(err, ErrOtherPlace) {
			t.Errorf("another %s: %q, %v", name, got, err)
		}
	}
	for _, bad := range []string{"", "v2.", "v2..", sealed[:20], strings.TrimPrefix(sealed, Version), sealed[:len(sealed)-4] + "AAAA"} {
		if got, err := s.Open(bad, here); got != "" || err == nil {
			t.Errorf("%q: %q, %v", bad, got, err)
		}
	}
}

// A new key is put in front of the old one, which still opens.
func TestOlderKeysOpen(t *testing.T) {
	at := Place{"hook", "ws", "aut_1"}
	old, err := testSealer(t, "a").Seal("x", at)
	if err != nil {
		t.Fatal(err)
	}
	both := testSealer(t, "b", "a")
	if got, err := both.Open(old, at); got != "x" || err != nil {
		t.Errorf("the older key: %q, %v", got, err)
	}
	fresh, err := both.Seal("y", at)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := testSealer(t, "b").Open(fresh, at); got != "y" || err != nil {
		t.Errorf("the first key seals: %q, %v", got, err)
	}
	if _, err := testSealer(t, "b").Open(old, at); !errors.Is(err, ErrOtherKey) {
		t.Errorf("the old key is gone: %v", err)
	}
}
