package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// parse reads a command line with a configuration file.
func parse(t *testing.T, file string, args ...string) (*CLI, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fermata.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	var cli CLI
	parser, err := kong.New(&cli, kong.Name("fermata"), kong.Configuration(readConfigFile))
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(append([]string{"serve", "--config", path}, args...))
	return &cli, err
}

func TestFlagsOverEnvironmentOverFileOverDefaults(t *testing.T) {
	file := "listen: 127.0.0.1:1\nlog_level: warn\nlease_ttl: 30s\nallowed_hosts: [a.internal, 10.0.0.0/8]\n"
	t.Setenv("FERMATA_LOG_LEVEL", "error")
	cli, err := parse(t, file, "--lease-ttl", "20s")
	if err != nil {
		t.Fatal(err)
	}
	s := cli.Serve
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

func TestWhatCannotWorkIsRefusedAtTheStart(t *testing.T) {
	for name, change := range map[string]func(*serverFlags){
		"short root key":  func(f *serverFlags) { f.RootKey = "short" },
		"simple root key": func(f *serverFlags) { f.RootKey = strings.Repeat("a", 32) },
		"short retention": func(f *serverFlags) { f.EventRetention = 1 },
		"secret twice":    func(f *serverFlags) { f.RootKey, f.RootKeyFile = aRootKey, "/dev/null" },
		"missing file":    func(f *serverFlags) { f.SecretKeyFile = "/nonexistent" },
	} {
		f := serverFlags{LeaseTTL: 15e9, EventRetention: 168 * 3600e9, Listen: "127.0.0.1:0"}
		change(&f)
		if err := f.resolve(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
