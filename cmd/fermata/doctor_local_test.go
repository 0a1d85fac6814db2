package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheDoctorLooksAtThisMachinesServer(t *testing.T) {
	good := func() serverFlags {
		return serverFlags{
			databaseFlags: databaseFlags{DataDir: t.TempDir()}, Listen: "127.0.0.1:0", LeaseTTL: 15 * time.Second, EventRetention: 168 * time.Hour,
		}
	}
	running := newServer(t, databaseFlags{DataDir: t.TempDir()})
	for name, c := range map[string]struct {
		url    string
		change func(*serverFlags)
		check  string
		level  level
		says   string
	}{
		"all is well":                      {"http://127.0.0.1:1", func(*serverFlags) {}, "database", levelOK, "will be made"},
		"a server runs":                    {"http://localhost:1", func(f *serverFlags) { f.DataDir = running.app.flags.DataDir }, "database", levelOK, "in use"},
		"no PostgreSQL":                    {"http://127.0.0.1:1", func(f *serverFlags) { f.DatabaseURL = "postgres://x@127.0.0.1:1/x?sslmode=disable" }, "database", levelFailed, "refused"},
		"no secret key":                    {"http://127.0.0.1:1", func(f *serverFlags) { f.DatabaseURL = "postgres://x@127.0.0.1:1/x?sslmode=disable" }, "secret key", levelWarning, "not set"},
		"bad secret key":                   {"http://127.0.0.1:1", func(f *serverFlags) { f.SecretKey = "short" }, "secret key", levelFailed, "base64"},
		"a key file that others can read":  {"http://127.0.0.1:1", func(f *serverFlags) { openKeyFile(t, f.DataDir) }, "secret key", levelFailed, "chmod 600"},
		"a list of variables with its own": {"http://127.0.0.1:1", func(f *serverFlags) { f.ProviderEnv = []string{"FERMATA_ROOT_KEY"} }, "configuration", levelFailed, "FERMATA_PROVIDER_ENV"},
		"bad configuration":                {"http://127.0.0.1:1", func(f *serverFlags) { f.RootKey = "short" }, "configuration", levelFailed, "32"},
		"simple root key":                  {"http://127.0.0.1:1", func(f *serverFlags) { f.RootKey = strings.Repeat("a", 32) }, "configuration", levelFailed, "could be guessed"},
		"no address":                       {"http://127.0.0.1:1", func(f *serverFlags) { f.Listen = "bogus" }, "configuration", levelFailed, "not an address"},
		"plain text":                       {"http://127.0.0.1:1", func(f *serverFlags) { f.Listen = "0.0.0.0:0" }, "transport", levelWarning, "plain text"},
		"a server far away":                {"https://fermata.example", func(*serverFlags) {}, "configuration", levelSkipped, "another machine"},
		"a database not migrated":          {"http://127.0.0.1:1", func(f *serverFlags) { f.DatabaseURL = databases["postgres"](t).DatabaseURL }, "database", levelFailed, "tables"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := doctorCommand{clientFlags: clientFlags{URL: c.url}, serverFlags: good()}
			c.change(&cmd.serverFlags)
			for _, f := range cmd.local(t.Context()) {
				if f.Check == c.check {
					if f.Level != c.level || !strings.Contains(f.Detail, c.says) || f.Level == levelFailed && f.Mend == "" {
						t.Errorf("found %+v, want %s and %q, and how to mend it", f, c.level, c.says)
					}
					return
				}
			}
			t.Errorf("%s was not checked", c.check)
		})
	}
}

// openKeyFile puts a secret key where every user of the machine can read it.
func openKeyFile(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "secret.key")
	if err := os.WriteFile(path, []byte(encodedKeys("a")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
}
