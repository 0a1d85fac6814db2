package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// item is a resource with the fields that the tests need.
type item struct {
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Limit int            `json:"limit"`
	Tags  []string       `json:"tags"`
	Rules map[string]any `json:"rules"`
}

func client(t *testing.T, f *clitest.API, cc *command.Context) *remote.Client {
	t.Helper()
	flags := f.Flags()
	c, err := flags.Client(cc)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheKeyIsReadFromAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("fmt_secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := command.ServerFlags{URL: "http://127.0.0.1:8080/", KeyFile: path}
	c, err := flags.Client(&command.Context{Version: "dev"})
	if err != nil || c.Key != "fmt_secret" || c.Base != "http://127.0.0.1:8080" {
		t.Errorf("%+v: %v", c, err)
	}
	flags = command.ServerFlags{URL: "http://127.0.0.1:8080", Key: "fmt_other", KeyFile: path}
	if _, err := flags.Client(&command.Context{}); err == nil {
		t.Error("a key and a file with a key are accepted together")
	}
}

func TestListsArePrinted(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("GET /v1/items", 200, `{"data":[{"id":"a","name":"One\n\u001b[2Jline"},{"id":"b","name":"\u202eTwo"}],"next_cursor":null}`)
	row := func(i *item) []string { return []string{i.ID, i.Name} }
	for output, want := range map[string][]string{
		"table": {"ID", "NAME", "a", "One", "b", "Two"},
		"json":  {"[\n  {\n", `"id": "a"`, `"name": "One\n\u001b[2Jline"`},
	} {
		cc, out := clitest.Context(t, strings.NewReader(""))
		flags := f.Flags()
		flags.Output = output
		if err := command.PrintList(cc, &flags, "/v1/items", url.Values{}, 10, []string{"ID", "NAME"}, row); err != nil {
			t.Fatal(err)
		}
		clitest.Wants(t, out.String(), want...)
		if output == "table" && (strings.ContainsAny(out.String(), "\x1b\u202e") || strings.Count(out.String(), "\n") != 3) {
			t.Errorf("cells are not escaped: %q", out)
		}
	}
}

func TestItemsAreFoundByName(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("GET /v1/items", 200, `{"data":[{"id":"a","name":"One"},{"id":"b","name":"Twin"},{"id":"c","name":"twin"},{"id":"One","name":"x"}],"next_cursor":null}`)
	cc, _ := clitest.Context(t, strings.NewReader(""))
	for name, want := range map[string]string{
		"a": "a", "One": "One", "ONE": "a", "b": "b",
		"Twin": "two of them are named \"Twin\": b and c", "none": "there is no item \"none\"; list them with: fermata items",
	} {
		got, err := command.FindNamed(cc, client(t, f, cc), "/v1/items", name, "item", "fermata items",
			func(i *item) (id, name string) { return i.ID, i.Name })
		if err == nil && got.ID != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestDeletionsAreReported(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("DELETE /v1/items/a", 204, "")
	for _, c := range []struct{ output, name, want string }{
		{"table", "One", "deleted a (One)\n"}, {"table", "a", "deleted a\n"}, {"json", "One", "{\n  \"id\": \"a\"\n}\n"},
	} {
		cc, out := clitest.Context(t, strings.NewReader(""))
		if err := command.Delete(cc, client(t, f, cc), c.output, "/v1/items", "a", c.name); err != nil || out.String() != c.want {
			t.Errorf("%+v: %q, %v", c, out, err)
		}
	}
}

// show prints a resource as its commands do.
func show(cc *command.Context, _ string, i *item) error {
	(&command.Screen{Out: cc.Out}).Line("%s %s %d", i.ID, i.Name, i.Limit)
	return nil
}

func TestResourcesAreCreatedFromAFile(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("POST /v1/items", 201, `{"id":"a","name":"One","limit":3}`)
	cc, out := clitest.Context(t, strings.NewReader("name: One\nlimit: 3\n"))
	if err := command.MakeFrom(cc, &command.FromFile{ClientFlags: f.Flags(), File: "-"}, "/v1/items", show); err != nil {
		t.Fatal(err)
	}
	if sent := f.Seen("POST"); len(sent) != 1 || sent[0].Body != `{"limit":3,"name":"One"}` || out.String() != "a One 3\n" {
		t.Errorf("sent %+v, printed %q", sent, out)
	}
	cc, _ = clitest.Context(t, strings.NewReader("name: [unclosed"))
	err := command.MakeFrom(cc, &command.FromFile{ClientFlags: f.Flags(), File: "-"}, "/v1/items", show)
	if err == nil || !strings.Contains(err.Error(), "read the file") {
		t.Errorf("a file that is not YAML: %v", err)
	}
}

// Only the fields that differ are sent, and a file without differences sends nothing.
func TestChangesAreThoseThatDiffer(t *testing.T) {
	now := &item{ID: "a", Name: "One", Limit: 3, Tags: []string{"x"}, Rules: map[string]any{"deep": 1.0}}
	for text, want := range map[string]string{
		"name: One\nlimit: 3\n":                "",
		"limit: 4\nname: One\n":                `{"limit":4}`,
		"limit: 3.0\nrules: {deep: 1}\n":       "",
		"tags: []\n":                           `{"tags":[]}`,
		"name: null\n":                         `{"name":null}`,
		"{\"rules\": {\"deep\": 2}, \"n\": 1}": `{"n":1,"rules":{"deep":2}}`,
	} {
		f := clitest.NewAPI(t)
		f.Answers("PATCH /v1/items/a", 200, `{"id":"a","name":"Changed"}`)
		cc, out := clitest.Context(t, strings.NewReader(text))
		err := command.ChangeFrom(cc, client(t, f, cc), "table", &command.Changed{From: "-"}, "/v1/items/a", now, show)
		sent, body := f.Seen("PATCH"), ""
		if len(sent) > 0 {
			body = sent[0].Body
		}
		if err != nil || body != want || strings.Contains(out.String(), "Changed") != (want != "") {
			t.Errorf("%q: sent %s, printed %q, %v", text, body, out, err)
		}
	}
	for text, changed := range map[string]command.Changed{"": {From: "-"}, "a: 1": {}, "b: 1": {From: "-", Definition: "-"}} {
		cc, _ := clitest.Context(t, strings.NewReader(text))
		err := command.ChangeFrom(cc, nil, "table", &changed, "/v1/items/a", now, show)
		if command.ExitCode(err) != command.ExitMisused {
			t.Errorf("%q with %+v: %v", text, changed, err)
		}
	}
}

func TestUploadsAreBounded(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("POST /v1/files", 201, `{"id":"fil_1"}`)
	cc, _ := clitest.Context(t, strings.NewReader("text"))
	file, err := command.Upload(cc, client(t, f, cc), "-")
	if err != nil || file.ID != "fil_1" || f.Seen("POST")[0].Line != "POST /v1/files?name=standard+input" {
		t.Errorf("%+v, %v", file, err)
	}
	cc, _ = clitest.Context(t, bytes.NewReader(make([]byte, 10<<20+1)))
	if _, err := command.Upload(cc, client(t, f, cc), "-"); err == nil || !strings.Contains(err.Error(), "longer than") || len(f.Seen("POST")) != 1 {
		t.Errorf("a file that is too long: %v", err)
	}
}

func TestEventsArePrintedAsLines(t *testing.T) {
	for data, want := range map[string]string{
		`session.phase {"session_id":"ses_1","from":"IDLE","phase":"CALLING_AI","event":"UserMessageSent"}`: "ses_1 IDLE -> CALLING_AI (UserMessageSent)",
		`slot.changed {"holder":null}`:           "free",
		`slot.changed {"holder":{"id":"ses_1"}}`: "held by ses_1",
		`queue.changed {"data":[1,2]}`:           "2 waiting",
		`snapshot {"seq":9}`:                     "the state at 9",
		`message.created {"message":{"session_id":"ses_1","sender":"USER","status":"stored","text_content":"Hi\nthere"}}`:                          "ses_1 USER: Hi there",
		`message.created {"message":{"session_id":"ses_1","sender":"AI","status":"interrupted","ai_message":{"pre_text":"A"},"text_content":"B"}}`: "ses_1 AI: A B [interrupted]",
		`message.created {"message":{"session_id":"ses_1","sender":"SYSTEM","status":"stored","system_message":{"type":"NOTE","summary":"Done"}}}`: "ses_1 SYSTEM NOTE: Done",
		`execution.changed {"execution":{"session_id":"ses_1","command":"FIND","status":"success"}}`:                                               "ses_1 FIND success",
		`approval.requested {"approval":{"session_id":"ses_1","id":"apr_1","kind":"actions","status":"open"}}`:                                     "ses_1 apr_1 actions open",
		`session.created {"session":{"id":"ses_1","type":"CHAT","status":"idle","name":"N"}}`:                                                      `ses_1 CHAT idle "N"`,
		`roundtrip.ended {"session_id":"ses_1","roundtrip":{"number":2,"model":"m","usage":{"input_tokens":1,"output_tokens":5}}}`:                 "ses_1 call 2 of m: 1 token in, 5 out",
		`data.changed {"noun":"zone","id":"zon_1","operation":"created"}`:                                                                          "zone zon_1 created",
		`notice {"level":"warning","reason":"budget","text":"Nearly used up"}`:                                                                     "warning budget Nearly used up",
		`later.kind [1]`: "[1]",
	} {
		name, body, _ := strings.Cut(data, " ")
		cc, out := clitest.Context(t, strings.NewReader(""))
		if err := command.PrintEventLine(cc, remote.Event{ID: 7, Name: name, Data: []byte(body)}); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(out.String(), "\n"); got != "     7  "+name+strings.Repeat(" ", 18-len(name))+"  "+want {
			t.Errorf("%s:\n%q\nwant %q", data, got, want)
		}
	}
	cc, out := clitest.Context(t, strings.NewReader(""))
	if err := command.PrintEvent(cc, remote.Event{Name: "x", Data: []byte("{broken")}); err != nil || out.String() != `{"event":"x","data":null}`+"\n" {
		t.Errorf("data that is not JSON: %q, %v", out, err)
	}
}

// The line with the current activity is replaced by the next output, and only a terminal shows it.
func TestScreen(t *testing.T) {
	draw := func(terminal, colour bool) string {
		var out strings.Builder
		s := command.Screen{Out: &out, Terminal: terminal, Colour: colour}
		s.Pass("thinking")
		s.Text("Hello")
		s.Pass("not within a text")
		s.Text("\x1b]0;title\a\r\n")
		s.Dim("aside")
		s.Ask("Approve?")
		s.Took("y")
		s.Ask("")
		s.Text("half")
		s.Line("whole")
		s.End()
		return out.String()
	}
	if got := draw(false, false); strings.ContainsAny(got, "\x1b\a\r") || !strings.HasSuffix(got, "\naside\nApprove? half\nwhole\n") || strings.Contains(got, "thinking") {
		t.Errorf("in a pipe: %q", got)
	}
	got := draw(true, true)
	if !strings.HasPrefix(got, "\x1b[2m· thinking\x1b[0m\r\x1b[2KHello") || strings.Contains(got, "not within") || !strings.Contains(got, "\x1b[2maside\x1b[0m\n") {
		t.Errorf("in a terminal: %q", got)
	}
}

func TestWords(t *testing.T) {
	at := api.Timestamp(time.Date(2026, 3, 1, 9, 0, 0, 0, time.Local))
	reason := "gone"
	for want, got := range map[string]string{
		"never": command.OrNever(nil), "2026-03-01 09:00:00": command.OrNever(&at),
		"disabled (gone)": command.WebhookState(&api.Webhook{DisabledReason: &reason}), "disabled": command.WebhookState(&api.Webhook{}),
		"failing since 2026-03-01 09:00:00": command.WebhookState(&api.Webhook{Enabled: true, FailingSince: &at}),
		"good":                              command.WebhookState(&api.Webhook{Enabled: true}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	answered := func(status int) error {
		e := &remote.ServerError{}
		e.Status = status
		return fmt.Errorf("create: %w", e)
	}
	for want, errs := range map[int][]error{
		0:                       {nil},
		command.ExitFailed:      {errors.New("a file is missing"), answered(500), answered(503)},
		command.ExitMisused:     {command.Misused(errors.New("no such flag")), fmt.Errorf("parse: %w", command.Misused(errors.New("no such flag")))},
		command.ExitUnreachable: {fmt.Errorf("list: %w", &remote.UnreachableError{Base: "http://x", Err: errors.New("refused")})},
		command.ExitRefused:     {answered(401), answered(404), answered(409), answered(422), answered(429)},
	} {
		for _, err := range errs {
			if got := command.ExitCode(err); got != want {
				t.Errorf("%v: exit code %d, want %d", err, got, want)
			}
		}
	}
}

func TestDefinitionsAreFilesOrTheInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "item.json")
	if err := os.WriteFile(path, []byte(`{"name":"One","tags":["x"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cc, _ := clitest.Context(t, strings.NewReader("- a list"))
	if got, err := command.ReadDefinition(cc, path); err != nil || got["name"] != "One" {
		t.Errorf("a file of JSON: %v, %v", got, err)
	}
	for name, want := range map[string]string{"-": "read the file", path + ".missing": "read the file"} {
		if got, err := command.ReadDefinition(cc, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	cc, _ = clitest.Context(t, strings.NewReader(strings.Repeat("a: 1\n", 1<<18)))
	if _, err := command.ReadDefinition(cc, "-"); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a definition that is too long: %v", err)
	}
}

func TestLongEventsAreShortened(t *testing.T) {
	cc, out := clitest.Context(t, strings.NewReader(""))
	event := remote.Event{Name: "notice", Data: []byte(`{"text":"` + strings.Repeat("é", 500) + `\n\u001b[2J"}`)}
	if err := command.PrintEventLine(cc, event); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); len([]rune(got)) > 240 || strings.Count(got, "\n") != 1 || strings.Contains(got, "\x1b") {
		t.Errorf("%d characters: %q", len([]rune(got)), got)
	}
}
