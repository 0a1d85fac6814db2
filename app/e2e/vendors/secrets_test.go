package vendors

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"database/sql"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// A stored key goes where it was entered for, and nowhere else.
func TestStoredKeysStayWhereTheyWereEntered(t *testing.T) {
	mine, evil := newCanary(t), newCanary(t)
	s, _, admin := closedServer(t)
	id := s.Call("POST", "/v1/providers", compatible("m", mine.URL+"/v1", map[string]any{"api_key": "sk-entered-0123456789"}), admin...).Want(201).Str("id")
	patch := func(config map[string]any) *harness.Reply {
		t.Helper()
		return s.Call("PATCH", "/v1/providers/"+id, map[string]any{"config": config}, admin...)
	}
	for name, config := range map[string]map[string]any{
		"another host":   {"base_url": evil.URL + "/v1"},
		"with the mask":  {"base_url": evil.URL + "/v1", "api_key": "sk-…6789"},
		"another scheme": {"base_url": strings.Replace(mine.URL, "http:", "https:", 1)},
		"a preset":       {"base_url": nil, "preset": "groq"},
		"its name":       {"base_url": strings.Replace(mine.URL, "127.0.0.1", "localhost", 1)},
	} {
		if r := patch(config).Problem(422, "invalid"); r.Str("errors.0.pointer") != "/config/api_key" {
			t.Errorf("%s: %s", name, r.Body)
		}
	}
	patch(map[string]any{"base_url": mine.URL + "/v2", "max_tokens": 5000, "api_key": "sk-…6789"}).Want(200)
	s.Call("POST", "/v1/providers/"+id+"/test", nil, admin...).Want(200)
	if !strings.Contains(mine.got(), "/v2/chat/completions") || !strings.Contains(mine.got(), "Bearer sk-entered-0123456789") {
		t.Errorf("the key did not come: %s", mine.got())
	}
	if got := evil.got(); got != "" {
		t.Errorf("the canary was called: %s", got)
	}
	patch(map[string]any{"base_url": evil.URL, "api_key": "sk-another-0123456789"}).Want(200)
	s.Call("POST", "/v1/providers/"+id+"/test", nil, admin...).Want(200)
	if got := evil.got(); !strings.Contains(got, "sk-another") || strings.Contains(got, "sk-entered") {
		t.Errorf("a key that was entered for the new host: %s", got)
	}
}

// raw changes the database behind the server's back.
func raw(t *testing.T, db app.Database, statement string, args ...any) {
	t.Helper()
	driver, source := "sqlite", "file:"+db.SQLitePath()
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

// sealing is what the server seals with, so that a test can seal as it was done at first.
func sealing(t *testing.T, secretKey string) cipher.AEAD {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(secretKey)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return aead
}

// Who can write to the database gets no key out either.
func TestKeysDoNotFollowAnEditedDatabase(t *testing.T) {
	mine, evil := newCanary(t), newCanary(t)
	s, _, admin := closedServer(t)
	id := s.Call("POST", "/v1/providers", compatible("m", mine.URL+"/v1", map[string]any{"api_key": "sk-entered-0123456789"}), admin...).Want(201).Str("id")
	raw(t, s.Config.Database, "UPDATE providers SET config = replace(config, $1, $2)", mine.URL, evil.URL)
	r := s.Call("POST", "/v1/providers/"+id+"/test", nil, admin...).Want(200)
	if r.Str("error.code") != "provider_key_unreadable" || evil.got() != "" {
		t.Errorf("%s; the canary got %q", r.Body, evil.got())
	}
}

// What was stored before keys were bound, and webhooks' secrets in the clear, are
// brought into their present form at the next start.
func TestSecretsOfBeforeAreSealedAtStart(t *testing.T) {
	for name, fresh := range harness.Databases {
		t.Run(name, func(t *testing.T) {
			mine, db := newCanary(t), fresh(t)
			s := newServer(t, db)
			id := s.Call("POST", "/v1/providers", compatible("m", mine.URL, map[string]any{"api_key": "sk-new-0123456789"})).Want(201).Str("id")
			made := s.Call("POST", "/v1/automations", map[string]any{"name": "a", "seed": map[string]any{"text": "Go."}, "triggers": []any{map[string]any{"type": "webhook"}}}).Want(201)
			token := strings.Repeat("0f", 32)
			s.Stop()
			aead := sealing(t, s.Config.SecretKey)
			nonce := make([]byte, aead.NonceSize())
			first := base64.StdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte("sk-old-0123456789"), []byte(id)))
			raw(t, db, "UPDATE providers SET secret_sealed = $1", first)
			raw(t, db, "UPDATE automations SET hook_hash = '', hook_sealed = $1", token)

			s = newServer(t, db)
			p, err := s.Parts.Store.Providers.Provider(t.Context(), domain.DefaultWorkspace, id)
			if err != nil || !strings.HasPrefix(p.SecretSealed, "v2.") {
				t.Errorf("the provider's key: %+v, %v", p, err)
			}
			s.Call("POST", "/v1/providers/"+id+"/test", nil).Want(200)
			if !strings.Contains(mine.got(), "Bearer sk-old-0123456789") {
				t.Errorf("the key did not come: %s", mine.got())
			}
			a, err := s.Parts.Store.Automations.Automation(t.Context(), domain.DefaultWorkspace, made.Str("id"))
			if err != nil || a.HookHash == "" || !strings.HasPrefix(a.HookSealed, "v2.") {
				t.Errorf("the webhook's secret: %+v, %v", a, err)
			}
			hook := s.Call("GET", "/v1/automations/"+a.ID, nil).Want(200).Str("webhook_url")
			if !strings.HasSuffix(hook, "/"+token) {
				t.Errorf("its URL: %s", hook)
			}
			s.Call("POST", strings.TrimPrefix(hook, s.URL), "{}").Want(202)
		})
	}
}

