package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
)

const (
	oneAgent = `{"id":"agt_1","name":"Clerk","command":"CLERK","description":"Files papers","commands":["FIND","FILE"],"max_turns":3,
		"enabled":true,"version":2,"updated_at":"2026-03-01T09:00:00.000Z"}`
	oneDaily = `{"id":"aut_1","name":"Daily","enabled":true,"commands":["*"],"triggers":[{"type":"webhook"}],
		"schedule":{"expression":"0 9 * * *","time_zone":"Europe/Paris"},"next_run_at":"2026-03-02T08:00:00.000Z"}`
	oneShop = `{"id":"con_1","name":"Shop","prefix":"SHOP","kind":"http","enabled":true,"status":"ready","status_detail":"","config":{"url":"http://a"},
		"commands":[{"name":"PAY","state":"offered","effect":"non_idempotent","require_validation":true,"timeout":"30s","description":"Pays"}]}`
	onePicture = `{"id":"fil_1","name":"a.png","media_type":"image/png","bytes":4,"created_at":"2026-03-01T09:00:00.000Z"}`
	oneTaskRow = `{"id":"tsk_1","session_id":"ses_1","command":"SHOP.PAY","status":"running","progress":{"text":"half","percent":50},
		"deadline":"2026-03-01T09:00:00.000Z"}`
	oneHook = `{"id":"whk_1","url":"https://a/x","types":["notice"],"enabled":true,"links":false,"sent_to":7,"secret":"whsec_1"}`
	oneKey  = `{"id":"key_1","name":"ci","role":"member","prefix":"fmt_ab","created_at":"2026-03-01T09:00:00.000Z"}`
	oneRun  = `{"session":{"id":"ses_9"},"result":"STARTED"}`
)

func pageOf(items ...string) string {
	return `{"data":[` + strings.Join(items, ",") + `],"next_cursor":null}`
}

// resources is a server with one resource of each kind.
func resources(t *testing.T) *clitest.API {
	f := clitest.NewAPI(t)
	for route, body := range map[string]string{
		"GET /v1/agents":                          pageOf(oneAgent),
		"GET /v1/agents/agt_1/versions":           pageOf(oneAgent),
		"POST /v1/agents/agt_1/try":               oneRun,
		"GET /v1/automations":                     pageOf(oneDaily),
		"POST /v1/automations/aut_1/{verb}":       oneDaily,
		"POST /v1/automations/aut_1/execute":      oneRun,
		"GET /v1/connectors":                      pageOf(oneShop),
		"POST /v1/connectors/con_1/refresh":       oneShop,
		"PATCH /v1/connectors/con_1":              strings.Replace(oneShop, `"ready"`, `"disabled"`, 1),
		"PATCH /v1/connectors/con_1/commands/PAY": oneShop,
		"POST /v1/connectors/con_1/test":          `{"ok":true,"latency_ms":12,"commands":1,"status":"ready"}`,
		"POST /v1/connectors/con_1/sign-in":       `{"url":"https://shop.example/authorize","expires_at":"2026-03-01T09:00:00.000Z"}`,
		"GET /v1/files":                           pageOf(onePicture),
		"POST /v1/files":                          onePicture,
		"GET /v1/tasks":                           pageOf(oneTaskRow),
		"GET /v1/tasks/tsk_1":                     strings.Replace(oneTaskRow, "running", "succeeded", 1),
		"POST /v1/tasks/tsk_1/cancel":             strings.Replace(oneTaskRow, "running", "cancelled", 1),
		"GET /v1/webhooks":                        pageOf(oneHook),
		"POST /v1/webhooks/whk_1/test":            `{"ok":true,"status":204,"latency_ms":3}`,
		"POST /v1/webhooks/whk_1/replay":          oneHook,
		"POST /v1/webhooks/whk_1/rotate":          oneHook,
		"GET /v1/webhooks/whk_1/deliveries":       pageOf(`{"seq":7,"state":"retrying","type":"notice","tries":2,"last_at":"2026-03-01T09:00:00.000Z","detail":"HTTP 500"}`),
		"GET /v1/keys":                            pageOf(oneKey),
		"POST /v1/keys":                           strings.Replace(oneKey, "{", `{"key":"fmt_abcdef",`, 1),
	} {
		f.Answers(route, http.StatusOK, body)
	}
	f.Answers("DELETE /v1/", http.StatusNoContent, "")
	f.Mux.HandleFunc("GET /v1/files/fil_1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="../a.png"`)
		_, _ = w.Write([]byte("\x89PNG"))
	})
	return f
}

