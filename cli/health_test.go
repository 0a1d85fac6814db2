package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	f := newFakeAPI(t)
	ready := true
	f.mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"status":"ok"}`))
	})
	cc, out := testContext(t, strings.NewReader(""))
	command := healthCommand{URL: f.flags().URL, Output: "table"}
	if err := command.Run(cc); err != nil || out.String() != "ok\n" {
		t.Errorf("%q, %v", out, err)
	}
	ready = false
	if err := command.Run(cc); ExitCode(err) != exitFailed {
		t.Errorf("not ready: %v, exit code %d", err, ExitCode(err))
	}
	command.URL = "http://127.0.0.1:1"
	if err := command.Run(cc); ExitCode(err) != exitUnreachable {
		t.Errorf("no server: %v, exit code %d", err, ExitCode(err))
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

func TestExitCodes(t *testing.T) {
	answered := func(status int) error {
		e := &serverError{}
		e.Status = status
		return fmt.Errorf("create: %w", e)
	}
	for want, errs := range map[int][]error{
		0:               {nil},
		exitFailed:      {errors.New("a file is not there"), answered(500), answered(503)},
		exitMisused:     {Run(&struct{ Commands }{}, []string{"sessions", "--no-such-flag"}, &Context{})},
		exitUnreachable: {fmt.Errorf("list: %w", &unreachableError{base: "http://x", err: errors.New("refused")})},
		exitRefused:     {answered(401), answered(404), answered(409), answered(422), answered(429)},
	} {
		for _, err := range errs {
			if got := ExitCode(err); got != want {
				t.Errorf("%v: exit code %d, want %d", err, got, want)
			}
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
		d := Doctor{clientFlags: clientFlags{serverFlags: serverFlags{URL: c.given}}}
		if d.Near(c.listen, false); d.URL != c.want {
			t.Errorf("given %s, listens on %s: uses %s", c.given, c.listen, d.URL)
		}
	}
}