// The secret of a webhook is nowhere in the database's files.
func TestWebhookSecretsAreNotStoredInTheClear(t *testing.T) {
	db := harness.Databases["sqlite"](t)
	s := newServer(t, db)
	hook := s.Call("POST", "/v1/automations", map[string]any{"name": "a", "seed": map[string]any{"text": "Go."}, "triggers": []any{map[string]any{"type": "webhook"}}},
		"Idempotency-Key", "one").Want(201).Str("webhook_url")
	s.Call("POST", strings.TrimPrefix(hook, s.URL), "{}").Want(202)
	token := hook[strings.LastIndex(hook, "/")+1:]
	s.Stop()
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
	for name, fresh := range harness.Databases {
		t.Run(name, func(t *testing.T) {
			db := fresh(t)
			with := func(keys string, accept bool) func(*app.Config) {
				return func(f *app.Config) { f.SecretKey, f.AcceptUnreadableSecrets = keys, accept }
			}
			s := newServer(t, db, with(harness.EncodedKeys("a"), false))
			id := s.Call("POST", "/v1/providers", compatible("m", "http://127.0.0.1:1", map[string]any{"api_key": "sk-new-0123456789"})).Want(201).Str("id")
			flags := s.Config
			s.Stop()

			flags.SecretKey = harness.EncodedKeys("b")
			_, err := app.New(t.Context(), flags)
			if err == nil || !strings.Contains(err.Error(), "1 of 1 stored secret ") || strings.Contains(err.Error(), harness.EncodedKeys("b")) {
				t.Fatalf("another key: %v", err)
			}
			found := app.Diagnose(t.Context(), flags, s.URL)
			if last := found[len(found)-1]; last.Check != "secret key" || last.Level != diagnosis.LevelFailed || last.Fix == "" {
				t.Errorf("the doctor says %+v", found)
			}
			flags.SecretKey = harness.EncodedKeys("b", "a")
			found = app.Diagnose(t.Context(), flags, s.URL)
			if last := found[len(found)-1]; last.Check != "secret key" || last.Level != diagnosis.LevelOK {
				t.Errorf("the doctor says %+v", found)
			}

			s = newServer(t, db, with(harness.EncodedKeys("b"), true))
			r := s.Call("POST", "/v1/providers/"+id+"/test", nil).Want(200)
			if r.Str("error.code") != "provider_key_unreadable" {
				t.Errorf("the key is lost: %s", r.Body)
			}
			s.Stop()

			s = newServer(t, db, with(harness.EncodedKeys("b", "a"), false))
			r = s.Call("POST", "/v1/providers/"+id+"/test", nil).Want(200)
			if r.Str("error.code") != "provider_network" {
				t.Errorf("with the older key behind the new one: %s", r.Body)
			}
		})
	}
}

// A key that cannot be sent is refused where it is entered; what came along when it was
// copied is left out.
func TestKeysAsTheyAreEntered(t *testing.T) {
	mine := newCanary(t)
	t.Setenv("OPENAI_API_KEY", "two words")
	s := newServer(t, harness.Databases["sqlite"](t))
	for _, bad := range []string{"sk two words", "sk-a\r\nX-Evil: 1", "sk-\u200bhidden", "schl\u00fcssel", "\n"} {
		r := s.Call("POST", "/v1/providers", compatible("m", mine.URL, map[string]any{"api_key": bad})).Problem(422, "invalid")
		if r.Str("errors.0.pointer") != "/config/api_key" || strings.Contains(r.Str("detail"), bad) {
			t.Errorf("%q: %s", bad, r.Body)
		}
	}
	id := s.Call("POST", "/v1/providers", compatible("m", mine.URL, map[string]any{"api_key": " sk-copied-0123456789\r\n"})).Want(201).Str("id")
	s.Call("POST", "/v1/providers/"+id+"/test", nil).Want(200)
	if !strings.Contains(mine.got(), "Bearer sk-copied-0123456789") {
		t.Errorf("the key did not come: %s", mine.got())
	}
	id = s.Call("POST", "/v1/providers", compatible("n", mine.URL, map[string]any{"api_key_env": "OPENAI_API_KEY"})).Want(201).Str("id")
	if r := s.Call("POST", "/v1/providers/"+id+"/test", nil).Want(200); r.Str("error.code") != "provider_key_unusable" || strings.Contains(string(r.Body), "two words") {
		t.Errorf("%s", r.Body)
	}
	s.Call("POST", "/v1/providers", compatible("m", "http://127.0.0.1:99999", nil)).Problem(422, "invalid")
}
