package chat

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
)

// fakeChat is a session whose events the test writes, one after the other.
type fakeChat struct {
	*clitest.API
	t    *testing.T
	feed chan string
	seq  int64
	out  *clitest.Output
	in   *io.PipeWriter
	sig  chan os.Signal
	done chan error
	held sync.Mutex // while it is, no message is answered
}

// cutStream, fed to a stream, breaks it.
const cutStream = "\x00"

const idleSession = `{"id":"ses_1","type":"CHAT","status":"idle","phase":"IDLE","last_seq":1}`

// fakeSession is a server with one session.
func fakeSession(t *testing.T) *fakeChat {
	t.Helper()
	f := &fakeChat{API: clitest.NewAPI(t), t: t, feed: make(chan string, 100), seq: 10, sig: make(chan os.Signal), done: make(chan error, 1)}
	f.Answers("POST /v1/sessions", 201, idleSession)
	f.Answers("GET /v1/sessions/ses_1", 200, idleSession)
	f.Answers("GET /v1/sessions/ses_1/messages", 200, `{"data":[],"next_cursor":null}`)
	f.Answers("GET /v1/approvals", 200, `{"data":[],"next_cursor":null}`)
	f.Mux.HandleFunc("POST /v1/sessions/ses_1/messages", func(w http.ResponseWriter, _ *http.Request) {
		f.held.Lock()
		defer f.held.Unlock()
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"event_seq":10,"message":{"id":"msg_u","status":"stored"},"session":`+idleSession+`}`)
	})
	f.Answers("POST /v1/sessions/ses_1/interrupt", 200, `{"event_seq":11,"session":`+idleSession+`}`)
	f.Mux.HandleFunc("POST /v1/approvals/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"event_seq":11,"approval":null,"session":`+idleSession+`}`)
	})
	f.Mux.HandleFunc("GET /v1/sessions/ses_1/events", f.stream)
	return f
}

// startChat runs the command against a session of its own.
func startChat(t *testing.T, c Command, interactive bool) *fakeChat {
	t.Helper()
	f := fakeSession(t)
	reader, writer := io.Pipe()
	cc, out := clitest.Context(t, reader)
	cc.Interactive, cc.Signals = interactive, f.sig
	f.out, f.in = out, writer
	output := c.Output
	if c.ClientFlags = f.Flags(); output != "" {
		c.Output = output
	}
	go func() { f.done <- c.Run(cc) }()
	t.Cleanup(func() { _ = writer.Close() })
	return f
}

