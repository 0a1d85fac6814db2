package main

import (
	"bytes"
	"database/sql"
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
		f := serverFlags{databaseFlags: databaseFlags{DatabaseURL: "postgres://x"}, SecretKey: text}
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
		f := serverFlags{databaseFlags: databaseFlags{DataDir: t.TempDir()}}
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
	f := serverFlags{databaseFlags: databaseFlags{DataDir: t.TempDir()}}
	if err := f.prepareKeyFile(zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f.secretKeyPath()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a new file: %v, %v", info, err)
	}
}

// A stored key goes where it was entered for, and nowhere else.
func TestStoredKeysStayWhereTheyWereEntered(t *testing.T) {
	mine, evil := newCanary(t), newCanary(t)
	s, _, admin := tenant(t)
	id := s.call("POST", "/v1/providers", compatible("m", mine.URL+"/v1", map[string]any{"api_key": "sk-entered-0123456789"}), admin...).want(201).str("id")
	patch := func(config map[string]any) *reply {
		t.Helper()
		return s.call("PATCH", "/v1/providers/"+id, map[string]any{"config": config}, admin...)
	}
	for name, config := range map[string]map[string]any{
		"another host":   {"base_url": evil.URL + "/v1"},
		"with the mask":  {"base_url": evil.URL + "/v1", "api_key": "sk-…6789"},
		"another scheme": {"base_url": strings.Replace(mine.URL, "http:", "https:", 1)},
		"a preset":       {"base_url": nil, "preset": "groq"},
		"its name":       {"base_url": strings.Replace(mine.URL, "127.0.0.1", "localhost", 1)},
	} {
		if r := patch(config).problem(422, "invalid"); r.str("errors.0.pointer") != "/config/api_key" {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	patch(map[string]any{"base_url": mine.URL + "/v2", "max_tokens": 5000, "api_key": "sk-…6789"}).want(200)
	s.call("POST", "/v1/providers/"+id+"/test", nil, admin...).want(200)
	if !strings.Contains(mine.got(), "/v2/chat/completions") || !strings.Contains(mine.got(), "Bearer sk-entered-0123456789") {
		t.Errorf("the key did not come: %s", mine.got())
	}
	if got := evil.got(); got != "" {
		t.Errorf("the canary was called: %s", got)
	}
	patch(map[string]any{"base_url": evil.URL, "api_key": "sk-another-0123456789"}).want(200)
	s.call("POST", "/v1/providers/"+id+"/test", nil, admin...).want(200)
	if got := evil.got(); !strings.Contains(got, "sk-another") || strings.Contains(got, "sk-entered") {
		t.Errorf("a key that was entered for the new host: %s", got)
	}
}

// raw changes the database behind the server's back.
func raw(t *testing.T, db databaseFlags, statement string, args ...any) {
	t.Helper()
	driver, source := "sqlite", "file:"+db.sqlitePath()
	if db.DatabaseURL != "" {
		driver, source = "postgres", db.DatabaseURL
	}
	c, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// Who can write to the database gets no key out either.
func TestKeysDoNotFollowAnEditedDatabase(t *testing.T) {
	mine, evil := newCanary(t), newCanary(t)
	s, _, admin := tenant(t)
	id := s.call("POST", "/v1/providers", compatible("m", mine.URL+"/v1", map[string]any{"api_key": "sk-entered-0123456789"}), admin...).want(201).str("id")
	raw(t, s.app.flags.databaseFlags, "UPDATE providers SET config = replace(config, $1, $2)", mine.URL, evil.URL)
	r := s.call("POST", "/v1/providers/"+id+"/test", nil, admin...).want(200)
	if r.str("error.code") != "provider_key_unreadable" || evil.got() != "" {
		t.Errorf("%s; the canary got %q", r.body, evil.got())
	}
}

// What was stored before keys were bound, and webhooks' secrets in the clear, are
// brought into their present form at the next start.
func TestSecretsOfBeforeAreSealedAtStart(t *testing.T) {
	for name, fresh := range databases {
		t.Run(name, func(t *testing.T) {
			mine, db := newCanary(t), fresh(t)
			s := newServer(t, db)
			id := s.call("POST", "/v1/providers", compatible("m", mine.URL, map[string]any{"api_key": "sk-new-0123456789"})).want(201).str("id")
			made := s.call("POST", "/v1/automations", map[string]any{"name": "a", "seed": map[string]any{"text": "Go."}, "triggers": []any{map[string]any{"type": "webhook"}}}).want(201)
			sealer, token := s.app.sealer, strings.Repeat("0f", 32)
			s.stop()
			aead := sealer.keys[0].aead
			nonce := make([]byte, aead.NonceSize())
			first := base64.StdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte("sk-old-0123456789"), []byte(id)))
			raw(t, db, "UPDATE providers SET secret_sealed = $1", first)
			raw(t, db, "UPDATE automations SET hook_hash = '', hook_sealed = $1", token)

			s = newServer(t, db)
			p, err := s.app.store.Provider(t.Context(), domain.DefaultWorkspace, id)
			if err != nil || !strings.HasPrefix(p.SecretSealed, sealVersion) {
				t.Errorf("the provider's key: %+v, %v", p, err)
			}
			s.call("POST", "/v1/providers/"+id+"/test", nil).want(200)
			if !strings.Contains(mine.got(), "Bearer sk-old-0123456789") {
				t.Errorf("the key did not come: %s", mine.got())
			}
			a, err := s.app.store.Automation(t.Context(), domain.DefaultWorkspace, made.str("id"))
			if err != nil || a.HookHash == "" || !strings.HasPrefix(a.HookSealed, sealVersion) {
				t.Errorf("the webhook's secret: %+v, %v", a, err)
			}
			hook := s.call("GET", "/v1/automations/"+a.ID, nil).want(200).str("webhook_url")
			if !strings.HasSuffix(hook, "/"+token) {
				t.Errorf("its URL: %s", hook)
			}
			s.call("POST", strings.TrimPrefix(hook, s.url), "{}").want(202)
		})
	}
}

// The secret of a webhook is nowhere in the database's files.
func TestWebhookSecretsAreNotStoredInTheClear(t *testing.T) {
	db := databases["sqlite"](t)
	s := newServer(t, db)
	hook := s.call("POST", "/v1/automations", map[string]any{"name": "a", "seed": map[string]any{"text": "Go."}, "triggers": []any{map[string]any{"type": "webhook"}}},
		"Idempotency-Key", "one").want(201).str("webhook_url")
	s.call("POST", strings.TrimPrefix(hook, s.url), "{}").want(202)
	token := hook[strings.LastIndex(hook, "/")+1:]
	s.stop()
	files, err := os.ReadDir(db.DataDir)
	if err != nil || len(token) != 64 {
		t.Fatal(hook, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(db.DataDir, f.Name()))
		if err != nil || bytes.Contains(b, []byte(token)) {
			t.Errorf("%s holds the secret, or cannot be read: %v", f.Name(), err)
		}
	}
}

// A key that does not open what is stored is found at start, not at the first call.
func TestWrongSecretKeyIsFoundAtStart(t *testing.T) {
	for name, fresh := range databases {
		t.Run(name, func(t *testing.T) {
			db := fresh(t)
			with := func(keys string, accept bool) func(*serverFlags) {
				return func(f *serverFlags) { f.SecretKey, f.AcceptUnreadableSecrets = keys, accept }
			}
			s := newServer(t, db, with(encodedKeys("a"), false))
			id := s.call("POST", "/v1/providers", compatible("m", "http://127.0.0.1:1", map[string]any{"api_key": "sk-new-0123456789"})).want(201).str("id")
			flags := s.app.flags
			s.stop()

			flags.SecretKey = encodedKeys("b")
			_, err := newApp(t.Context(), flags, zerolog.Nop())
			if err == nil || !strings.Contains(err.Error(), "1 of the 1 stored secrets") || strings.Contains(err.Error(), encodedKeys("b")) {
				t.Fatalf("another key: %v", err)
			}
			found := checkDatabase(t.Context(), &flags.databaseFlags, [][]byte{key("b")})
			if last := found[len(found)-1]; last.Check != "secret key" || last.Level != levelFailed || last.Mend == "" {
				t.Errorf("the doctor says %+v", found)
			}
			found = checkDatabase(t.Context(), &flags.databaseFlags, [][]byte{key("b"), key("a")})
			if last := found[len(found)-1]; last.Check != "secret key" || last.Level != levelOK {
				t.Errorf("the doctor says %+v", found)
			}

			s = newServer(t, db, with(encodedKeys("b"), true))
			r := s.call("POST", "/v1/providers/"+id+"/test", nil).want(200)
			if r.str("error.code") != "provider_key_unreadable" {
				t.Errorf("the key is lost: %s", r.body)
			}
			s.stop()

			s = newServer(t, db, with(encodedKeys("b", "a"), false))
			r = s.call("POST", "/v1/providers/"+id+"/test", nil).want(200)
			if r.str("error.code") != "provider_network" {
				t.Errorf("with the older key behind the new one: %s", r.body)
			}
		})
	}
}

// A key that cannot be sent is refused where it is entered; what came along when it was
// copied is left out.
func TestKeysAsTheyAreEntered(t *testing.T) {
	mine := newCanary(t)
	t.Setenv("OPENAI_API_KEY", "two words")
	s := newServer(t, databases["sqlite"](t))
	for _, bad := range []string{"sk two words", "sk-a\r\nX-Evil: 1", "sk-\u200bhidden", "schl\u00fcssel", "\n"} {
		r := s.call("POST", "/v1/providers", compatible("m", mine.URL, map[string]any{"api_key": bad})).problem(422, "invalid")
		if r.str("errors.0.pointer") != "/config/api_key" || strings.Contains(r.str("detail"), bad) {
			t.Errorf("%q: %s", bad, r.body)
		}
	}
	id := s.call("POST", "/v1/providers", compatible("m", mine.URL, map[string]any{"api_key": " sk-copied-0123456789\r\n"})).want(201).str("id")
	s.call("POST", "/v1/providers/"+id+"/test", nil).want(200)
	if !strings.Contains(mine.got(), "Bearer sk-copied-0123456789") {
		t.Errorf("the key did not come: %s", mine.got())
	}
	id = s.call("POST", "/v1/providers", compatible("n", mine.URL, map[string]any{"api_key_env": "OPENAI_API_KEY"})).want(201).str("id")
	if r := s.call("POST", "/v1/providers/"+id+"/test", nil).want(200); r.str("error.code") != "provider_key_unusable" || strings.Contains(string(r.body), "two words") {
		t.Errorf("%s", r.body)
	}
	s.call("POST", "/v1/providers", compatible("m", "http://127.0.0.1:99999", nil)).problem(422, "invalid")
}
