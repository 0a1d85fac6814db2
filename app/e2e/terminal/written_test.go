//go:build unix

package terminal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/internal/clock"
)

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestListsOntoAFullDisk: an incomplete list is a failure; so is a new key that was not printed. An error of the
// server takes precedence.
func TestListsOntoAFullDisk(t *testing.T) {
	s := harness.NewServer(t, harness.Databases["sqlite"](t))
	s.Say(s.Chat(), "create a zone Health")
	typed := func(line string) error {
		return harness.CommandLine(&command.Context{
			Context: t.Context(), Version: "dev", In: strings.NewReader(""), Out: fullDisk{}, Errors: io.Discard, Clock: clock.System,
		}, append(strings.Fields(line), "--url="+s.URL)...)
	}
	for _, line := range []string{
		"sessions list", "automations list", "webhooks list", "connectors list", "files list", "tasks list", "agents list",
		"providers list", "providers kinds", "keys list", "data zones", "data tools", "data documents", "settings", "approve", "health",
	} {
		for _, output := range []string{"", " -o json"} {
			err := typed(line + output)
			if command.ExitCode(err) != 1 || err.Error() != "the output could not be written completely: no space left on device" {
				t.Errorf("%s%s: exit code %d, %v", line, output, command.ExitCode(err), err)
			}
		}
	}
	if err := typed("chat -m hello"); command.ExitCode(err) != 1 || !strings.Contains(err.Error(), "could not be written completely") {
		t.Errorf("chat: %v", err)
	}
	if err := typed("agents show agt_none"); command.ExitCode(err) != 4 || strings.Contains(err.Error(), "completely") {
		t.Errorf("what is not there: %v", err)
	}
	if err := typed("keys create mine --role admin"); command.ExitCode(err) != 1 || !strings.Contains(err.Error(), "could not be written completely") {
		t.Errorf("a key: %v", err)
	}
}

// TestWhereOutputGoesNowhere: the program itself, with output to a device that is always full, and to a pipe
// whose reader has gone, as with | head -1.
func TestWhereOutputGoesNowhere(t *testing.T) {
	run := func(out *os.File, args ...string) (error, string) {
		var beside bytes.Buffer
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
		cmd.Env, cmd.Stdout, cmd.Stderr = harness.Child(), out, &beside
		return cmd.Run(), beside.String()
	}
	for _, line := range []string{"", "--help", "help", "help chat", "providers --help"} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Log("no full disk here:", err)
			break
		}
		err, beside := run(full, strings.Fields(line)...)
		_ = full.Close()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != 1 || strings.Count(beside, "\n") != 1 ||
			!strings.Contains(beside, "the output could not be written completely") || !strings.Contains(beside, "no space left on device") {
			t.Errorf("fermata %s: %v, %s", line, err, beside)
		}
	}
	for _, line := range []string{"--help", "help chat"} {
		read, written, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = read.Close()
		err, beside := run(written, strings.Fields(line)...)
		_ = written.Close()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGPIPE || beside != "" {
			t.Errorf("fermata %s into a closed pipe: %v, %s", line, err, beside)
		}
	}
}