func (f *fakeChat) stream(w http.ResponseWriter, r *http.Request) {
	clitest.Stream(w, r, false)
	for {
		select {
		case <-r.Context().Done():
			return
		case e := <-f.feed:
			if e == cutStream {
				return
			}
			_, _ = io.WriteString(w, e)
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// emit adds a stored event; says adds text of the answer that streams.
func (f *fakeChat) emit(name, data string) {
	f.seq++
	f.feed <- fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", f.seq, name, data)
}

func (f *fakeChat) says(offset int, text string) {
	f.feed <- clitest.EventText(0, "message.delta", map[string]any{"session_id": "ses_1", "message_id": "msg_a", "kind": "text", "offset": offset, "text": text})
}

func (f *fakeChat) phase(phase, status string) {
	f.emit("session.phase", fmt.Sprintf(`{"session_id":"ses_1","phase":%q,"status":%q}`, phase, status))
}

func (f *fakeChat) answered(text string) {
	body, _ := json.Marshal(text)
	f.emit("message.created", fmt.Sprintf(`{"message":{"id":"msg_a","seq":%d,"sender":"AI","status":"stored","ai_message":{"pre_text":%s}}}`, f.seq+1, body))
}

// types is a person typing a line; until waits for what the terminal shows.
func (f *fakeChat) types(line string) {
	f.t.Helper()
	if _, err := io.WriteString(f.in, line+"\n"); err != nil {
		f.t.Fatalf("type %q: %v", line, err)
	}
}

func (f *fakeChat) until(parts ...string) {
	f.t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		text, found := f.out.String(), true
		for _, part := range parts {
			found = found && strings.Contains(text, part)
		}
		if found {
			return
		}
		select {
		case <-deadline:
			f.t.Fatalf("%q did not come; the terminal shows:\n%s", parts, text)
		case err := <-f.done:
			f.t.Fatalf("the chat ended (%v) before %q; the terminal shows:\n%s", err, parts, f.out.String())
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (f *fakeChat) request(prefix string) {
	f.t.Helper()
	deadline := time.After(10 * time.Second)
	for len(f.Seen(prefix)) == 0 {
		select {
		case <-deadline:
			f.t.Fatalf("no request %s", prefix)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (f *fakeChat) ends() error {
	f.t.Helper()
	select {
	case err := <-f.done:
		return err
	case <-time.After(10 * time.Second):
		f.t.Fatalf("the chat does not end; the terminal shows:\n%s", f.out.String())
		return nil
	}
}

const weightApproval = `{"approval":{"id":"apr_1","session_id":"ses_1","kind":"actions","status":"open","cancel_message_id":null,
 "reasons":[{"level":"zone","text":"the zone Health asks for it"}],
 "actions":[{"id":"exe_1","command":"UPDATE_DATA","params":{},"digest":"d","text":"Change an entry of Weight","before":{"value":72},"after":{"value":73},"warnings":["it is old"]},
  {"id":"exe_2","command":"DELETE_DATA","params":{},"digest":"e","text":"Delete an entry of Weight","before":{"value":70}}]}}`

func oneLineJSON(text string) string { return strings.ReplaceAll(text, "\n", "") }

// A person chats, gets a question, gives an unclear answer, approves one of two actions, and leaves.
func TestChatAsksForApproval(t *testing.T) {
	f := startChat(t, Command{}, true)
	f.types("my weight is 73")
	f.request("POST /v1/sessions/ses_1/messages")
	f.phase("CALLING_AI", "running")
	f.says(0, "I correct ")
	f.says(10, "it.")
	f.answered("I correct it.")
	f.emit("approval.requested", oneLineJSON(weightApproval))
	f.phase("WAITING_VALIDATION", "requires_action")
	f.until("Approve? [y / n / edit / some: 1,3 / n and a comment]")
	clitest.Wants(t, f.out.String(), "session ses_1", "I correct it.\n", "2 changes need your approval", "1. Change an entry of Weight",
		"value: 72 -> 73", "! it is old", "2. Delete an entry", "value: 70 (goes)", "asked because: the zone Health asks for it", "apr_1")
	f.types("hm")
	f.until("Please enter y or n. Nothing has been done.")
	if got := f.Seen("POST /v1/approvals"); len(got) != 0 {
		t.Fatalf("an unclear word was taken for an answer: %+v", got)
	}
	f.types("1")
	f.request("POST /v1/approvals/apr_1")
	if got := f.Seen("POST /v1/approvals/apr_1")[0].Body; got != `{"approved":true,"approved_ids":["exe_1"]}` {
		t.Fatalf("sent %s", got)
	}
	f.emit("message.created", `{"message":{"id":"msg_s","seq":20,"sender":"SYSTEM","status":"stored","system_message":{"type":"ACTIONS_EXECUTED","summary":"s","command_results":[{"command":"UPDATE_DATA","status":"SUCCESS","summary":"Weight changed"},{"command":"DELETE_DATA","status":"CANCELLED","summary":"Entry not deleted"}]}}}`)
	f.phase("IDLE", "idle")
	f.until("✓ Weight changed", "– Entry not deleted")
	f.types("/quit")
	if err := f.ends(); err != nil {
		t.Fatal(err)
	}
	if strings.Count(f.out.String(), "I correct it.") != 1 {
		t.Errorf("the answer was shown twice:\n%s", f.out.String())
	}
}

// The connection breaks in the middle of an answer: no character is lost or doubled.
func TestChatComesBackInMidAnswer(t *testing.T) {
	f := startChat(t, Command{}, true)
	f.types("hello")
	f.request("POST /v1/sessions/ses_1/messages")
	f.phase("CALLING_AI", "running")
	f.says(0, "Héllo ")
	f.until("Héllo ")
	f.feed <- cutStream
	f.feed <- clitest.EventText(0, "message.snapshot", map[string]any{"session_id": "ses_1", "message_id": "msg_a", "kind": "text", "offset": 9, "text": "Héllo wor"})
	f.says(6, "worl") // overlaps what was shown
	f.says(10, "d, how are")
	f.answered("Héllo world, how are you?")
	f.phase("IDLE", "idle")
	f.until("Héllo world, how are you?\n")
	after := f.Seen("GET /v1/sessions/ses_1/events")
	if len(after) != 2 || !strings.HasSuffix(after[0].Line, "after=1") || !strings.HasSuffix(after[1].Line, "after=11") {
		t.Errorf("streams: %+v", after)
	}
	_ = f.in.Close() // Ctrl-D
	if err := f.ends(); err != nil {
		t.Fatal(err)
	}
}

// What a model writes cannot steer the terminal; void text is called void; a JSON
// answer is shown when it has been read.
func TestChatShowsTextSafely(t *testing.T) {
	f := startChat(t, Command{}, true)
	f.types("hello")
	f.request("POST /v1/sessions/ses_1/messages")
	f.says(0, "a\x1b[2J\x07b")
	f.until("a\\u001b[2J\\u0007b")
	f.feed <- clitest.EventText(0, "message.discarded", map[string]any{"session_id": "ses_1", "message_id": "msg_a", "reason": "network"})
	f.until("the text above is discarded: network")
	f.says(0, "killed in the mid")
	f.until("killed in the mid")
	f.feed <- clitest.EventText(0, "message.delta", map[string]any{"session_id": "ses_1", "message_id": "msg_b", "kind": "text", "offset": 0, "text": "{"})
	f.until("(the text above is discarded; the call is repeated)")
	f.says(0, `{"pre_text":"Hi`)
	f.says(15, ` there"}`)
	f.answered("Hi there")
	f.phase("IDLE", "idle")
	f.until("Hi there\n")
	if text := f.out.String(); strings.ContainsAny(text, "\x1b\x07") || strings.Contains(text, "pre_text") {
		t.Errorf("the terminal shows %q", text)
	}
	f.types("/quit")
	if err := f.ends(); err != nil {
		t.Fatal(err)
	}
}

// Ctrl-C interrupts the round; a second one leaves.
func TestChatIsInterrupted(t *testing.T) {
	f := startChat(t, Command{}, true)
	f.types("hello")
	f.request("POST /v1/sessions/ses_1/messages")
	f.phase("CALLING_AI", "running")
	f.says(0, "A long story")
	f.until("A long story")
	f.sig <- os.Interrupt
	f.request("POST /v1/sessions/ses_1/interrupt")
	f.until("interrupting")
	f.sig <- os.Interrupt
	if err := f.ends(); err != nil {
		t.Fatal(err)
	}
}

// Ctrl-C before the server has said that it has the message, and whether or not its events
// came first: the round is interrupted, and the message is not given up.
func TestChatInterruptsWhatIsBeingSent(t *testing.T) {
	for name, begun := range map[string]bool{"nothing is known yet": false, "its answer streams": true} {
		t.Run(name, func(t *testing.T) {
			f := startChat(t, Command{}, true)
			f.held.Lock()
			f.types("hello")
			f.request("POST /v1/sessions/ses_1/messages")
			if begun {
				f.phase("CALLING_AI", "running")
				f.says(0, "A long story")
				f.until("A long story")
			}
			f.sig <- os.Interrupt
			f.until("(interrupting; Ctrl-C again exits)")
			f.held.Unlock()
			f.request("POST /v1/sessions/ses_1/interrupt")
			if strings.Contains(f.out.String(), "given up") {
				t.Errorf("the message was given up:\n%s", f.out)
			}
			f.sig <- os.Interrupt
			if err := f.ends(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Leaving waits until the last message has arrived; if the server does not respond, an error is shown.
func TestChatIsLeftBehindAMessage(t *testing.T) {
	f := startChat(t, Command{}, true)
	f.held.Lock()
	f.types("hello")
	f.request("POST /v1/sessions/ses_1/messages")
	_ = f.in.Close() // Ctrl-D
	f.held.Unlock()
	if err := f.ends(); err != nil {
		t.Fatal(err)
	}
	f = startChat(t, Command{Session: "ses_1"}, true)
	f.request("GET /v1/sessions/ses_1/events")
	f.Away.Store(true)
	f.types("hello")
	<-f.Lost
	f.sig <- syscall.SIGTERM
	if err := f.ends(); err == nil || !strings.Contains(err.Error(), "your last message may not have arrived") {
		t.Errorf("ended with %v", err)
	}
}

// In a pipe the second line waits for the first answer, and the flag answers.
func TestChatInAPipe(t *testing.T) {
	f := startChat(t, Command{Yes: true}, false)
	go func() {
		_, _ = io.WriteString(f.in, "first\nsecond\n")
		_ = f.in.Close()
	}()
	f.request("POST /v1/sessions/ses_1/messages")
	f.phase("WAITING_VALIDATION", "requires_action")
	f.emit("approval.requested", oneLineJSON(weightApproval))
	f.request("POST /v1/approvals/apr_1")
	if got := f.Seen("POST /v1/approvals/apr_1")[0].Body; got != `{"approved":true}` {
		t.Errorf("sent %s", got)
	}
	if n := len(f.Seen("POST /v1/sessions/ses_1/messages")); n != 1 {
		t.Fatalf("%d messages were sent before the first was answered", n)
	}
	f.phase("EXECUTING_ACTIONS", "running")
	f.phase("IDLE", "idle")
	for len(f.Seen("POST /v1/sessions/ses_1/messages")) < 2 {
		time.Sleep(2 * time.Millisecond)
	}
	f.answered("Done.")
	f.phase("IDLE", "idle")
	if err := f.ends(); err != nil {
		t.Fatal(err)
	}
	clitest.Wants(t, f.out.String(), "(approved by flag)", "Done.")
}

// The schema of the answer is that of a file, and is sent with each message.
func TestChatAsksForASchema(t *testing.T) {
	schema := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(schema, []byte(`{"type": "object"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f := startChat(t, Command{Message: "how many?", AnswerSchema: schema}, true)
	f.request("POST /v1/sessions/ses_1/messages")
	f.answered(`{"n":3}`)
	f.phase("IDLE", "idle")
	if err := f.ends(); err != nil {
		t.Fatal(err)
	}
	if got := f.Seen("POST /v1/sessions/ses_1/messages")[0].Body; got != `{"answer_schema":{"type":"object"},"text":"how many?"}` {
		t.Errorf("sent %s", got)
	}
	if err := os.WriteFile(schema, []byte(`{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := startChat(t, Command{Message: "how many?", AnswerSchema: schema}, true).ends(); err == nil || !strings.Contains(err.Error(), "is not JSON") {
		t.Errorf("half a schema: %v", err)
	}
}

// A script without an answer ends with the id of the open approval.
func TestChatWithoutAnAnswerer(t *testing.T) {
	f := startChat(t, Command{Message: "delete everything"}, true)
	f.request("POST /v1/sessions/ses_1/messages")
	f.phase("WAITING_VALIDATION", "requires_action")
	f.emit("approval.requested", oneLineJSON(weightApproval))
	err := f.ends()
	if err == nil {
		t.Fatal("it ended as if all were well")
	}
	clitest.Wants(t, err.Error(), "--yes or --no", "fermata approve apr_1")
	if got := f.Seen("POST /v1/approvals"); len(got) != 0 {
		t.Errorf("answered by itself: %+v", got)
	}
}

// A round that failed is an error for a script.
func TestChatReportsAFailedRound(t *testing.T) {
	f := startChat(t, Command{Message: "hello"}, false)
	f.request("POST /v1/sessions/ses_1/messages")
	f.emit("message.created", `{"message":{"id":"msg_n","seq":12,"sender":"SYSTEM","status":"stored","system_message":{"type":"NETWORK_ERROR","summary":"The AI could not be reached: no route"}}}`)
	f.phase("IDLE", "idle")
	if err := f.ends(); err == nil || !strings.Contains(err.Error(), "no route") {
		t.Fatalf("ended with %v", err)
	}
}

func TestQuestionsAreUnderstood(t *testing.T) {
	module := func(kind, data string) string {
		return `{"id":"apr_q","kind":"question","status":"open","module":{"type":"` + kind + `","data":` + data + `}}`
	}
	form := module("Form", `{"schema":{"type":"object","required":["name"],"properties":{"name":{"type":"string","title":"Name"},"age":{"type":"integer"},"unit":{"enum":["kg","lb"]},"daily":{"type":"boolean"}}}}`)
	cases := map[string]struct {
		approval string
		lines    []string
		want     string
		asked    string // a question on the way
	}{
		"a choice by number":     {module("MultipleChoice", `{"question":"q","options":["red","blue"]}`), []string{"3", "2"}, `{"value":"blue"}`, "Number (or /cancel):"},
		"a choice by name":       {module("MultipleChoice", `{"options":["red","blue"]}`), []string{"Blue"}, `{"value":"blue"}`, ""},
		"several":                {module("MultipleChoice", `{"options":["a","b","c"],"multiple":true}`), []string{"1, 3"}, `{"value":["a","c"]}`, ""},
		"several where one goes": {module("MultipleChoice", `{"options":["a","b"]}`), []string{"1,2", "/cancel"}, `{"cancelled":true}`, ""},
		"another":                {module("MultipleChoice", `{"options":["a","b"],"allow_other":true}`), []string{"green"}, `{"value":"green"}`, ""},
		"approved":               {module("Validation", `{"message":"sure?"}`), []string{"hm", "Oui"}, `{"value":true}`, ""},
		"a plan refused":         {module("Plan", `{"steps":["a"]}`), []string{"non"}, `{"value":false}`, ""},
		"a text":                 {module("Text", `{"question":"q"}`), []string{"seven"}, `{"value":"seven"}`, ""},
		"a form":                 {form, []string{"Ann", "x", "41", "2", "-"}, `{"value":{"age":41,"name":"Ann","unit":"lb"}}`, "unit (1 kg, 2 lb) (- for none):"},
		"an unknown module":      {module("Slider", `{"min":1}`), []string{"5"}, `{"value":"5"}`, ""},
		"a budget":               {`{"id":"a","kind":"budget"}`, []string{"yes"}, `{"approved":true}`, ""},
		"a budget refused":       {`{"id":"a","kind":"budget"}`, []string{"n too much"}, `{"approved":false,"comment":"too much"}`, ""},
		"approved with a but":    {`{"id":"a","kind":"actions","actions":[{},{}]}`, []string{"yes but not today", "no: not today"}, `{"approved":false,"comment":"not today"}`, ""},
		"completion":             {`{"id":"a","kind":"completion"}`, []string{"February is missing"}, `{"comment":"February is missing","confirmed":false}`, ""},
		"outcome":                {`{"id":"a","kind":"outcome"}`, []string{"again"}, `{"outcome":"run_again"}`, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			q := newAsking(decodeApproval(t, c.approval))
			var asked []string
			for i, line := range c.lines {
				asked = append(asked, q.question())
				answer, _ := q.feed(line)
				if i < len(c.lines)-1 {
					if answer != nil {
						t.Fatalf("%q was taken for an answer: %v", line, answer)
					}
					continue
				}
				if got, _ := json.Marshal(answer); string(got) != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			}
			if c.asked != "" && !strings.Contains(strings.Join(asked, "\n"), c.asked) {
				t.Errorf("asked %q", asked)
			}
		})
	}
}

// A program that talks gets each event as a line of JSON, and nothing between them.
func TestChatForAProgramPrintsEventsOnly(t *testing.T) {
	f := startChat(t, Command{ClientFlags: command.ClientFlags{Output: "json"}, Message: "hello"}, true)
	f.request("POST /v1/sessions/ses_1/messages")
	f.phase("CALLING_AI", "running")
	f.says(0, "Good ")
	f.answered("Good day.")
	f.phase("IDLE", "idle")
	if err := f.ends(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for text := range strings.Lines(f.out.String()) {
		var line struct {
			ID    int64           `json:"id"`
			Event string          `json:"event"`
			Data  json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		names = append(names, line.Event)
	}
	if got := strings.Join(names, " "); got != "session.phase message.delta message.created session.phase" {
		t.Errorf("events: %s", got)
	}
}
