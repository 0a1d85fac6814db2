package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
)

func TestPeopleAreListedAndBlocked(t *testing.T) {
	f := clitest.NewAPI(t)
	const ada = `{"id":"per_1","kind":"oidc","name":"Ada","role":"member","created_at":"2026-03-02T12:00:00Z","last_seen_at":"2026-03-02T12:00:00Z",` +
		`"blocked_at":null,"sessions":7,"spent_this_month":{"amount":1.25,"currency":"USD"}}`
	f.Answers("GET /v1/people", 200, `{"data":[`+ada+`,{"id":"per_2","kind":"key","name":"ci","role":"admin","created_at":"2026-03-02T12:00:00Z",
		"last_seen_at":"2026-03-02T12:00:00Z","blocked_at":"2026-03-02T12:00:00Z","sessions":0,"spent_this_month":null}],"next_cursor":null}`)
	f.Answers("PATCH /v1/people/per_1", 200, ada)
	f.Answers("GET /v1/people/per_1/sessions", 200, `{"data":[{"id":"ses_1","type":"CHAT","created_at":"2026-03-02T12:00:00Z",
		"last_event_time":"2026-03-02T12:00:00Z","cost":null}],"next_cursor":null}`)
	f.Answers("POST /v1/people/tokens", 201, `{"token":"fmp_x","person":"per_3","expires_at":"2026-03-02T12:15:00Z"}`)
	cc, out := clitest.Context(t, strings.NewReader(""))
	named := personNamed{f.Flags(), "Ada"}
	for _, run := range []func(*command.Context) error{
		(&peopleList{f.Flags()}).Run, (&peopleSessions{named}).Run, (&peopleBlock{named}).Run, (&peopleUnblock{named}).Run,
		(&peopleRename{named, "Ada L."}).Run, (&peopleRename{named, ""}).Run, (&peopleToken{f.Flags(), "customer-1", time.Hour}).Run,
	} {
		if err := run(cc); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Wants(t, out.String(), "per_1", "oidc", "7", "$1.25", "Ada", "per_2", "ci (blocked)", "ses_1", "CHAT", "blocked per_1 (Ada)", "unblocked per_1", "renamed per_1", "fmp_x")
	var sent []string
	for _, r := range append(f.Seen("PATCH"), f.Seen("POST")...) {
		sent = append(sent, r.Body)
	}
	want := `{"blocked":true} {"blocked":false} {"name":"Ada L."} {"name":null} {"expires_in":"1h0m0s","person":"customer-1"}`
	if got := strings.Join(sent, " "); got != want {
		t.Errorf("sent %s", got)
	}
	if err := (&peopleBlock{personNamed{f.Flags(), "Bea"}}).Run(cc); err == nil || !strings.Contains(err.Error(), "list them with: fermata people") {
		t.Errorf("a person who is not there: %v", err)
	}
}

// TestPeopleAsJSON: with -o json, a change prints the person as the server returned them, and a token its whole response.
func TestPeopleAsJSON(t *testing.T) {
	f := clitest.NewAPI(t)
	const ada = `{"id":"per_1","kind":"oidc","name":"Ada","role":"member","created_at":"2026-03-02T12:00:00Z",` +
		`"last_seen_at":"2026-03-02T12:00:00Z","blocked_at":null,"sessions":7,"spent_this_month":null}`
	f.Answers("GET /v1/people", 200, `{"data":[`+ada+`],"next_cursor":null}`)
	f.Answers("PATCH /v1/people/per_1", 200, ada)
	f.Answers("POST /v1/people/tokens", 201, `{"token":"fmp_x","person":"per_3","expires_at":"2026-03-02T12:15:00Z"}`)
	flags := f.Flags()
	flags.Output = "json"
	for _, c := range []struct {
		run   func(*command.Context) error
		wants []string
	}{
		{(&peopleList{flags}).Run, []string{`"id": "per_1"`, `"sessions": 7`}},
		{(&peopleBlock{personNamed{flags, "per_1"}}).Run, []string{`"id": "per_1"`, `"kind": "oidc"`, `"name": "Ada"`}},
		{(&peopleToken{flags, "customer-1", time.Hour}).Run, []string{`"person": "per_3"`, `"token": "fmp_x"`}},
	} {
		cc, out := clitest.Context(t, strings.NewReader(""))
		if err := c.run(cc); err != nil {
			t.Fatal(err)
		}
		for _, part := range c.wants {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s is missing in %s", part, out.String())
			}
		}
	}
}
