package doors

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

var shell = regexp.MustCompile("(?s)```sh\n(.*?)```")

// typeIn types a command of a page, at this server, and reads the JSON that it says.
func typeIn(t *testing.T, url, command string, out any, env ...string) {
	t.Helper()
	line := exec.Command("bash", "-c", strings.ReplaceAll(command, "http://127.0.0.1:8080", url))
	line.Env = append(os.Environ(), env...)
	said, err := line.Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	if err := json.Unmarshal(said, out); err != nil {
		t.Fatalf("%s says %q: %v", command, said, err)
	}
}

// What the how-to for chat clients says to type is typed, on a fresh server.
func TestTheHowToForChatClients(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl; scripts/need curl gets it")
	}
	text, err := os.ReadFile("../../../docs/chat-clients.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, harness.Databases["sqlite"](t))
	typed := shell.FindAllStringSubmatch(string(text), -1)
	if len(typed) != 2 {
		t.Fatalf("the page has %d commands", len(typed))
	}
	run := func(command string, out any, env ...string) { t.Helper(); typeIn(t, s.URL, command, out, env...) }
	var made struct{ Key string }
	run(typed[0][1], &made)
	var answer chatAnswer
	run(typed[1][1], &answer, "KEY="+made.Key)
	if len(answer.Choices) != 1 || !strings.Contains(answer.Choices[0].Message.Content, "Garden") {
		t.Errorf("the answer is %+v", answer)
	}
	s.Key = made.Key
	if said := s.said(answer.Fermata.SessionID); len(said) == 0 || said[0] != "USER create a zone called Garden" {
		t.Errorf("the record is %q", said)
	}
	s.Scripted(`[{"answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Shed"}}]}}]`)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	asked := s.chat(made.Key, nil, "make a shed")
	example := "I make it.\n\n𝄐 Waiting for your approval:\n- " + asked.Fermata.Actions[0].Text + "\n\nAnswer here: " + asked.Fermata.Link
	if asked.text != example || asked.Fermata.Link != s.URL+"/#/chat/"+asked.session {
		t.Errorf("an approval looks like %q", asked.text)
	}
	for _, piece := range []string{"I make it.\n\n𝄐 Waiting for your approval:\n- Add the zone “", "”\n\nAnswer here: http://127.0.0.1:8080/#/chat/ses_"} {
		if !strings.Contains(string(text), piece) {
			t.Errorf("the page does not show %q", piece)
		}
	}
}

// What the how-to for MCP clients says to type is typed, and an approval looks as it shows.
func TestTheHowToForMCPClients(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl; scripts/need curl gets it")
	}
	text, err := os.ReadFile("../../../docs/mcp-clients.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, harness.Databases["sqlite"](t))
	typed := shell.FindAllStringSubmatch(string(text), -1)
	if len(typed) != 2 {
		t.Fatalf("the page has %d commands", len(typed))
	}
	run := func(command string, out any, env ...string) { t.Helper(); typeIn(t, s.URL, command, out, env...) }
	var made struct{ Key string }
	run(typed[0][1], &made)
	var answer rpcReply
	run(typed[1][1], &answer, "KEY="+made.Key)
	if !strings.Contains(answer.Result.Content.Text, "Garden") {
		t.Errorf("the answer is %+v", answer)
	}
	s.Key = made.Key
	if said := s.said(answer.Result.Content.SessionID); len(said) == 0 || said[0] != "USER create a zone called Garden" {
		t.Errorf("the record is %q", said)
	}
	s.Scripted(`[{"answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Shed"}}]}}]`)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	c := s.mcpClient(made.Key, "2026-07-28", nil)
	var asked toolState
	result := callTool(t, c, "send_message", map[string]any{"text": "make a shed"}, &asked)
	words, ok := result.Content[0].(*mcp.TextContent)
	if want := "I make it.\n\nWaiting for a person:\n- Add the zone “Shed”\n\nAnswer here: " + asked.Link; !ok || words.Text != want {
		t.Errorf("an approval looks like %q, and should like %q", words.Text, want)
	}
	for _, piece := range []string{
		"I make it.\n\nWaiting for a person:\n- Add the zone “", "”\n\nAnswer here: http://127.0.0.1:8080/#/chat/ses_",
	} {
		if !strings.Contains(string(text), piece) {
			t.Errorf("the page does not show %q", piece)
		}
	}
	for _, name := range []string{"send_message", "get_session", "list_sessions", "list_pending", "run_automation", "describe_data", "query_data"} {
		checkListing(t, c, name, true)
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("the page does not name %s", name)
		}
	}
}