// Each command sends its request, and prints what it got.
func TestCommandsOfResources(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.png", []byte("\x89PNG"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, c := range map[string]struct {
		sent  string // the last request, with its body
		shows []string
	}{
		"agents":                         {"GET /v1/agents?limit=200", []string{"agt_1", "CLERK", "offered", "3", "FIND,FILE", "Clerk"}},
		"agents show clerk":              {"GET /v1/agents?limit=200", []string{"agt_1 CLERK (Clerk, offered)", "Files papers", "may use: FIND, FILE", "3 times"}},
		"agents versions CLERK":          {"GET /v1/agents/agt_1/versions?limit=50", []string{"VERSION", "2", "2026-03-01"}},
		"agents try agt_1 tidy":          {`POST /v1/agents/agt_1/try {"query":"tidy"}`, []string{"ses_9 (STARTED)", "fermata tail --session ses_9"}},
		"agents delete Clerk":            {"DELETE /v1/agents/agt_1", []string{"deleted agt_1 (Clerk)"}},
		"automations":                    {"GET /v1/automations?limit=200", []string{"aut_1", "enabled", "2026-03-02", "0 9 * * * Europe/Paris, webhook", "Daily"}},
		"automations --enabled=true":     {"GET /v1/automations?enabled=true&limit=200", []string{"aut_1"}},
		"automations disable Daily":      {"POST /v1/automations/aut_1/disable {}", []string{"aut_1: disabled"}},
		"automations enable aut_1":       {"POST /v1/automations/aut_1/enable {}", []string{"aut_1: enabled"}},
		"automations run Daily --detach": {"POST /v1/automations/aut_1/execute", []string{"ses_9: started"}},
		"connectors":                     {"GET /v1/connectors?limit=200", []string{"con_1", "SHOP", "http", "ready", "1 of 1", "Shop"}},
		"connectors show shop":           {"GET /v1/connectors?limit=200", []string{"con_1 SHOP (http, Shop): ready", "SHOP.PAY", "offered", "yes", "30s", "Pays"}},
		"connectors refresh SHOP":        {"POST /v1/connectors/con_1/refresh", []string{"SHOP.PAY"}},
		"connectors disable Shop":        {`PATCH /v1/connectors/con_1 {"enabled":false}`, []string{"disabled"}},
		"connectors test SHOP":           {"POST /v1/connectors/con_1/test", []string{"SHOP responds, in 12 ms; it has 1 command"}},
		"connectors sign-in SHOP":        {"POST /v1/connectors/con_1/sign-in", []string{"it works once", "https://shop.example/authorize"}},
		"connectors commands SHOP pay --asks=no --timeout=5s": {
			`PATCH /v1/connectors/con_1/commands/PAY {"require_validation":false,"timeout":"5s"}`, []string{"COMMAND", "SHOP.PAY"},
		},
		"connectors delete SHOP":                   {"DELETE /v1/connectors/con_1", []string{"deleted con_1 (Shop)"}},
		"files":                                    {"GET /v1/files?limit=50", []string{"fil_1", "a.png", "image/png", "4"}},
		"files upload a.png":                       {"POST /v1/files?name=a.png \x89PNG", []string{"fil_1"}},
		"files get fil_1 --to b.png":               {"GET /v1/files/fil_1", []string{"b.png"}},
		"files delete fil_1":                       {"DELETE /v1/files/fil_1", []string{"deleted fil_1"}},
		"tasks --status=running":                   {"GET /v1/tasks?limit=50&status=running", []string{"tsk_1", "running", "50 % half", "SHOP.PAY", "ses_1"}},
		"tasks show tsk_1":                         {"GET /v1/tasks/tsk_1", []string{"tsk_1  succeeded  SHOP.PAY", "progress: 50 % half", "deadline:"}},
		"tasks watch tsk_1":                        {"GET /v1/tasks/tsk_1", []string{"succeeded"}},
		"tasks cancel tsk_1":                       {"POST /v1/tasks/tsk_1/cancel", []string{"cancelled"}},
		"webhooks":                                 {"GET /v1/webhooks?limit=200", []string{"whk_1", "good", "7", "notice", "https://a/x"}},
		"webhooks show https://a/x":                {"GET /v1/webhooks?limit=200", []string{"whk_1: good, notice, https://a/x"}},
		"webhooks test whk_1":                      {"POST /v1/webhooks/whk_1/test", []string{"the receiver responded with 204 after 3 ms"}},
		"webhooks replay whk_1 --after=5":          {`POST /v1/webhooks/whk_1/replay {"after":5}`, []string{"sending whk_1 all events after 5"}},
		"webhooks rotate whk_1":                    {"POST /v1/webhooks/whk_1/rotate", []string{"whk_1. The secret is not shown again:", "whsec_1"}},
		"webhooks deliveries whk_1":                {"GET /v1/webhooks/whk_1/deliveries?limit=20", []string{"7", "retrying", "notice", "2", "HTTP 500"}},
		"webhooks delete whk_1":                    {"DELETE /v1/webhooks/whk_1", []string{"deleted whk_1 (https://a/x)"}},
		"webhooks deliveries whk_1 --state=failed": {"GET /v1/webhooks/whk_1/deliveries?limit=20&state=failed", nil},
	} {
		t.Run(line, func(t *testing.T) {
			f := resources(t)
			out, err := typed(t, f, "", strings.Fields(line)...)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			all := f.Seen("")
			last := all[len(all)-1]
			if sent := strings.TrimSpace(last.Line + " " + last.Body); sent != c.sent {
				t.Errorf("sent %s\nwant %s", sent, c.sent)
			}
			clitest.Wants(t, out, c.shows...)
		})
	}
	if text, err := os.ReadFile("b.png"); err != nil || string(text) != "\x89PNG" {
		t.Errorf("downloaded %q: %v", text, err)
	}
}

