package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/rs/zerolog"
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

func TestAddressesToListenOn(t *testing.T) {
	for address, says := range map[string]string{
		"127.0.0.1:8080": "", ":8080": "", "[::1]:8080": "", "0.0.0.0:0": "", "localhost:8080": "", "fermata.example:8080": "", "node-1:8080": "",
		"bogus": "not an address", "": "not an address", "8080": "not an address", "http://127.0.0.1:8080": "not an address", "127.0.0.1:8080:1": "not an address",
		"bo gus:8080": "not an address", "127.0.0.1:": "port", "127.0.0.1:99999": "port", "127.0.0.1:-1": "port", "127.0.0.1:bogus": "port", "127.0.0.1:http": "port",
		"127.0.0.1": "write 127.0.0.1:8080", "localhost": "write localhost:8080", "::1": "write [::1]:8080", "[::1]": "write [::1]:8080", "fermata.example": "write fermata.example:8080",
	} {
		if err := checkAddress(address); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", address, err, says)
		}
	}
}

// TestNothingIsMadeForWhatCannotWork: a mistake in the configuration leaves no database and
// no key behind.
func TestNothingIsMadeForWhatCannotWork(t *testing.T) {
	for name, change := range map[string]func(*serverFlags){
		"no address":         func(f *serverFlags) { f.Listen = "bogus" },
		"no metrics address": func(f *serverFlags) { f.MetricsListen = "127.0.0.1" },
		"no origin":          func(f *serverFlags) { f.AllowedOrigins = []string{"https://app.example/"} },
		"no public URL":      func(f *serverFlags) { f.PublicURL = "fermata.example" },
		"a user in it":       func(f *serverFlags) { f.PublicURL = "https://u:p@fermata.example" },
		"others reach it":    func(f *serverFlags) { f.PublicURL = "ftp://fermata.example" },
		"any origin":         func(f *serverFlags) { f.AllowedOrigins = []string{"*"} },
	} {
		f := serverFlags{LeaseTTL: 15e9, EventRetention: 168 * 3600e9, Listen: "127.0.0.1:0", databaseFlags: databaseFlags{DataDir: t.TempDir() + "/data"}}
		change(&f)
		if _, err := newApp(t.Context(), f, zerolog.Nop()); err == nil || !strings.Contains(err.Error(), "FERMATA_") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(f.DataDir); !os.IsNotExist(err) {
			t.Errorf("%s: the data directory was made: %v", name, err)
		}
	}
}

func TestPlainTextIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		listen, public string
		plain          bool
	}{
		"this machine":                {"127.0.0.1:1", "", false},
		"this machine, through http":  {"127.0.0.1:1", "http://fermata.example", false},
		"the network":                 {"0.0.0.0:1", "", true},
		"the network, through http":   {":1", "http://fermata.example", true},
		"the network, behind TLS":     {"0.0.0.0:1", "https://fermata.example", false},
		"the network, in big letters": {"0.0.0.0:1", "HTTPS://fermata.example", false},
	} {
		f := serverFlags{Listen: c.listen, PublicURL: c.public}
		var log strings.Builder
		a := &app{flags: f, log: zerolog.New(&log)}
		a.warnOfPlain()
		if told := strings.Contains(log.String(), "plain text"); told != c.plain {
			t.Errorf("%s: %q", name, log.String())
		}
	}
}

func TestWhatCannotWorkIsRefusedAtTheStart(t *testing.T) {
	for name, change := range map[string]func(*serverFlags){
		"short root key":  func(f *serverFlags) { f.RootKey = "short" },
		"simple root key": func(f *serverFlags) { f.RootKey = strings.Repeat("a", 32) },
		"short retention": func(f *serverFlags) { f.EventRetention = 1 },
		"secret twice":    func(f *serverFlags) { f.RootKey, f.RootKeyFile = aRootKey, "/dev/null" },
		"negative rate":   func(f *serverFlags) { f.Rate.Hooks = -1 },
		"no burst":        func(f *serverFlags) { f.Rate.FailuresBurst = 0.5 },
		"not a rate":      func(f *serverFlags) { f.Rate.Requests = math.NaN() },
		"missing file":    func(f *serverFlags) { f.SecretKeyFile = "/nonexistent" },
	} {
		f := serverFlags{LeaseTTL: 15e9, EventRetention: 168 * 3600e9, Listen: "127.0.0.1:0"}
		change(&f)
		if err := f.resolve(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
