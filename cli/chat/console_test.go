//go:build unix

package chat

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/internal/testkit/terminal"
)

// consoleChat is a chat in a terminal.
type consoleChat struct {
	*fakeChat
	*terminal.Terminal
}

// startConsole begins a chat in a terminal with so many rows.
func startConsole(t *testing.T, c Command, rows int, change ...func(*command.Context)) *consoleChat {
	t.Helper()
	f := &consoleChat{fakeSession(t), terminal.Open(t, 60, rows)}
	f.Done = func() (error, bool) {
		select {
		case err := <-f.done:
			return err, true
		default:
			return nil, false
		}
	}
	t.Setenv("TERM", "xterm-256color")
	cc, errors := clitest.Context(t, f.TTY)
	cc.Out, cc.Interactive, cc.Terminal, cc.Colour = f.TTY, true, true, true
	for _, set := range change {
		set(cc)
	}
	f.out = errors
	c.ClientFlags = f.Flags()
	go func() { f.done <- c.Run(cc) }()
	f.Shows("> ")
	return f
}

// left waits for the end, and looks whether the terminal is as it was.
func (f *consoleChat) left() {
	f.t.Helper()
	if err := f.ends(); err != nil {
		f.t.Fatal(err)
	}
	f.Restored()
}

func (f *consoleChat) messages(n int) []clitest.Request {
	f.t.Helper()
	const route = "POST /v1/sessions/ses_1/messages"
	deadline := time.After(20 * time.Second)
	for len(f.Seen(route)) < n {
		select {
		case <-deadline:
			f.t.Fatalf("%d messages, want %d", len(f.Seen(route)), n)
		case <-time.After(2 * time.Millisecond):
		}
	}
	return f.Seen(route)
}

// What is typed while an answer streams stays below it; what streams stays whole.
func TestConsoleKeepsTypingAndAnswersApart(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	f := startConsole(t, Command{}, 24)
	f.Press("hello\r")
	f.messages(1)
	f.phase("CALLING_AI", "running")
	answer := ""
	for i, piece := range []string{"The **fir", "st** par", "t.\n\nThe sec", "ond `co", "de` part", "\n\n```go\nx := 1\n", "```\n\nThe end"} {
		f.says(len([]rune(answer)), piece)
		answer += piece
		f.Press(string(rune('a' + i)))
		f.Shows("> " + "abcdefg"[:i+1])
	}
	f.Shows("  x := 1", "", "The end", "· thinks", "> abcdefg")
	f.Press("\r")
	f.Shows("The end", "> abcdefg", "· thinks", ">") // it waits for the part that comes in
	f.messages(2)
	f.answered(answer + ".")
	f.phase("IDLE", "idle")
	f.Shows("> hello", "session ses_1", "The first part.", "", "The second code part", "", "  x := 1", "", "The end.", "", "> abcdefg", ">")
	f.Press("anything\x01\x0bnothing")
	f.Shows("> nothing")
	f.Press("\x15\x04")
	f.left()
}

// An answer that is longer than the terminal loses no line.
func TestConsoleShowsALongAnswerWhole(t *testing.T) {
	f := startConsole(t, Command{Message: "", History: false}, 10)
	f.Press("hello\r")
	f.messages(1)
	var lines []string
	for i := range 60 {
		lines = append(lines, "- line "+string(rune('0'+i/10))+string(rune('0'+i%10)))
	}
	f.answered(strings.Join(lines, "\n"))
	f.phase("IDLE", "idle")
	f.Shows("• line 59", "", ">")
	// Lines above the foot are written whole, and each clears what was there.
	shown := regexp.MustCompile(`line (\d\d)(?:\x1b\[[0-9;]*m)*\x1b\[K`).FindAllStringSubmatch(f.Written(), -1)
	var got []string
	for _, line := range shown {
		got = append(got, "- line "+line[1])
	}
	if !slices.Equal(got, lines) {
		t.Errorf("%d lines: %q", len(got), got)
	}
	f.Press("\x04")
	f.left()
}

