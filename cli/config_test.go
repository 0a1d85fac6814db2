package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/cli/clitest"
)

// served is a test configuration of a server.
type served struct {
	Listen   string   `help:"x" default:"127.0.0.1:8080" env:"FERMATA_LISTEN"`
	RootKey  string   `help:"x" env:"FERMATA_ROOT_KEY" secret:"yes"`
	Database string   `help:"x" env:"FERMATA_DATABASE_URL" secret:"url"`
	Hosts    []string `help:"x" env:"FERMATA_ALLOWED_HOSTS"`
	Level    string   `help:"x" default:"info" env:"FERMATA_LOG_LEVEL"`
	Prepared *bool    `help:"x" env:"FERMATA_DATABASE_PREPARED"`
	Stdio    *bool    `help:"x" env:"FERMATA_ALLOW_STDIO"`
	Inner    string   `help:"x" env:"FERMATA_INNER" hidden:""`
}

func TestConfigPrint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fermata.yaml")
	if err := os.WriteFile(path, []byte("hosts: [a.example, b.example]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FERMATA_ROOT_KEY", "very-secret-indeed")
	t.Setenv("FERMATA_DATABASE_URL", "postgres://fermata:hunter2@db/fermata")
	t.Setenv("FERMATA_LOG_LEVEL_FILE", "")
	t.Setenv("FERMATA_DATABASE_PREPARED", "false")
	t.Setenv("FERMATA_LOG_LEVEL", "") // as compose files set it
	t.Setenv("FERMATA_ALLOW_STDIO", "")
	line := struct {
		Flags    `embed:""`
		Settings ConfigCommand[served] `cmd:"" name:"config"`
	}{}
	cc, out := clitest.Context(t, strings.NewReader(""))
	if err := Run(&line, []string{"--config", path, "config", "print", "--listen", ":9000"}, cc); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"FERMATA_LISTEN :9000 command line", "FERMATA_ROOT_KEY (set, not shown) environment",
		"FERMATA_DATABASE_URL postgres://fermata:xxxxx@db/fermata environment",
		"FERMATA_ALLOWED_HOSTS a.example,b.example configuration file", "FERMATA_LOG_LEVEL info default",
		"FERMATA_ALLOW_STDIO default", "FERMATA_DATABASE_PREPARED false environment",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	for _, secret := range []string{"very-secret", "hunter2", "INNER"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%s is printed:\n%s", secret, out)
		}
	}
}

func TestURLsAreShownWithoutSecrets(t *testing.T) {
	for value, want := range map[string]string{
		"postgres://fermata:hunter2@db/fermata?sslmode=require":               "postgres://fermata:xxxxx@db/fermata?sslmode=require",
		"postgres://db/fermata?user=u&password=hunter2":                       "postgres://db/fermata?user=u&password=xxxxx",
		"postgres://db/fermata?sslpassword=hunter2&sslmode=verify-full":       "postgres://db/fermata?sslpassword=xxxxx&sslmode=verify-full",
		"postgres://db/fermata?Password=hunter2":                              "postgres://db/fermata?Password=xxxxx",
		"postgres://db/fermata?pass%77ord=hunter2":                            "postgres://db/fermata?pass%77ord=xxxxx",
		"https://user:hunter2@collector.example/v1/traces?api-key=hunter2#h2": "https://user:xxxxx@collector.example/v1/traces?api-key=xxxxx",
		"host=db password=hunter2":                                            "(set, not shown)",
		"postgres:///fermata?password=hunter2":                                "(set, not shown)",
		"":                                                                    "",
	} {
		t.Setenv("FERMATA_DATABASE_URL", value)
		line := struct {
			Flags    `embed:""`
			Settings ConfigCommand[served] `cmd:"" name:"config"`
		}{}
		cc, out := clitest.Context(t, strings.NewReader(""))
		if err := Run(&line, []string{"config", "print"}, cc); err != nil {
			t.Fatal(err)
		}
		got := ""
		for row := range strings.Lines(out.String()) {
			if rest, ours := strings.CutPrefix(row, "FERMATA_DATABASE_URL"); ours {
				got = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(rest), "environment"), "default"))
			}
		}
		if got != want {
			t.Errorf("%s: shown as %q, want %q", value, got, want)
		}
	}
}
