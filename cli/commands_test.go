package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

func decodeApproval(t *testing.T, text string) *api.Approval {
	t.Helper()
	var a api.Approval
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return &a
}

func TestTailPrintsLinesAndJSON(t *testing.T) {
	for _, output := range []string{"table", "json"} {
		t.Run(output, func(t *testing.T) {
			f := newFakeAPI(t)
			n := 0
			f.mux.HandleFunc("/v1/sessions/ses_1/events", func(w http.ResponseWriter, r *http.Request) {
				if n++; n > 1 {
					w.WriteHeader(http.StatusGone)
					return
				}
				sse(w, r, false,
					"id: 5\nevent: session.phase\ndata: {\"session_id\":\"ses_1\",\"from\":\"IDLE\",\"phase\":\"CALLING_AI\",\"event\":\"UserMessageSent\"}\n\n",
					"event: message.delta\ndata: {\"text\":\"Hi\"}\n\n",
					"id: 6\nevent: new.kind\ndata: {\"a\":  1.50}\n\n")
			})
			cc, out := testContext(t, strings.NewReader(""))
			c := tailCommand{clientFlags: f.flags(), Session: "ses_1", After: 4, Types: []string{"session.phase", "notice"}}
			c.Output = output
			if err := c.Run(cc); err == nil {
				t.Fatal("a stream that is gone for good is no error")
			}
			if output == "table" {
				wants(t, out.String(), "     5  session.phase       ses_1 IDLE -> CALLING_AI (UserMessageSent)\n", "     6  new.kind", "reconnecting")
				if strings.Contains(out.String(), "Hi") {
					t.Error("deltas were shown")
				}
			} else {
				wants(t, out.String(), `{"id":5,"event":"session.phase","data":{`, `{"event":"message.delta","data":{"text":"Hi"}}`, `{"id":6,"event":"new.kind","data":{"a":1.50}}`)
			}
			if line := f.seen("GET")[0].Line; line != "GET /v1/sessions/ses_1/events?after=4&types=session.phase%2Cnotice" {
				t.Errorf("asked for %s", line)
			}
		})
	}
}

func TestSessionsPagesAndPrints(t *testing.T) {
	f := newFakeAPI(t)
	f.mux.HandleFunc("/v1/sessions", func(w http.ResponseWriter, r *http.Request) {
		page := `{"data":[{"id":"ses_1","type":"CHAT","status":"idle","phase":"IDLE","name":"A\nname","last_event_time":"2026-11-21T10:00:00.000Z"}],"next_cursor":"c1"}`
		if r.URL.Query().Get("after") == "c1" {
			page = `{"data":[{"id":"ses_2","type":"AUTOMATION","status":"ended","phase":"COMPLETED","name":"","last_event_time":"2026-11-21T09:00:00.000Z"}],"next_cursor":null}`
		}
		_, _ = w.Write([]byte(page))
	})
	cc, out := testContext(t, strings.NewReader(""))
	c := sessionsList{clientFlags: f.flags(), Type: "CHAT", Limit: 50}
	if err := c.Run(cc); err != nil {
		t.Fatal(err)
	}
	wants(t, out.String(), "ID", "STATUS", "ses_1", "A name", "ses_2", "COMPLETED")
	if line := f.seen("GET")[1].Line; line != "GET /v1/sessions?after=c1&limit=49&type=CHAT" {
		t.Errorf("asked for %s", line)
	}
	cc, out = testContext(t, strings.NewReader(""))
	c.Output, c.Limit = "json", 1
	if err := c.Run(cc); err != nil {
		t.Fatal(err)
	}
	var list []api.Session
	if err := json.Unmarshal([]byte(out.String()), &list); err != nil || len(list) != 1 {
		t.Fatalf("%v in %s", err, out.String())
	}
}

