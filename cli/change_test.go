package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/cli/chat"
	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
)

// typed carries out a command line against a server.
func typed(t *testing.T, f *clitest.API, in string, args ...string) (string, error) {
	t.Helper()
	cc, out := clitest.Context(t, strings.NewReader(in))
	line := struct {
		Commands `embed:""`
	}{}
	err := run(&line, append(args, "--url="+f.URL), cc, kong.Exit(func(int) {}))
	return out.String(), err
}

// A thing is changed by a file: a patch, or the file it was made of.
func TestThingsAreChangedByAFile(t *testing.T) {
	const connector = `{"id":"con_1","name":"Shop","prefix":"SHOP","kind":"http","enabled":true,"status":"ready","config":{"url":"http://a"},"commands":[]}`
	const webhook = `{"id":"whk_1","url":"https://a/x","types":["notice"],"enabled":true,"links":false,"sent_to":7}`
	const agent = `{"id":"agt_1","name":"Clerk","command":"CLERK","commands":["*"],"max_turns":3,"enabled":true}`
	const provider = `{"id":"prv_1","name":"Mine","kind":"openai","config":{"model":"m"},"is_default":false}`
	for name, c := range map[string]struct {
		args []string
		in   string
		want string // what is sent; "": nothing
	}{
		"a patch":              {[]string{"connectors", "change", "shop"}, "enabled: false", `PATCH /v1/connectors/con_1 {"enabled":false}`},
		"the file of add":      {[]string{"connectors", "change", "con_1"}, "name: Shop 2\nprefix: SHOP\nkind: http\nconfig: {url: 'http://a'}", `PATCH /v1/connectors/con_1 {"name":"Shop 2"}`},
		"what cannot change":   {[]string{"connectors", "change", "con_1"}, "kind: mcp", `PATCH /v1/connectors/con_1 {"kind":"mcp"}`},
		"nothing new":          {[]string{"connectors", "change", "con_1"}, "name: Shop\nenabled: true", ""},
		"JSON, and a null":     {[]string{"connectors", "change", "con_1"}, `{"config":{"headers":null}}`, `PATCH /v1/connectors/con_1 {"config":{"headers":null}}`},
		"a webhook":            {[]string{"webhooks", "change", "whk_1"}, "types: [notice, session.ended]\nurl: https://a/x", `PATCH /v1/webhooks/whk_1 {"types":["notice","session.ended"]}`},
		"a flag over the file": {[]string{"webhooks", "change", "whk_1", "--no-links", "--to=https://b"}, "links: true\nurl: https://c", `PATCH /v1/webhooks/whk_1 {"url":"https://b"}`},
		"an agent":             {[]string{"agents", "change", "clerk"}, "max_turns: 5\nname: Clerk", `PATCH /v1/agents/agt_1 {"max_turns":5}`},
		"a provider":           {[]string{"providers", "change", "Mine"}, "config: {model: n}\nkind: openai", `PATCH /v1/providers/prv_1 {"config":{"model":"n"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := clitest.NewAPI(t)
			for path, one := range map[string]string{"connectors": connector, "webhooks": webhook, "agents": agent, "providers": provider} {
				f.Answers("GET /v1/"+path, 200, `{"data":[`+one+`],"next_cursor":null}`)
				f.Answers("GET /v1/"+path+"/{id}", 200, one)
				f.Answers("PATCH /v1/"+path+"/{id}", 200, one)
			}
			file := filepath.Join(t.TempDir(), "file.yaml")
			if err := os.WriteFile(file, []byte(c.in), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, from := range []string{file, "-"} {
				if _, err := typed(t, f, c.in, append(c.args, "-f", from)...); err != nil {
					t.Fatal(err)
				}
			}
			var sent []string
			for _, r := range f.Seen("PATCH") {
				sent = append(sent, r.Line+" "+r.Body)
			}
			want := []string{c.want, c.want}
			if c.want == "" {
				want = nil
			}
			if strings.Join(sent, "\n") != strings.Join(want, "\n") {
				t.Errorf("sent %q", sent)
			}
		})
	}
	f := clitest.NewAPI(t)
	f.Answers("GET /v1/webhooks", 200, `{"data":[`+webhook+`],"next_cursor":null}`)
	f.Answers("DELETE /v1/webhooks/{id}", 204, "")
	if _, err := typed(t, f, "", "webhooks", "change", "whk_1", "-f", "-"); command.ExitCode(err) != command.ExitMisused {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := typed(t, f, "", "webhooks", "change", "whk_1"); command.ExitCode(err) != command.ExitMisused {
		t.Errorf("no file: %v", err)
	}
	f.Answers("GET /v1/agents", 200, `{"data":[`+agent+`],"next_cursor":null}`)
	for name, args := range map[string][]string{"no file": {}, "two files": {"-", "-f", "-"}} {
		if _, err := typed(t, f, "max_turns: 3", append([]string{"agents", "change", "clerk"}, args...)...); command.ExitCode(err) != command.ExitMisused {
			t.Errorf("%s: %v", name, err)
		}
	}
	out, err := typed(t, f, "", "webhooks", "delete", "whk_1", "-o", "json")
	if err != nil || !strings.Contains(out, `"id": "whk_1"`) {
		t.Errorf("%s %v", out, err)
	}
	if out, err = typed(t, f, "", "webhooks", "show", "whk_1"); err != nil || !strings.Contains(out, "whk_1: good, notice, https://a/x") {
		t.Errorf("%s %v", out, err)
	}
}

// `approve ID` shows what is approved, and asks; a program, and a person who
// has said it by a flag, is not.
func TestApproveShowsAndAsks(t *testing.T) {
	const card = `{"id":"apr_1","session_id":"ses_1","kind":"actions","status":"open","actions":[{"id":"exe_1","text":"Delete an entry"}]}`
	for name, c := range map[string]struct {
		command chat.ApproveCommand
		person  bool
		in      string
		sent    string // "": nothing
		shows   bool
	}{
		"approved":      {chat.ApproveCommand{}, true, "hm\ny\n", `{"approved":true}`, true},
		"a no":          {chat.ApproveCommand{}, true, "n not today\n", `{"approved":false,"comment":"not today"}`, true},
		"nothing":       {chat.ApproveCommand{}, true, "hm\n", "", true},
		"yes by a flag": {chat.ApproveCommand{Yes: true}, true, "", `{"approved":true}`, false},
		"no by a flag":  {chat.ApproveCommand{No: true}, true, "", `{"approved":false}`, false},
		"a word, asked": {chat.ApproveCommand{Comment: "fine"}, true, "y\n", `{"approved":true,"comment":"fine"}`, true},
		"by a program":  {chat.ApproveCommand{Yes: true}, false, "", `{"approved":true}`, false},
		"for a program": {chat.ApproveCommand{Yes: true, ClientFlags: command.ClientFlags{Output: "json"}}, true, "", `{"approved":true}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := clitest.NewAPI(t)
			f.Answers("GET /v1/approvals/apr_1", 200, card)
			f.Answers("POST /v1/approvals/apr_1", 200, `{"event_seq":3,"approval":{"id":"apr_1","status":"approved"},"session":{"phase":"EXECUTING_ACTIONS"}}`)
			cc, out := clitest.Context(t, strings.NewReader(c.in))
			cc.Interactive = c.person
			output := c.command.Output
			if c.command.ClientFlags, c.command.Approval = f.Flags(), "apr_1"; output != "" {
				c.command.Output = output
			}
			err := c.command.Run(cc)
			sent := ""
			for _, r := range f.Seen("POST") {
				sent += r.Body
			}
			if sent != c.sent || (err == nil) != (c.sent != "") {
				t.Errorf("sent %q, %v", sent, err)
			}
			if shows := strings.Contains(out.String(), "Delete an entry") && strings.Contains(out.String(), "Approve?"); shows != c.shows {
				t.Errorf("it shows\n%s", out)
			}
		})
	}
}

