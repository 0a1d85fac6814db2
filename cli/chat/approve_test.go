package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/clitest"
)

func decodeApproval(t *testing.T, text string) *api.Approval {
	t.Helper()
	var a api.Approval
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return &a
}

func TestApprove(t *testing.T) {
	actions := `{"id":"apr_1","session_id":"ses_1","kind":"actions","status":"open","actions":[{"id":"exe_1","text":"One"},{"id":"exe_2","text":"Two"}]}`
	question := `{"id":"apr_1","status":"open","kind":"question","module":{"type":"Text","data":{"question":"q"}}}`
	cases := map[string]struct {
		approval string
		command  ApproveCommand
		want     string // the body that is sent, or a part of the error
	}{
		"yes":            {actions, ApproveCommand{Yes: true}, `{"approved":true}`},
		"no, because":    {actions, ApproveCommand{No: true, Comment: "tomorrow"}, `{"approved":false,"comment":"tomorrow"}`},
		"a part":         {actions, ApproveCommand{Only: []string{"2"}}, `{"approved":true,"approved_ids":["exe_2"]}`},
		"a part unknown": {actions, ApproveCommand{Only: []string{"3"}}, `there is no action "3"`},
		"a text":         {question, ApproveCommand{Value: "7"}, `{"value":"7"}`},
		"a list":         {question, ApproveCommand{Value: `["a"]`}, `{"value":["a"]}`},
		"left":           {question, ApproveCommand{Cancel: true}, `{"cancelled":true}`},
		"nothing said":   {question, ApproveCommand{}, `--value`},
		"completion":     {`{"id":"apr_1","status":"open","kind":"completion"}`, ApproveCommand{Yes: true}, `{"confirmed":true}`},
		"not that kind":  {actions, ApproveCommand{Cancel: true}, `--cancel does not apply to this`},
		"nor a value":    {actions, ApproveCommand{Value: "no"}, `--value does not apply to this`},
		"nor a limit":    {question, ApproveCommand{Limit: 5}, `--limit does not apply to this`},
		"budget":         {`{"id":"apr_1","status":"open","kind":"budget"}`, ApproveCommand{Limit: 2.5}, `{"approved":true,"limit":2.5}`},
		"outcome":        {`{"id":"apr_1","status":"open","kind":"outcome"}`, ApproveCommand{Outcome: "happened"}, `{"outcome":"happened"}`},
		"outcome unsaid": {`{"id":"apr_1","status":"open","kind":"outcome"}`, ApproveCommand{}, `--outcome`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := clitest.NewAPI(t)
			f.Answers("GET /v1/approvals/apr_1", 200, c.approval)
			f.Answers("POST /v1/approvals/apr_1", 200, `{"event_seq":3,"approval":{"id":"apr_1","status":"approved"},"session":{"phase":"EXECUTING_ACTIONS"}}`)
			cc, out := clitest.Context(t, strings.NewReader(""))
			c.command.ClientFlags, c.command.Approval = f.Flags(), "apr_1"
			err := c.command.Run(cc)
			sent := f.Seen("POST")
			if err != nil {
				if len(sent) != 0 || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%v", err)
				}
				return
			}
			if len(sent) != 1 || sent[0].Body != c.want {
				t.Fatalf("sent %+v", sent)
			}
			clitest.Wants(t, out.String(), "apr_1: approved; the session is in EXECUTING_ACTIONS")
		})
	}
	t.Run("list", func(t *testing.T) {
		f := clitest.NewAPI(t)
		f.Answers("GET /v1/approvals", 200, `{"data":[`+actions+`],"next_cursor":null}`)
		cc, out := clitest.Context(t, strings.NewReader(""))
		if err := (&ApproveCommand{ClientFlags: f.Flags()}).Run(cc); err != nil {
			t.Fatal(err)
		}
		clitest.Wants(t, out.String(), "2 changes need your approval", "1. One", "2. Two", "apr_1")
	})
}