func TestApprove(t *testing.T) {
	actions := `{"id":"apr_1","session_id":"ses_1","kind":"actions","status":"open","actions":[{"id":"exe_1","text":"One"},{"id":"exe_2","text":"Two"}]}`
	question := `{"id":"apr_1","status":"open","kind":"question","module":{"type":"Text","data":{"question":"q"}}}`
	cases := map[string]struct {
		approval string
		command  approveCommand
		want     string // the body that is sent, or a part of the error
	}{
		"yes":            {actions, approveCommand{Yes: true}, `{"approved":true}`},
		"no, because":    {actions, approveCommand{No: true, Comment: "tomorrow"}, `{"approved":false,"comment":"tomorrow"}`},
		"a part":         {actions, approveCommand{Only: []string{"2"}}, `{"approved":true,"approved_ids":["exe_2"]}`},
		"a part unknown": {actions, approveCommand{Only: []string{"3"}}, `there is no action "3"`},
		"a text":         {question, approveCommand{Value: "7"}, `{"value":"7"}`},
		"a list":         {question, approveCommand{Value: `["a"]`}, `{"value":["a"]}`},
		"left":           {question, approveCommand{Cancel: true}, `{"cancelled":true}`},
		"nothing said":   {question, approveCommand{}, `--value`},
		"completion":     {`{"id":"apr_1","status":"open","kind":"completion"}`, approveCommand{Yes: true}, `{"confirmed":true}`},
		"not that kind":  {actions, approveCommand{Cancel: true}, `--cancel does not apply to this`},
		"nor a value":    {actions, approveCommand{Value: "no"}, `--value does not apply to this`},
		"nor a limit":    {question, approveCommand{Limit: 5}, `--limit does not apply to this`},
		"budget":         {`{"id":"apr_1","status":"open","kind":"budget"}`, approveCommand{Limit: 2.5}, `{"approved":true,"limit":2.5}`},
		"outcome":        {`{"id":"apr_1","status":"open","kind":"outcome"}`, approveCommand{Outcome: "happened"}, `{"outcome":"happened"}`},
		"outcome unsaid": {`{"id":"apr_1","status":"open","kind":"outcome"}`, approveCommand{}, `--outcome`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.answers("GET /v1/approvals/apr_1", 200, c.approval)
			f.answers("POST /v1/approvals/apr_1", 200, `{"event_seq":3,"approval":{"id":"apr_1","status":"approved"},"session":{"phase":"EXECUTING_ACTIONS"}}`)
			cc, out := testContext(t, strings.NewReader(""))
			c.command.clientFlags, c.command.Approval = f.flags(), "apr_1"
			err := c.command.Run(cc)
			sent := f.seen("POST")
			if err != nil {
				if len(sent) != 0 || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%v", err)
				}
				return
			}
			if len(sent) != 1 || sent[0].Body != c.want {
				t.Fatalf("sent %+v", sent)
			}
			wants(t, out.String(), "apr_1: approved; the session is in EXECUTING_ACTIONS")
		})
	}
	t.Run("list", func(t *testing.T) {
		f := newFakeAPI(t)
		f.answers("GET /v1/approvals", 200, `{"data":[`+actions+`],"next_cursor":null}`)
		cc, out := testContext(t, strings.NewReader(""))
		if err := (&approveCommand{clientFlags: f.flags()}).Run(cc); err != nil {
			t.Fatal(err)
		}
		wants(t, out.String(), "2 changes need your approval", "1. One", "2. Two", "apr_1")
	})
}

// healthy is a server with which all is well.
func healthy(t *testing.T) *fakeAPI {
	f := newFakeAPI(t)
	f.answers("/healthz", 200, `{"status":"ok"}`)
	f.answers("/version", 200, `{"version":"dev"}`)
	f.answers("/v1/admin/invariants", 200, `{"data":[{"name":"two_holders","count":0,"description":"d"}]}`)
	f.answers("/v1/webhooks", 200, `{"data":[],"next_cursor":null}`)
	f.answers("/v1/connectors", 200, `{"data":[],"next_cursor":null}`)
	f.mux.HandleFunc("/v1/events", func(w http.ResponseWriter, r *http.Request) { sse(w, r, true, sseText(1, "snapshot", 1)) })
	return f
}

// The doctor says which webhooks fail, and what to do.
func TestDoctorLooksAtWebhooks(t *testing.T) {
	for answer, want := range map[string][]string{
		`{"data":[{"id":"whk_1","enabled":true,"failing_since":null}],"next_cursor":null}`: {"ok    webhooks", "none of 1 is failing"},
		`{"data":[{"id":"whk_1","enabled":true,"failing_since":"2026-03-01T09:00:00.000Z"},{"id":"whk_2","enabled":false,"disabled_reason":"gone"},
			{"id":"whk_3","enabled":false}],"next_cursor":null}`: {"WARN  webhooks", "whk_1 is failing since 2026", "whk_2 is disabled (gone)", "-> Find the reason"},
	} {
		f := newFakeAPI(t)
		f.answers("/v1/webhooks", 200, answer)
		cc, out := testContext(t, strings.NewReader(""))
		flags := f.flags()
		client, err := flags.client(cc)
		if err != nil {
			t.Fatal(err)
		}
		if err := report(cc, "", []diagnosis.Finding{(&doctor{client: client, cc: cc}).webhooks()}); err != nil {
			t.Fatal(err)
		}
		wants(t, out.String(), want...)
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
		f := newFakeAPI(t)
		f.answers("/v1/connectors", 200, answer)
		cc, out := testContext(t, strings.NewReader(""))
		flags := f.flags()
		client, err := flags.client(cc)
		if err != nil {
			t.Fatal(err)
		}
		if err := report(cc, "", (&doctor{client: client, cc: cc}).connectors()); err != nil {
			t.Fatal(err)
		}
		wants(t, out.String(), want...)
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
			f.answers("/readyz", c.ready, ready)
			f.answers("/v1/sessions", c.sessions, map[bool]string{true: list, false: `{"title":"Who are you?","code":"unauthenticated","status":401}`}[c.sessions == 200])
			f.answers("/v1/providers", c.providers, c.listed)
			f.answers("POST /v1/providers/prv_1/test", c.test, c.tested)
			cc, out := testContext(t, strings.NewReader(""))
			now := cc.Clock
			cc.Clock = func() time.Time { return now().Add(c.ahead) }
			err := (&Doctor{clientFlags: f.flags()}).Check(cc, nil)
			if (err != nil) != c.bad {
				t.Errorf("ended with %v:\n%s", err, out.String())
			}
			wants(t, out.String(), c.want...)
		})
	}
	t.Run("no server", func(t *testing.T) {
		cc, out := testContext(t, strings.NewReader(""))
		if err := (&Doctor{clientFlags: clientFlags{serverFlags: serverFlags{URL: "http://127.0.0.1:1"}, Output: "json"}}).Check(cc, nil); err == nil {
			t.Error("all well")
		}
		wants(t, out.String(), `"check": "server"`, `"level": "failed"`, `"mend": "Start it with`)
	})
}