// Without a terminal, nothing is decided without a flag that decides: neither by an empty input, nor
// by its content.
func TestApproveDecidesNothingByItself(t *testing.T) {
	cards := map[string]struct{ card, missing string }{
		"actions":    {`"kind":"actions","actions":[{"id":"exe_1","text":"Delete an entry"}]`, "--yes, --no or --only"},
		"a question": {`"kind":"question","module":{"type":"Text","data":{"question":"Which one?"}}`, "--value or --cancel"},
		"yes or no":  {`"kind":"question","module":{"type":"Validation","data":{"message":"Shall I?"}}`, "--yes, --no or --cancel"},
		"a budget":   {`"kind":"budget","text":"The budget is used up. Go on?"`, "--yes, --no or --limit"},
		"completion": {`"kind":"completion","text":"Is it done?"`, "--yes or --no"},
		"an outcome": {`"kind":"outcome","actions":[{"id":"exe_1","text":"Pay"}]`, "--outcome"},
		"a sign-in":  {`"kind":"reconnect","text":"Sign in."`, "--yes or --no"},
	}
	for name, c := range cards {
		for _, in := range []string{"", "n\n", "y\n", "no\nyes\n", "\x04"} {
			for _, flags := range []chat.ApproveCommand{{}, {Comment: "fine"}, {ClientFlags: command.ClientFlags{Output: "json"}}} {
				for _, person := range []bool{false, true} {
					if person && flags.Output != "json" {
						continue // they are asked
					}
					f := clitest.NewAPI(t)
					f.Answers("GET /v1/approvals/apr_1", 200, `{"id":"apr_1","session_id":"ses_1","status":"open",`+c.card+`}`)
					cc, out := clitest.Context(t, strings.NewReader(in))
					cc.Interactive = person
					run := flags
					if run.ClientFlags, run.Approval = f.Flags(), "apr_1"; flags.Output != "" {
						run.Output = flags.Output
					}
					err := run.Run(cc)
					if command.ExitCode(err) != 2 || !strings.Contains(err.Error(), c.missing) || len(f.Seen("POST")) != 0 {
						t.Errorf("%s, %q: %v, sent %v", name, in, err, f.Seen("POST"))
					}
					if !strings.Contains(out.String(), "apr_1") {
						t.Errorf("%s, %q: it shows\n%s", name, in, out)
					}
				}
			}
		}
	}
}

// What is settled needs no flag: the command says so, and does not show it as something to approve.
func TestApproveOfWhatIsSettled(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("GET /v1/approvals/apr_1", 200, `{"id":"apr_1","session_id":"ses_1","status":"approved","kind":"actions","actions":[{"id":"exe_1","text":"Delete an entry"}]}`)
	cc, out := clitest.Context(t, strings.NewReader(""))
	err := (&chat.ApproveCommand{ClientFlags: f.Flags(), Approval: "apr_1"}).Run(cc)
	if err == nil || !strings.Contains(err.Error(), "already settled (approved)") || strings.Contains(out.String(), "needs your approval") {
		t.Errorf("%v\n%s", err, out)
	}
}