// Several lines: pasted, by their keys, by a backslash. None is sent before the Enter key.
func TestConsoleTakesSeveralLines(t *testing.T) {
	f := startConsole(t, Command{}, 24)
	f.Press("\x1b[200~one\r\ntwo\rthree\x1b[201~\x1b\rfour\nfive\\\rsix")
	f.Shows("> one", "  two", "  three", "  four", "  five", "  six")
	if n := len(f.Seen("POST")); n != 0 {
		t.Fatalf("%d requests before the Enter key", n)
	}
	f.Press("\r")
	if got := f.messages(1)[0].Body; got != `{"text":"one\ntwo\nthree\nfour\nfive\nsix"}` {
		t.Errorf("sent %s", got)
	}
	f.Press("/quit\r")
	f.left()
}

// What was typed is there again in the next chat, for its owner alone; not what begins with a
// space, and nothing with --no-history.
func TestConsoleHasAHistory(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	f := startConsole(t, Command{History: true}, 24)
	f.Press("first\\\rline\r")
	f.messages(1)
	f.Press(" my secret\r")
	f.messages(2)
	f.Press("\x1b[A")
	f.Shows(">  my secret")
	f.Press("\x1b[A")
	f.Shows("> first", "  line")
	f.Press("\x1b[B\x1b[B\x1b[B")
	f.Shows(">")
	f.Press("/quit\r")
	f.left()
	path := filepath.Join(state, "fermata", "chat-history")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	if text, _ := os.ReadFile(path); string(text) != "\"first\\nline\"\n\"/quit\"\n" {
		t.Errorf("kept %s", text)
	}
	f = startConsole(t, Command{History: true}, 24)
	f.Press("fi\x1b[A")
	f.Shows("> first", "  line")
	f.Press("\x03")
	f.Shows(">")
	f.Press("\x04")
	f.left()
	f = startConsole(t, Command{History: false}, 24)
	f.Press("\x1b[Ax")
	f.Shows("> x")
	f.Press("\x15\x04")
	f.left()
}

// A question arrives during typing: the unfinished message is no answer to it.
func TestConsoleAsksInItsPlace(t *testing.T) {
	f := startConsole(t, Command{}, 40)
	f.Press("hello\r")
	f.messages(1)
	f.Press("half a mess")
	f.Shows("> half a mess")
	f.phase("WAITING_VALIDATION", "requires_action")
	f.emit("approval.requested", oneLineJSON(weightApproval))
	f.Shows("└ apr_1", "Approve? [y / n / edit / some: 1,3 / n and a comment]", ">")
	f.Press("hm\r")
	f.Shows("> hm", "Please enter y or n. Nothing has been done.", "Approve? [y / n / edit / some: 1,3 / n and a comment]", ">")
	f.Press("y\r")
	f.request("POST /v1/approvals/apr_1")
	if got := f.Seen("POST /v1/approvals/apr_1")[0].Body; got != `{"approved":true}` {
		t.Errorf("sent %s", got)
	}
	f.Shows("> y", "> half a mess")
	f.phase("IDLE", "idle")
	f.Press("age\r")
	if got := f.messages(2)[1].Body; got != `{"text":"half a message"}` {
		t.Errorf("sent %s", got)
	}
	f.Press("\x04")
	f.left()
}

// Ctrl-C interrupts the round and keeps what was said; the second one leaves.
func TestConsoleIsInterrupted(t *testing.T) {
	f := startConsole(t, Command{}, 24)
	f.Press("hello\r")
	f.messages(1)
	f.phase("CALLING_AI", "running")
	f.says(0, "A long story")
	f.Shows("A long story", "· thinks", ">")
	f.Press("\x03")
	f.request("POST /v1/sessions/ses_1/interrupt")
	f.Shows("A long story", "(interrupting; Ctrl-C again exits)", "· thinks", ">")
	f.Press("\x03")
	f.left()
}

