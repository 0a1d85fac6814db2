package keep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestWhatAServerDoesNotStartOn: a database of a newer version, secrets of another key or of a missing one, a data
// directory in use by another server. Each fails with a message that says what to do, nothing is changed, and the
// other server continues.
func TestWhatAServerDoesNotStartOn(t *testing.T) {
	anotherKey := harness.EncodedKeys("b")
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		embedded := db.DatabaseURL == ""
		own := ""
		if !embedded {
			own = oldKey
		}
		s := harness.NewServer(t, db, func(c *app.Config) { c.SecretKey = own })
		s.Call("POST", "/v1/providers", `{"name": "O", "kind": "openai", "config": {"api_key": "sk-0123456789abcdef", "model": "m"}}`).Want(201)
		chat := s.Chat()
		starts := func(secret string) error {
			a, err := app.New(t.Context(), app.Config{Database: db, Listen: "127.0.0.1:0", SecretKey: secret, Log: zerolog.Nop()})
			if err == nil {
				_ = a.Stop(t.Context())
			}
			return err
		}
		file := filepath.Join(db.DataDir, "secret.key")
		if embedded {
			refusedWith(t, "beside another server", starts(own), "another process uses this database ("+db.SQLitePath()+".lock is locked): stop it first")
			s.Call("GET", "/v1/sessions/"+chat, nil).Want(200)
		}
		s.Stop()
		before := column(t, db, "SELECT secret_sealed FROM providers")

		refusedWith(t, "another key", starts(anotherKey), "FERMATA_SECRET_KEY is not the key that encrypted 1 of 1 stored secret ", "Nothing was changed", "Set that key again")
		if embedded {
			key, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			refusedWith(t, "no key", starts(""), file+" is missing; its key encrypted 1 of 1 stored secret ", "Restore the file that belongs to this database")
			if _, err := os.Stat(file); !os.IsNotExist(err) {
				t.Errorf("a key lies where the database's own belongs (%v)", err)
			}
			found := false
			for _, f := range app.Diagnose(t.Context(), s.Config, "http://127.0.0.1:1") {
				found = found || strings.Contains(f.Detail, file+" is missing; its key encrypted")
			}
			if !found {
				t.Error("the doctor does not say that the key is gone")
			}
			if err := os.WriteFile(file, []byte(anotherKey), 0o600); err != nil {
				t.Fatal(err)
			}
			refusedWith(t, "another file", starts(""), "the key in "+file+" is not the one that encrypted 1 of 1 stored secret ")
			if err := os.WriteFile(file, key, 0o600); err != nil {
				t.Fatal(err)
			}
		} else {
			refusedWith(t, "no key", starts(""), "FERMATA_SECRET_KEY is missing; it encrypted 1 of 1 stored secret ", "Nothing was changed")
		}

		column(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (90001, TRUE) RETURNING CAST(version_id AS TEXT)")
		refusedWith(t, "a newer database", starts(own), "made by a newer Fermata (its schema is 90001", "start that version again, or restore a backup", "Nothing was changed")
		column(t, db, "DELETE FROM goose_db_version WHERE version_id = 90001 RETURNING CAST(version_id AS TEXT)")

		if after := column(t, db, "SELECT secret_sealed FROM providers"); strings.Join(after, " ") != strings.Join(before, " ") {
			t.Error("a stored secret was changed")
		}
		s = harness.NewServer(t, db, func(c *app.Config) { c.SecretKey = own })
		s.Call("GET", "/v1/sessions/"+chat, nil).Want(200)
		soundEverywhere(s)
		s.Stop()
	})
}

func refusedWith(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	for _, part := range words {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", what, err, part)
		}
	}
}
