package testkit

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// guarded is a program that ends with the test, even if the test is killed.
type guarded struct {
	cmd   *exec.Cmd
	stdin io.Closer
	pid   int // of the program itself
}

// guard starts a program that writes to a log file. A shell is its parent, and stops it when the shell's
// standard input ends.
func guard(t testing.TB, as account, log, program string, args ...string) *guarded {
	t.Helper()
	const script = `"$0" "$@" >>"$LOG" 2>&1 & pid=$!; echo $pid; read -r _; kill -TERM $pid 2>/dev/null; wait $pid`
	g := &guarded{cmd: exec.Command("/bin/sh", append([]string{"-c", script, program}, args...)...)}
	as.run(g.cmd)
	g.cmd.Env = append(os.Environ(), "LOG="+log)
	var err error
	if g.stdin, err = g.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := g.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err == nil {
		g.pid, err = strconv.Atoi(strings.TrimSpace(line))
	}
	if err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	return g
}

// kill kills the program, as a power failure would.
func (g *guarded) kill() {
	kill(g.pid)
	g.end()
}

// end stops the program gracefully, and waits for it.
func (g *guarded) end() {
	_ = g.stdin.Close()
	_ = g.cmd.Wait() // its exit status does not matter
}

func kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // it may have ended already
	}
}

// childrenOf lists the child processes of a process, where the system supports it.
func childrenOf(parent int) (pids []int) {
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		var pid, ppid int
		var state string
		_, rest, found := strings.Cut(string(text), ") ") // the name may have spaces
		if _, err := fmt.Sscan(string(text), &pid); err != nil || !found {
			continue
		}
		if _, err := fmt.Sscan(rest, &state, &ppid); err == nil && ppid == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// tailOf is the end of a log file, for a failure message.
func tailOf(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-1500):])
}
