package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/cli"
)

// parse reads a command line with a configuration file.
func parse(t *testing.T, file string, args ...string) (*commandLine, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fermata.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	var line commandLine
	parser, err := kong.New(&line, kong.Name("fermata"), kong.Configuration(cli.ReadConfigFile))
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(append([]string{"serve", "--config", path}, args...))
	return &line, err
}

func TestFlagsOverEnvironmentOverFileOverDefaults(t *testing.T) {
	file := "listen: 127.0.0.1:1\nlog_level: warn\nlease_ttl: 30s\nallowed_hosts: [a.internal, 10.0.0.0/8]\n"
	t.Setenv("FERMATA_LOG_LEVEL", "error")
	line, err := parse(t, file, "--lease-ttl", "20s")
	if err != nil {
		t.Fatal(err)
	}
	s := line.Serve
	if s.Listen != "127.0.0.1:1" || s.LogLevel != "error" || s.LeaseTTL.String() != "20s" || s.EventRetention.String() != "168h0m0s" {
		t.Errorf("listen %s (file), log level %s (environment), lease %s (flag), retention %s (default)", s.Listen, s.LogLevel, s.LeaseTTL, s.EventRetention)
	}
	if strings.Join(s.AllowedHosts, " ") != "a.internal 10.0.0.0/8" {
		t.Errorf("allowed hosts %q", s.AllowedHosts)
	}
}

func TestAnUnknownKeyIsAnErrorWithASuggestion(t *testing.T) {
	if _, err := parse(t, "lisen: 127.0.0.1:1\n"); err == nil || !strings.Contains(err.Error(), `did you mean "listen"?`) {
		t.Errorf("the error is %v", err)
	}
	if _, err := parse(t, "listen: [\n"); err == nil {
		t.Error("a file that is no YAML was taken")
	}
}
