package app

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

func TestAddressesToListenOn(t *testing.T) {
	for address, says := range map[string]string{
		"127.0.0.1:8080": "", ":8080": "", "[::1]:8080": "", "0.0.0.0:0": "", "localhost:8080": "", "fermata.example:8080": "", "node-1:8080": "",
		"bogus": "not an address", "1.2.3.4.5:80": "not an address", "300.1.2.3:80": "not an address", "1.2.3:80": "not an address", "127.0.0.1.:80": "not an address", "": "not an address", "8080": "not an address", "http://127.0.0.1:8080": "not an address", "127.0.0.1:8080:1": "not an address",
		"bo gus:8080": "not an address", "127.0.0.1:": "port", "127.0.0.1:99999": "port", "127.0.0.1:-1": "port", "127.0.0.1:bogus": "port", "127.0.0.1:http": "port",
		"127.0.0.1": "use 127.0.0.1:8080", "localhost": "use localhost:8080", "::1": "use [::1]:8080", "[::1]": "use [::1]:8080", "fermata.example": "use fermata.example:8080",
	} {
		if err := checkAddress(address); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", address, err, says)
		}
	}
}

// TestNothingIsMadeForWhatCannotWork: a mistake in the configuration leaves no database and
// no key behind.
func TestNothingIsMadeForWhatCannotWork(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no address":         func(f *Config) { f.Listen = "bogus" },
		"no metrics address": func(f *Config) { f.MetricsListen = "127.0.0.1" },
		"no origin":          func(f *Config) { f.AllowedOrigins = []string{"https://app.example/"} },
		"no public URL":      func(f *Config) { f.PublicURL = "fermata.example" },
		"a user in it":       func(f *Config) { f.PublicURL = "https://u:p@fermata.example" },
		"a path of the API":  func(f *Config) { f.PublicURL = "https://fermata.example/v1" },
		"one of the page":    func(f *Config) { f.PublicURL = "https://fermata.example/assets/x/" },
		"a host in its path": func(f *Config) { f.PublicURL = "https://fermata.example//other.example" },
		"others reach it":    func(f *Config) { f.PublicURL = "ftp://fermata.example" },
		"any origin":         func(f *Config) { f.AllowedOrigins = []string{"*"} },
	} {
		f := Config{LeaseTTL: 15e9, EventRetention: 168 * 3600e9, Listen: "127.0.0.1:0", Database: Database{DataDir: t.TempDir() + "/data"}}
		change(&f)
		if _, err := open(t.Context(), f); err == nil || !strings.Contains(err.Error(), "FERMATA_") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(f.DataDir); !os.IsNotExist(err) {
			t.Errorf("%s: the data directory was made: %v", name, err)
		}
	}
}

func TestPlainTextIsReported(t *testing.T) {
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
		f := Config{Listen: c.listen, PublicURL: c.public}
		var log strings.Builder
		a := &App{flags: f, log: zerolog.New(&log)}
		a.warnOfPlain()
		if warned := strings.Contains(log.String(), "unencrypted"); warned != c.plain {
			t.Errorf("%s: %q", name, log.String())
		}
	}
}

func TestWhatCannotWorkIsRefusedAtTheStart(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"short root key":  func(f *Config) { f.RootKey = "short" },
		"simple root key": func(f *Config) { f.RootKey = strings.Repeat("a", 32) },
		"short retention": func(f *Config) { f.EventRetention = 1 },
		"secret twice":    func(f *Config) { f.RootKey, f.RootKeyFile = "0123456789abcdefghijklmnopqrstuvwxyz", "/dev/null" },
		"negative rate":   func(f *Config) { f.Rate.Hooks = -1 },
		"no burst":        func(f *Config) { f.Rate.FailuresBurst = 0.5 },
		"not a rate":      func(f *Config) { f.Rate.Requests = math.NaN() },
		"missing file":    func(f *Config) { f.SecretKeyFile = "/nonexistent" },
	} {
		f := Config{LeaseTTL: 15e9, EventRetention: 168 * 3600e9, Listen: "127.0.0.1:0"}
		change(&f)
		if err := f.resolve(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
