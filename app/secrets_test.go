package app

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
)

func key(letter string) []byte { return []byte(strings.Repeat(letter, 32)) }

func encodedKeys(letters ...string) string {
	var all []string
	for _, l := range letters {
		all = append(all, base64.StdEncoding.EncodeToString(key(l)))
	}
	return strings.Join(all, ",")
}

func testSealer(t *testing.T, letters ...string) *sealer {
	t.Helper()
	var keys [][]byte
	for _, l := range letters {
		keys = append(keys, key(l))
	}
	s, err := newSealer(keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What was sealed for one place opens at no other.
func TestSecretsAreBoundToTheirPlace(t *testing.T) {
	const origin = "https://api.example:443"
	p := domain.Provider{ID: "prv_1", WorkspaceID: "ws", Kind: "openai"}
	s := testSealer(t, "a")
	sealed, err := s.seal("sk-secret", providerPlace(&p, origin))
	if err != nil || strings.Contains(sealed, "secret") {
		t.Fatal(sealed, err)
	}
	if got, err := s.open(sealed, providerPlace(&p, origin)); got != "sk-secret" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	for name, at := range map[string]place{
		"provider":  providerPlace(&domain.Provider{ID: "prv_2", WorkspaceID: "ws", Kind: "openai"}, origin),
		"workspace": providerPlace(&domain.Provider{ID: "prv_1", WorkspaceID: "other", Kind: "openai"}, origin),
		"kind":      providerPlace(&domain.Provider{ID: "prv_1", WorkspaceID: "ws", Kind: "anthropic"}, origin),
		"origin":    providerPlace(&p, "https://evil.example:443"),
		"port":      providerPlace(&p, "https://api.example:444"),
		"use":       hookPlace("ws", "prv_1"),
		"parts":     {"provider", "ws", "prv_1", "openai", origin, ""},
	} {
		if got, err := s.open(sealed, at); got != "" || !errors.Is(err, errOtherPlace) {
			t.Errorf("another %s: %q, %v", name, got, err)
		}
	}
	for _, bad := range []string{"", "v2.", "v2..", sealed[:20], strings.TrimPrefix(sealed, sealVersion), sealed[:len(sealed)-4] + "AAAA"} {
		if got, err := s.open(bad, providerPlace(&p, origin)); got != "" || err == nil {
			t.Errorf("%q: %q, %v", bad, got, err)
		}
	}
}

// A new key is put in front of the old one, which still opens.
func TestOlderKeysOpen(t *testing.T) {
	at := hookPlace("ws", "aut_1")
	old, err := testSealer(t, "a").seal("x", at)
	if err != nil {
		t.Fatal(err)
	}
	both := testSealer(t, "b", "a")
	if got, err := both.open(old, at); got != "x" || err != nil {
		t.Errorf("the older key: %q, %v", got, err)
	}
	fresh, err := both.seal("y", at)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := testSealer(t, "b").open(fresh, at); got != "y" || err != nil {
		t.Errorf("the first key seals: %q, %v", got, err)
	}
	if _, err := testSealer(t, "b").open(old, at); !errors.Is(err, errOtherKey) {
		t.Errorf("the old key is gone: %v", err)
	}
}

func TestSecretKeysAsTheyAreGiven(t *testing.T) {
	for text, n := range map[string]int{
		"": 0, encodedKeys("a"): 1, encodedKeys("a", "b"): 2, encodedKeys("a") + " ,\n" + encodedKeys("b") + "\n": 2,
		"short": -1, encodedKeys("a") + ",short": -1, encodedKeys("a")[:40]: -1,
	} {
		f := Config{Database: Database{DatabaseURL: "postgres://x"}, SecretKey: text}
		keys, err := f.secretKeys()
		if n < 0 && (err == nil || strings.Contains(err.Error(), "short\"")) || n >= 0 && (err != nil || len(keys) != n) {
			t.Errorf("%q: %d keys, %v", text, len(keys), err)
		}
	}
}

// The key's file opens every secret: it is its owner's alone, or the server says so.
func TestModeOfTheKeyFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes tell nothing there")
	}
	for mode, starts := range map[fs.FileMode]bool{0o600: true, 0o400: true, 0o640: true, 0o660: true, 0o644: false, 0o604: false, 0o602: false, 0o666: false} {
		f := Config{Database: Database{DataDir: t.TempDir()}}
		path := filepath.Join(f.DataDir, "secret.key")
		if err := os.WriteFile(path, []byte(encodedKeys("a")), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := f.secretKeys(); (err == nil) != (mode&0o077 == 0) { // what doctor asks, which changes nothing
			t.Errorf("%o: %v", mode, err)
		}
		prepared := f.prepareKeyFile(zerolog.Nop())
		keys, err := f.secretKeys()
		if prepared != nil || (err == nil) != starts || starts != (len(keys) == 1) || !starts && !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("%o: %d keys, %v, %v", mode, len(keys), prepared, err)
		}
	}
	f := Config{Database: Database{DataDir: t.TempDir()}}
	if err := f.prepareKeyFile(zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f.secretKeyPath()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a new file: %v, %v", info, err)
	}
}
