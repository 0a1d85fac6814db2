package doctor

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
)

func TestHealth(t *testing.T) {
	f := clitest.NewAPI(t)
	ready := true
	f.Mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"status":"ok"}`))
	})
	cc, out := clitest.Context(t, strings.NewReader(""))
	health := HealthCommand{URL: f.Flags().URL, Output: "table"}
	if err := health.Run(cc); err != nil || out.String() != "ok\n" {
		t.Errorf("%q, %v", out, err)
	}
	ready = false
	if err := health.Run(cc); command.ExitCode(err) != command.ExitFailed {
		t.Errorf("not ready: %v, exit code %d", err, command.ExitCode(err))
	}
	health.URL = "http://127.0.0.1:1"
	if err := health.Run(cc); command.ExitCode(err) != command.ExitUnreachable {
		t.Errorf("no server: %v, exit code %d", err, command.ExitCode(err))
	}
}

func TestWhereTheServerOfThisMachineIs(t *testing.T) {
	for listen, want := range map[string]string{
		"": "http://127.0.0.1:8080", "0.0.0.0:9000": "http://127.0.0.1:9000", ":9000": "http://127.0.0.1:9000",
		"[::]:9000": "http://127.0.0.1:9000", "10.1.2.3:80": "http://10.1.2.3:80", "[::1]:80": "http://[::1]:80", "nonsense": "http://127.0.0.1:8080",
	} {
		if got := localURL(listen, false); got != want {
			t.Errorf("%q: %s, want %s", listen, got, want)
		}
		if got := localURL(listen, true); got != strings.Replace(want, "http:", "https:", 1) {
			t.Errorf("%q with TLS: %s", listen, got)
		}
	}
}

func TestTheDoctorAsksWhereTheServerListens(t *testing.T) {
	for _, c := range []struct{ given, listen, want string }{
		{"http://127.0.0.1:8080", ":9000", "http://127.0.0.1:9000"},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"https://fermata.example", ":9000", "https://fermata.example"},
		{"http://127.0.0.1:7000", ":9000", "http://127.0.0.1:7000"},
	} {
		d := Command{ClientFlags: command.ClientFlags{ServerFlags: command.ServerFlags{URL: c.given}}}
		if d.Near(c.listen, false); d.URL != c.want {
			t.Errorf("given %s, listens on %s: uses %s", c.given, c.listen, d.URL)
		}
	}
}
