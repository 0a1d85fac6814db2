package doors

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/testkit"
)

func TestTheDoctorLooksAtThisMachinesServer(t *testing.T) {
	good := func() app.Config {
		return app.Config{
			Database: app.Database{DataDir: t.TempDir()}, Listen: "127.0.0.1:0", LeaseTTL: 15 * time.Second, EventRetention: 168 * time.Hour,
		}
	}
	running := newServer(t, app.Database{DataDir: t.TempDir()})
	for name, c := range map[string]struct {
		url    string
		change func(*app.Config)
		check  string
		level  diagnosis.Level
		says   string
	}{
		"all is well":                      {"http://127.0.0.1:1", func(*app.Config) {}, "database", diagnosis.LevelOK, "will be created"},
		"a server runs":                    {"http://localhost:1", func(f *app.Config) { f.DataDir = running.Config.DataDir }, "database", diagnosis.LevelOK, "as expected; in use by a server"},
		"a newer database":                 {"http://127.0.0.1:1", func(f *app.Config) { f.DataDir = ofSchema(t, "+ 1") }, "database", diagnosis.LevelFailed, "newer version of Fermata"},
		"an older database":                {"http://127.0.0.1:1", func(f *app.Config) { f.DataDir = ofSchema(t, "- 1") }, "database", diagnosis.LevelFailed, "and this program expects"},
		"a file that is no database":       {"http://127.0.0.1:1", func(f *app.Config) { noDatabase(t, f.SQLitePath()) }, "database", diagnosis.LevelFailed, "not a database"},
		"no PostgreSQL":                    {"http://127.0.0.1:1", func(f *app.Config) { f.DatabaseURL = "postgres://x@127.0.0.1:1/x?sslmode=disable" }, "database", diagnosis.LevelFailed, "refused"},
		"no secret key":                    {"http://127.0.0.1:1", func(f *app.Config) { f.DatabaseURL = "postgres://x@127.0.0.1:1/x?sslmode=disable" }, "secret key", diagnosis.LevelWarning, "not set"},
		"bad secret key":                   {"http://127.0.0.1:1", func(f *app.Config) { f.SecretKey = "short" }, "secret key", diagnosis.LevelFailed, "base64"},
		"a key file that others can read":  {"http://127.0.0.1:1", func(f *app.Config) { openKeyFile(t, f.DataDir) }, "secret key", diagnosis.LevelFailed, "chmod 600"},
		"a list of variables with its own": {"http://127.0.0.1:1", func(f *app.Config) { f.ProviderEnv = []string{"FERMATA_ROOT_KEY"} }, "configuration", diagnosis.LevelFailed, "FERMATA_PROVIDER_ENV"},
		"bad configuration":                {"http://127.0.0.1:1", func(f *app.Config) { f.RootKey = "short" }, "configuration", diagnosis.LevelFailed, "32"},
		"simple root key":                  {"http://127.0.0.1:1", func(f *app.Config) { f.RootKey = strings.Repeat("a", 32) }, "configuration", diagnosis.LevelFailed, "could be guessed"},
		"no address":                       {"http://127.0.0.1:1", func(f *app.Config) { f.Listen = "bogus" }, "configuration", diagnosis.LevelFailed, "not an address"},
		"unencrypted":                      {"http://127.0.0.1:1", func(f *app.Config) { f.Listen = "0.0.0.0:0" }, "transport", diagnosis.LevelWarning, "unencrypted"},
		"a server far away":                {"https://fermata.example", func(*app.Config) {}, "configuration", diagnosis.LevelSkipped, "another machine"},
		"a database not migrated":          {"http://127.0.0.1:1", func(f *app.Config) { f.DatabaseURL = testkit.Postgres(t) }, "database", diagnosis.LevelFailed, "tables"},
	} {
		t.Run(name, func(t *testing.T) {
			config := good()
			c.change(&config)
			for _, f := range app.Diagnose(t.Context(), config, c.url) {
				if f.Check == c.check {
					if f.Level != c.level || !strings.Contains(f.Detail, c.says) || f.Level == diagnosis.LevelFailed && f.Fix == "" {
						t.Errorf("found %+v, want %s and %q, and how to fix it", f, c.level, c.says)
					}
					return
				}
			}
			t.Errorf("%s was not checked", c.check)
		})
	}
}

// ofSchema is a data directory whose database says that it has another schema.
func ofSchema(t *testing.T, change string) string {
	t.Helper()
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Stop()
	db, err := sql.Open("sqlite", "file:"+s.Config.SQLitePath())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	const newest = "version_id = (SELECT MAX(version_id) FROM goose_db_version)"
	if _, err := db.ExecContext(t.Context(), "UPDATE goose_db_version SET version_id = version_id "+change+" WHERE "+newest); err != nil {
		t.Fatal(err)
	}
	return s.Config.DataDir
}

// openKeyFile puts a secret key where every user of the machine can read it.
func openKeyFile(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "secret.key")
	if err := os.WriteFile(path, []byte(harness.EncodedKeys("a")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

// noDatabase puts something else where the database should be.
func noDatabase(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Repeat("This is a letter.\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
}
