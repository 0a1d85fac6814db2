package doctor

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// healthy is a server with which all is well.
func healthy(t *testing.T) *clitest.API {
	f := clitest.NewAPI(t)
	f.Answers("/healthz", 200, `{"status":"ok"}`)
	f.Answers("/version", 200, `{"version":"dev"}`)
	f.Answers("/v1/admin/invariants", 200, `{"data":[{"name":"two_holders","count":0,"description":"d"}]}`)
	f.Answers("/v1/webhooks", 200, `{"data":[],"next_cursor":null}`)
	f.Answers("/v1/connectors", 200, `{"data":[],"next_cursor":null}`)
	f.Mux.HandleFunc("/v1/events", func(w http.ResponseWriter, r *http.Request) {
		clitest.Stream(w, r, true, clitest.EventText(1, "snapshot", 1))
	})
	return f
}

// The doctor says which webhooks fail, and what to do.
func TestDoctorLooksAtWebhooks(t *testing.T) {
	for answer, want := range map[string][]string{
		`{"data":[{"id":"whk_1","enabled":true,"failing_since":null}],"next_cursor":null}`: {"ok    webhooks", "none of 1 is failing"},
		`{"data":[{"id":"whk_1","enabled":true,"failing_since":"2026-03-01T09:00:00.000Z"},{"id":"whk_2","enabled":false,"disabled_reason":"gone"},
			{"id":"whk_3","enabled":false}],"next_cursor":null}`: {"WARN  webhooks", "whk_1 is failing since 2026", "whk_2 is disabled (gone)", "-> Find the reason"},
	} {
		f := clitest.NewAPI(t)
		f.Answers("/v1/webhooks", 200, answer)
		cc, out := clitest.Context(t, strings.NewReader(""))
		flags := f.Flags()
		client, err := flags.Client(cc)
		if err != nil {
			t.Fatal(err)
		}
		if err := report(cc, "", []diagnosis.Finding{(&doctor{Client: client, cc: cc}).webhooks()}); err != nil {
			t.Fatal(err)
		}
		clitest.Wants(t, out.String(), want...)
		if strings.Contains(out.String(), "whk_3") {
			t.Errorf("a webhook that a person disabled is reported: %s", out)
		}
	}
}

// The doctor says which connectors cannot be used, and what to do.
func TestDoctorLooksAtConnectors(t *testing.T) {
	one := func(fields string) string {
		return `{"data":[{"id":"con_1","prefix":"SHOP","enabled":true,"commands":[],"status_detail":"","paused_until":null,` + fields + `}],"next_cursor":null}`
	}
	for answer, want := range map[string][]string{
		one(`"status":"ready"`): {"ok    connectors", "no problems with any of 1"},
		one(`"status":"unreachable","status_detail":"The server cannot be reached: refused."`): {"WARN  connectors", "SHOP: unreachable. The server cannot", "connectors refresh SHOP"},
		one(`"status":"needs_sign_in"`): {"WARN  connectors", "sign-in", "/v1/connectors/con_1/sign-in"},
		one(`"status":"unreachable","status_detail":"Programs are not allowed (FERMATA_ALLOW_STDIO=true allows them)"`): {"WARN", "FERMATA_ALLOW_STDIO"},
		one(`"status":"ready","paused_until":"2026-03-01T09:00:00.000Z"`):                                               {"WARN", "calls are paused until 09:00:00 UTC"},
		one(`"status":"ready","commands":[{"name":"PAY","state":"changed"},{"name":"LOOK","state":"offered"}]`):         {"WARN", "not offered: PAY", "commands SHOP PAY --state=offered"},
		one(`"status":"disabled","enabled":false`):                                                                      {"ok    connectors"},
	} {
		f := clitest.NewAPI(t)
		f.Answers("/v1/connectors", 200, answer)
		cc, out := clitest.Context(t, strings.NewReader(""))
		flags := f.Flags()
		client, err := flags.Client(cc)
		if err != nil {
			t.Fatal(err)
		}
		if err := report(cc, "", (&doctor{Client: client, cc: cc}).connectors()); err != nil {
			t.Fatal(err)
		}
		clitest.Wants(t, out.String(), want...)
	}
}