// What the how-to for AG-UI says to type is typed; the code that it shows is in the example.
func TestTheHowToForAGUI(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl; scripts/need curl gets it")
	}
	text, err := os.ReadFile("../../../docs/ag-ui.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, harness.Databases["sqlite"](t))
	typed := shell.FindAllStringSubmatch(string(text), -1)
	if len(typed) != 1 {
		t.Fatalf("the page has %d commands", len(typed))
	}
	said, err := exec.Command("bash", "-c", strings.ReplaceAll(typed[0][1], "http://127.0.0.1:8080", s.URL)).Output()
	if err != nil || !strings.Contains(string(said), `"RUN_FINISHED"`) || !strings.Contains(string(said), "Garden") {
		t.Errorf("%v: it says %s", err, said)
	}
	session := s.Call("GET", "/v1/sessions", nil).Want(200)
	if record := s.said(session.Str("data.0.id")); session.Str("data.0.external_id") != "a talk" || record[0] != "USER create a zone called Garden" {
		t.Errorf("the record is %q", record)
	}
	example, err := os.ReadFile("../../../examples/chat-clients/ag-ui.mjs")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(text), "```js\n")
	code, _, _ = strings.Cut(code, "```")
	if !strings.Contains(string(example), code) {
		t.Errorf("the example does not have\n%s", code)
	}
}

// What the how-to for editors says to type is typed; its settings start an agent, and an approval
// looks as it shows.
func TestTheHowToForEditors(t *testing.T) {
	text, err := os.ReadFile("../../../docs/acp.md")
	if err != nil {
		t.Fatal(err)
	}
	s, key := newChatServer(t, harness.Databases["sqlite"](t), `[
		{"when": {"roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
		{"answer": {"text": "It is made."}}]`)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	typed := shell.FindAllStringSubmatch(string(text), -1)
	if len(typed) != 1 {
		t.Fatalf("the page has %d commands", len(typed))
	}
	var hello struct {
		Result struct{ AgentInfo struct{ Name string } }
	}
	typeIn(t, s.URL, "fermata() { "+self(t)+" \"$@\"; }\n"+typed[0][1], &hello, programVariable+"=1")
	if hello.Result.AgentInfo.Name != "fermata" {
		t.Errorf("it says hello with %+v", hello)
	}
	_, settings, _ := strings.Cut(string(text), "```json\n")
	settings, _, _ = strings.Cut(settings, "```")
	var agents struct {
		Servers map[string]struct {
			Type, Command string
			Args          []string
			Env           map[string]string
		} `json:"agent_servers"`
	}
	if err := json.Unmarshal([]byte(settings), &agents); err != nil {
		t.Fatal(err)
	}
	agent := agents.Servers["Fermata"]
	if agent.Type != "custom" || agent.Command != "fermata" || agent.Env["FERMATA_URL"] != "http://127.0.0.1:8080" {
		t.Fatalf("the settings are %+v", agent)
	}
	start := exec.Command(self(t), agent.Args...)
	start.Env = append(os.Environ(), programVariable+"=1", "FERMATA_URL="+s.URL, "FERMATA_KEY="+key)
	e := harness.StartEditor(t, start)
	var shown string
	e.Choose = func(r harness.EditorRequest) any {
		shown = harness.Shown(r)
		return harness.Option(r, "Approve")
	}
	e.Prompt(e.Open(), "make a garden")
	if !strings.Contains(string(text), shown) {
		t.Errorf("an approval looks like\n%s", shown)
	}
}

// What the how-to for the AI SDK says to type is typed; the code that it shows is in the example,
// and what it shows of a stream is in it.
func TestTheHowToForUIChats(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl; scripts/need curl gets it")
	}
	text, err := os.ReadFile("../../../docs/ui-chat.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	typed := shell.FindAllStringSubmatch(string(text), -1)
	if len(typed) != 1 {
		t.Fatalf("the page has %d commands", len(typed))
	}
	said, err := exec.Command("bash", "-c", strings.ReplaceAll(typed[0][1], "http://127.0.0.1:8080", s.URL)).Output()
	if err != nil || !strings.Contains(string(said), `"finishReason":"tool-calls"`) || !strings.Contains(string(said), "[DONE]") {
		t.Errorf("%v: it says %s", err, said)
	}
	for _, name := range []string{`"tool-approval-request"`, `"toolCallId":"exe_`, `"approvalId":"apr_`} {
		if !strings.Contains(string(said), name) || !strings.Contains(string(text), strings.Replace(name, ":", ": ", 1)) {
			t.Errorf("there is no %s in what is said, or in the page", name)
		}
	}
	session := s.Call("GET", "/v1/sessions", nil).Want(200)
	if record := s.said(session.Str("data.0.id")); session.Str("data.0.external_id") != "a talk" || record[0] != "USER create a zone called Garden" {
		t.Errorf("the record is %q", record)
	}
	example, err := os.ReadFile("../../../examples/chat-clients/ui-chat.mjs")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(text), "```js\n")
	code, _, _ = strings.Cut(code, "```")
	if !strings.Contains(string(example), code) {
		t.Errorf("the example does not have\n%s", code)
	}
}