// Nothing that a server says steers the terminal, whichever way it is written.
func TestConsoleIsNotSteered(t *testing.T) {
	const steer = "\x1b]0;owned\x07\x1b[41;17H\x9b41;17H\u009b41;17H"
	f := startConsole(t, Command{}, 40)
	f.Press("hello\r")
	f.messages(1)
	f.phase("CALLING_AI", "running")
	text := "a" + steer + "b &#27;]0;owned&#7; &#x1b;[41;17H \\&#27;[41;17H [x](http://h/&#27;]0;owned&#7;) <b>bold</b> `<i>` &rlm;\n\n" +
		"    &#27;[41;17H\n\n```\n&#27;[41;17H " + steer + "\n```\n\n| a |\n|---|\n| &#27;[41;17H <u> |\n\n<script>\nx &#27;[41;17H\n</script>\n\nlast"
	f.says(0, text)
	f.emit("notice", oneLineJSON(`{"level":"warning","code":"x","text":"n\u001b[41;17H"}`))
	f.emit("approval.requested", oneLineJSON(`{"approval":{"id":"apr_1","session_id":"ses_1","kind":"question","status":"open","module":{"type":"Text","data":{"question":"q\u001b]0;owned\u0007\u001b[41;17H"}}}}`))
	f.Shows("└ apr_1", "· thinks", "Your answer (or /cancel):", ">")
	clitest.Wants(t, strings.Join(f.Rows(), "\n"), `a\u001b]0;owned\u0007\u001b[41;17H`, "<b>bold</b>", "<i>", "<script>", "last", `q\u001b]0;owned`)
	if title := f.Title(); title != "" {
		t.Errorf("the title is %q", title)
	}
	for _, bad := range []string{"\x1b[41;17H", "\x1b]0;", "\u009b", "\x1b]8;", "\u200f"} {
		if strings.Contains(f.Written(), bad) {
			at := strings.Index(f.Written(), bad)
			t.Errorf("%q reached the terminal: %q", bad, f.Written()[max(0, at-30):at+len(bad)])
		}
	}
	f.Press("\x04")
	f.left()
}

// NO_COLOR leaves bold and faint, and no colour.
func TestConsoleWithoutColours(t *testing.T) {
	f := startConsole(t, Command{}, 24, func(cc *command.Context) { cc.Colour = false })
	f.Press("hello\r")
	f.messages(1)
	f.answered("# Head\n\n**bold** `code`\n\n```go\nfunc main() {}\n```")
	f.phase("IDLE", "idle")
	f.Shows("  func main() {}", "", ">")
	for _, style := range regexp.MustCompile(`\x1b\[([0-9;:]*)m`).FindAllStringSubmatch(f.Written(), -1) {
		for code := range strings.FieldsFuncSeq(style[1], func(r rune) bool { return r == ';' || r == ':' }) {
			if len(code) == 2 && strings.ContainsAny(code[:1], "3490") || len(code) == 3 {
				t.Errorf("a colour: %q", style[0])
			}
		}
	}
	f.Press("\x04")
	f.left()
}

// The server dies during a chat: a message that is sent is kept and sent once, under one key,
// when it is back; what cannot be sent is theirs again.
func TestConsoleLosesNothingWhileTheServerIsAway(t *testing.T) {
	f := startConsole(t, Command{}, 30)
	f.Press("hello\r")
	f.messages(1)
	f.answered("Good day.")
	f.phase("IDLE", "idle")
	f.Shows("Good day.", "", ">")
	f.Away.Store(true)
	f.Press("are you there?\r")
	f.Shows("> are you there?", "· server unreachable; your message is kept and sent later", ">")
	f.Press("typed meanwhile")
	f.Shows("> typed meanwhile")
	first := <-f.Lost
	f.Away.Store(false)
	f.messages(2)
	for len(f.Lost) > 0 {
		if again := <-f.Lost; again != first {
			t.Errorf("sent under %s, and under %s", first, again)
		}
	}
	f.Shows("> are you there?", "> typed meanwhile")
	f.Away.Store(true)
	f.Press("\r")
	f.Shows("· server unreachable; your message is kept and sent later", ">")
	f.Press("\x03")
	f.Shows("(given up; it may have arrived)", "> typed meanwhile")
	f.Away.Store(false)
	f.Press("\r")
	if got := f.messages(3)[2].Body; got != `{"text":"typed meanwhile"}` {
		t.Errorf("sent %s", got)
	}
	f.Press("\x04")
	f.left()
}
