package cli

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/cli/clitest"
)

// Commands that change a record send what was typed, and print the result.
func TestGoingBackInARecord(t *testing.T) {
	const session = `{"session":{"id":"ses_1","status":"running","phase":"CALLING_AI"},"event_seq":9}`
	messages := `{"data":[{"id":"msg_9","seq":null},{"id":"msg_8","seq":8}],"next_cursor":null}`
	for name, c := range map[string]struct {
		args []string
		path string // that is posted to
		body string
		want string
	}{
		"again":          {[]string{"retry", "ses_1"}, "/v1/sessions/ses_1/retry", `{}`, "ses_1: running, in CALLING_AI"},
		"in other words": {[]string{"retry", "ses_1", "-m", "shorter", "--despite-effects"}, "/v1/sessions/ses_1/retry", `{"despite_effects":true,"message":"shorter"}`, "ses_1"},
		"of another":     {[]string{"retry", "ses_1", "--provider", "prv_1", "--model", "m"}, "/v1/sessions/ses_1/retry", `{"model":"m","provider_id":"prv_1"}`, "ses_1"},
		"a choice":       {[]string{"choose", "ses_1", "msg_2"}, "/v1/sessions/ses_1/messages/msg_2/choose", ``, "ses_1: running"},
		"a fork":         {[]string{"fork", "ses_1", "--after", "msg_2", "-m", "else?"}, "/v1/sessions/ses_1/fork", `{"after_message_id":"msg_2","message":"else?"}`, "ses_2\n"},
		"from the end":   {[]string{"fork", "ses_1", "--name", "On"}, "/v1/sessions/ses_1/fork", `{"after_message_id":"msg_8","name":"On"}`, "ses_2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := clitest.NewAPI(t)
			f.Mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
				answer := session
				switch {
				case r.Method == http.MethodGet:
					answer = messages
				case strings.HasSuffix(r.URL.Path, "/fork"):
					answer = `{"id":"ses_2"}`
				}
				_, _ = w.Write([]byte(answer))
			})
			var line struct {
				Sessions sessionsCommand `cmd:""`
			}
			cc, out := clitest.Context(t, strings.NewReader(""))
			if err := Run(&line, append(append([]string{"sessions"}, c.args...), "--url", f.URL), cc); err != nil {
				t.Fatal(err)
			}
			clitest.Wants(t, out.String(), c.want)
			sent := f.Seen("POST")
			if len(sent) != 1 || sent[0].Line != "POST "+c.path || strings.TrimSpace(sent[0].Body) != c.body {
				t.Errorf("sent %+v, want %s %s", sent, c.path, c.body)
			}
		})
	}
}

// What a round has changed is listed with the refusal.
func TestARefusalListsWhatWasDone(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("/v1/sessions/ses_1/retry", http.StatusConflict,
		`{"code":"round_has_effects","title":"The round has changed something","detail":"Look.","executions":[{"command":"CREATE_ZONE","status":"SUCCESS"}]}`)
	cc, _ := clitest.Context(t, strings.NewReader(""))
	err := (&sessionsRetry{ClientFlags: f.Flags(), Session: "ses_1"}).Run(cc)
	if err == nil || !strings.Contains(err.Error(), "CREATE_ZONE: SUCCESS") {
		t.Errorf("the refusal: %v", err)
	}
}

// The explanation of a session's status is the server's, including which files the AI had
// before it at its latest answer; what others called a file steers no terminal.
func TestWhyASessionStands(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("/v1/sessions/ses_1/explain", http.StatusOK, `{"session_id":"ses_1","status":"idle","phase":"IDLE","since":"2026-11-23T10:00:00Z",
		"end_reason":null,"waiting_for":{"kind":"person","last_error":"refused"},"unblocked_by":"message","text":"Idle.","transitions":[],
		"latest_answer":{"message_id":"msg_3","prompt_files":[],"older_prompt_files":0,"text":"Files before the AI: “a\u001b[31m.png”, seen as a picture (about 90 tokens)."}}`)
	for output, want := range map[string][]string{
		"table": {"ses_1: idle, in IDLE since", "\nIdle.\n", "Last error: refused", "msg_3: Files before the AI: “a", ".png”, seen as a picture (about 90 tokens)."},
		"json":  {`"latest_answer": {`, `"message_id": "msg_3"`},
	} {
		cc, out := clitest.Context(t, strings.NewReader(""))
		flags := f.Flags()
		flags.Output = output
		if err := (&sessionsWhy{ClientFlags: flags, Session: "ses_1"}).Run(cc); err != nil {
			t.Fatal(err)
		}
		clitest.Wants(t, out.String(), want...)
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("the terminal is steered: %q", out.String())
		}
	}
	clitest.Wants(t, strings.Join([]string{f.Seen("GET")[0].Line}, ""), "GET /v1/sessions/ses_1/explain")
}