func TestDoctor(t *testing.T) {
	const ready, list, none = `{"status":"ok"}`, `{"data":[],"next_cursor":null}`, `{"data":[],"next_cursor":null}`
	const provider = `{"data":[{"id":"prv_1","name":"Mine","kind":"openai","is_default":true}],"next_cursor":null}`
	const both = `{"data":[{"id":"prv_1","name":"Other","kind":"openai","is_default":false},{"id":"prv_1","name":"Mine","kind":"openai","is_default":true}],"next_cursor":null}`
	cases := map[string]struct {
		ready, sessions, providers, test int // statuses
		listed, tested                   string
		ahead                            time.Duration
		bad                              bool
		want                             []string
	}{
		"all well":    {200, 200, 200, 200, provider, `{"ok":true,"model":"m1","latency_ms":12,"error":null}`, 0, false, []string{"ok    server", "ok    ready", "ok    event stream", "ok    invariants", "Mine (openai)", "m1 answered after 12 ms"}},
		"no provider": {200, 200, 200, 200, none, "", 0, false, []string{"WARN  provider", "demo answers", "providers add FILE"}},
		"a wrong key": {200, 200, 200, 200, provider, `{"ok":false,"model":null,"latency_ms":1,"said":null,"error":{"code":"provider_authentication","message":"bad key","meaning":"The key was refused.","mend":"Set api_key."}}`, 0, true,
			[]string{"FAIL  test call", "The key was refused.", "bad key", "-> Set api_key. Change it: fermata providers change prv_1 FILE"}},
		"two, one not the default": {200, 200, 200, 200, both, `{"ok":true,"model":"m1","latency_ms":12,"said":"OK","error":null}`, 0, false,
			[]string{"Mine (openai)", "Other: m1 answered", "Mine: m1 answered"}},
		"no database":       {503, 200, 200, 200, none, "", 0, true, []string{"FAIL  ready", "fermata migrate"}},
		"no credentials":    {200, 401, 200, 200, none, "", 0, true, []string{"FAIL  access", "FERMATA_KEY"}},
		"a clock that errs": {200, 200, 200, 200, none, "", time.Hour, true, []string{"FAIL  clock", "1h0m", "NTP"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := healthy(t)
			f.Answers("/readyz", c.ready, ready)
			f.Answers("/v1/sessions", c.sessions, map[bool]string{true: list, false: `{"title":"Who are you?","code":"unauthenticated","status":401}`}[c.sessions == 200])
			f.Answers("/v1/providers", c.providers, c.listed)
			f.Answers("POST /v1/providers/prv_1/test", c.test, c.tested)
			cc, out := clitest.Context(t, strings.NewReader(""))
			now := cc.Clock
			cc.Clock = func() time.Time { return now().Add(c.ahead) }
			err := (&Command{ClientFlags: f.Flags()}).Check(cc, nil)
			if (err != nil) != c.bad {
				t.Errorf("ended with %v:\n%s", err, out.String())
			}
			clitest.Wants(t, out.String(), c.want...)
		})
	}
	t.Run("no server", func(t *testing.T) {
		cc, out := clitest.Context(t, strings.NewReader(""))
		if err := (&Command{ClientFlags: command.ClientFlags{ServerFlags: command.ServerFlags{URL: "http://127.0.0.1:1"}, Output: "json"}}).Check(cc, nil); err == nil {
			t.Error("all well")
		}
		clitest.Wants(t, out.String(), `"check": "server"`, `"level": "failed"`, `"mend": "Start it with`)
	})
}

func TestDoctorReportsAnUntrustedCertificate(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	cc, out := clitest.Context(t, strings.NewReader(""))
	if err := (&Command{ClientFlags: command.ClientFlags{ServerFlags: command.ServerFlags{URL: srv.URL}}}).Check(cc, nil); err == nil {
		t.Error("the doctor finds nothing")
	}
	clitest.Wants(t, out.String(), "FAIL  server", "cannot be trusted", "-> Add the authority")
}
