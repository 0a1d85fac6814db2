//go:build unix

package terminal

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/internal/testkit/terminal"
)

// scripted is an editor that writes given texts, one per call, and records its input. "waits" is ended by Ctrl-C.
func scripted(t *testing.T, leaves ...string) (given func(n int) string) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range leaves {
		if err := os.WriteFile(filepath.Join(dir, "leaves."+strconv.Itoa(i+1)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "an editor")
	script := `#!/bin/sh
cd "$(dirname "$0")"
n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > n
cp "$2" "given.$n"
case $(cat "leaves.$n") in
  waits) echo "editing"; sleep 60 ;;
  *) cat "leaves.$n" > "$2" ;;
esac
`
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", "'"+program+"' --wait")
	return func(n int) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, "given."+strconv.Itoa(n)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// program runs a command of the command line in a terminal of its own, as a shell does.
func program(t *testing.T, args ...string) (screen *terminal.Terminal, ended func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TERM", "xterm-256color")
	screen = terminal.Open(t, 100, 40)
	cmd := exec.Command(self, args...)
	cmd.Env = append(harness.Child(), "FERMATA_CHAT_HISTORY=false")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = screen.TTY, screen.TTY, screen.TTY
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return screen, func() {
		t.Helper()
		if err := <-done; err != nil {
			t.Errorf("%v; it wrote %q", err, screen.Written())
		}
	}
}

// waiting is a server with a pending approval for a zone named Health.
func waiting(t *testing.T) (s *harness.Server, approval string) {
	t.Helper()
	s = harness.NewServer(t, harness.Databases["sqlite"](t))
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	session := s.Chat()
	s.Say(session, "create a zone Health")
	return s, s.Card().Str("id")
}

func zones(s *harness.Server) string {
	s.T.Helper()
	var names []string
	for _, zone := range s.Call("GET", "/v1/zones", nil).Want(200).List("data") {
		names = append(names, zone.(map[string]any)["name"].(string))
	}
	return strings.Join(names, " ")
}

// Before approving, the person changes the actions in their own editor: invalid edits, and those that the server
// rejects, are shown again as typed with the problem; Ctrl-C in the editor decides nothing; and exactly what was
// shown is done.
func TestAnActionIsEditedBeforeTheYes(t *testing.T) {
	given := scripted(t, "{\"name\": ", "{\"name\": 7}", "{\"name\": \"Wellness\"}", "waits")
	s := harness.NewServer(t, harness.Databases["sqlite"](t))
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	screen, ended := program(t, "chat", "--url="+s.URL)
	screen.Shows(">")
	screen.Press("create a zone Health\r")
	screen.Has("Add the zone", "Approve? [y / n / edit / n and a comment]")
	screen.Press("e\r")
	screen.Has("as you edited it:", "name: Health -> 7", "Approve as edited?")
	if open := s.Call("GET", "/v1/approvals?status=open", nil).Want(200).List("data"); len(open) != 1 {
		t.Fatalf("an editor decided: %v", open)
	}
	screen.Press("y\r")
	screen.Has("/name", "name: Health -> Wellness", "Approve as edited?")
	screen.Press("e\r")
	screen.Has("editing")
	screen.Press("\x03")
	screen.Has("nothing was decided", "Approve as edited?")
	if now := zones(s); now != "" {
		t.Fatalf("the zones are %q before the approval", now)
	}
	screen.Press("y\r")
	screen.Has("✓ Added the zone “Wellness”")
	screen.Shows(">")
	screen.Press("\x04")
	ended()
	screen.Restored()
	if now := zones(s); now != "Wellness" {
		t.Errorf("the zones are %q", now)
	}
	for n, want := range map[int][]string{
		1: {"// Add the zone “Health” (", "// Change the text below", "\"name\": \"Health\""},
		2: {"// ! this is not JSON: it is incomplete", "\n{\"name\": "},
		3: {"// ! /name", "\n{\"name\": 7}"},
		4: {"\n{\"name\": \"Wellness\"}"},
	} {
		for _, part := range want {
			if !strings.Contains(given(n), part) {
				t.Errorf("the editor is given, the time %d, without %q:\n%s", n, part, given(n))
			}
		}
	}
}

// Without an editor the values are requested one by one. Ctrl-C ends that without a decision.
func TestWithoutAnEditorValuesAreAskedFor(t *testing.T) {
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "")
	s := harness.NewServer(t, harness.Databases["sqlite"](t))
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	screen, ended := program(t, "chat", "--url="+s.URL)
	screen.Shows(">")
	screen.Press("create a zone Health\r")
	screen.Has("Approve? [y / n / edit")
	screen.Press("edit\r")
	screen.Has("name, now \"Health\" (. keeps it, - removes it):")
	screen.Press("\x03")
	screen.Has("(not edited; nothing was decided)", "Approve? [y / n / edit")
	screen.Press("edit\r")
	screen.Has("(not edited", "name, now \"Health\"")
	screen.Press("Rest\r")
	screen.Has("name: Health -> Rest", "Approve as edited?")
	screen.Press("y\r")
	screen.Has("> Rest", "Add the zone “Health”, as you edited it:", "✓ Added the zone “Rest”")
	screen.Shows(">")
	screen.Press("\x04")
	ended()
	if now := zones(s); now != "Rest" {
		t.Errorf("the zones are %q", now)
	}
}

// fermata approve ID --edit: the editor first, then the question.
func TestApproveWithAnEdit(t *testing.T) {
	scripted(t, "{\"name\": 7}", "{\"name\": \"Calm\"}")
	s, approval := waiting(t)
	screen, ended := program(t, "approve", approval, "--edit", "--url="+s.URL)
	screen.Has("Health", "name: Health -> 7", "Approve as edited?")
	screen.Press("y\r")
	screen.Has("/name", "name: Health -> Calm", "Approve as edited?")
	screen.Press("y\r")
	ended()
	testkit.Until(t, "the zone is made as it was edited", func() bool { return zones(s) == "Calm" })
}