// A downloaded file keeps its name, without the folders in it, and overwrites nothing.
func TestFilesAreNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	f := resources(t)
	if out, err := typed(t, f, "", "files", "get", "fil_1"); err != nil || strings.TrimSpace(out) != "a.png" {
		t.Fatalf("%q: %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.png")); err != nil {
		t.Error(err)
	}
	if _, err := typed(t, f, "", "files", "get", "fil_1"); err == nil || !strings.Contains(err.Error(), "create the file") {
		t.Errorf("an existing file: %v", err)
	}
}

// A resource that does not exist is an error that says how to list them; a failed test is a failure.
func TestCommandsThatFail(t *testing.T) {
	f := resources(t)
	f.Answers("GET /v1/tasks/tsk_2", http.StatusOK, strings.Replace(oneTaskRow, "running", "failed", 1))
	f.Answers("POST /v1/webhooks/whk_2/test", http.StatusOK, `{"ok":false,"detail":"HTTP 500","latency_ms":3}`)
	for line, want := range map[string]string{
		"automations enable none":   "list them with: fermata automations list",
		"connectors show none":      "list them with: fermata connectors",
		"webhooks show none":        "list them with: fermata webhooks",
		"tasks watch tsk_2":         "the task failed",
		"webhooks test whk_2":       "the message was not delivered: HTTP 500",
		"files upload no-such-file": "read the file",
	} {
		if out, err := typed(t, f, "", strings.Fields(line)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

func TestKeys(t *testing.T) {
	for line, c := range map[string]struct {
		sent  string
		shows []string
		fails string
	}{
		"list":                                  {"GET /v1/keys?limit=200", []string{"key_1", "member", "fmt_ab…", "good", "never", "ci"}, ""},
		"create ci --role=viewer":               {`POST /v1/keys {"name":"ci","role":"viewer"}`, []string{"key_1, role member", "fmt_abcdef"}, ""},
		"revoke ci":                             {"DELETE /v1/keys/key_1", []string{"revoked key_1 (ci)"}, ""},
		"revoke fmt_ab":                         {"DELETE /v1/keys/key_1", []string{"revoked key_1 (ci)"}, ""},
		"revoke other":                          {"GET /v1/keys?limit=200", nil, "list them with: fermata keys"},
		"create ci --role=viewer --output=json": {`POST /v1/keys {"name":"ci","role":"viewer"}`, []string{`"key": "fmt_abcdef"`}, ""},
	} {
		f := resources(t)
		cc, out := clitest.Context(t, strings.NewReader(""))
		err := Run(&struct{ KeysCommand }{}, append(strings.Fields(line), "--url="+f.URL), cc)
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %v", line, err)
		}
		all := f.Seen("")
		last := all[len(all)-1]
		if sent := strings.TrimSpace(last.Line + " " + last.Body); sent != c.sent {
			t.Errorf("%s: sent %s", line, sent)
		}
		clitest.Wants(t, out.String(), c.shows...)
	}
	if _, err := typed(t, clitest.NewAPI(t), "", "tasks", "--status=none"); command.ExitCode(err) != command.ExitMisused {
		t.Errorf("an unknown status: %v", err)
	}
}
