//go:build linux

package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/testkit"
)

func init() { playServer = play }

// play is a program that misbehaves on request: the test starts itself.
func play(mode string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	if mode == "greets" {
		fmt.Println("Hello! I am a server.\n\n[info] listening")
	}
	fmt.Fprint(os.Stderr, strings.Repeat("a lot to say\n", 10_000))
	if before, known := playedBefore[mode]; known {
		fmt.Print(before)
	}
	begun := false
	if mode == "never starts" {
		fmt.Fprintf(os.Stderr, "\ncannot find module \"x\"\nkey %s\n", os.Getenv("A_KEY"))
		os.Exit(1)
	}
	if file := os.Getenv("FERMATA_TEST_STARTS"); file != "" {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = f.WriteString("x")
			_ = f.Close()
		}
	}
	for in.Scan() {
		var m wireMessage
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		if m.Method == methodInitialize {
			begun = true
		}
		if !begun {
			playUngreeted(mode, m)
		}
		if mode == "logs each request" {
			fmt.Println(`{"level":"debug","msg":"handling {\"jsonrpc\":\"2.0\"}"}`)
		}
		if mode == "ids as text" {
			m.ID = json.RawMessage(`"` + string(m.ID) + `"`)
		}
		switch m.Method {
		case methodDiscover:
			if mode != "silent" {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}`+"\n", m.ID)
			}
		case methodInitialize:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`+"\n", m.ID)
		case "tools/list":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`+"\n", m.ID, plainTool)
		case "tools/call":
			playCall(mode, m)
		}
	}
	if mode == "stays" {
		select {}
	}
}

// playedBefore is what programs write among their messages that is none.
var playedBefore = map[string]string{
	"a log in JSON":    `{"level":"info","msg":"started","time":1}` + "\n",
	"a Python dict":    "{'jsonrpc': '2.0', 'status': 'ready'}\n",
	"a banner":         "Server v1.2 on stdio\r\n",
	"a bar that moves": "\rloading  50%\rloading 100%\r",
	"a byte mark":      "\xef\xbb\xbf",
	"another version":  `{"version":"2.0","id":1}` + "\n",
	"a list":           "[1,2,3]\n",
	"colours":          "\x1b[32m{ready}\x1b[0m\n",
}

// playUngreeted is what programs do that were not greeted as they expect.
func playUngreeted(mode string, m wireMessage) {
	switch mode {
	case "exits":
		os.Exit(1)
	case "exits with words":
		fmt.Fprintf(os.Stderr, "Error: expected an initialize request first (key %s)\n", os.Getenv("A_KEY"))
		os.Exit(1)
	case "is killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "closes its output":
		_ = os.Stdout.Close()
		select {}
	case "answers without an id", "answers with no id at all":
		id := `"id":null,`
		if mode == "answers with no id at all" {
			id = ""
		}
		fmt.Printf(`{"jsonrpc":"2.0",%s"error":{"code":-32600,"message":"before initialization"}}`+"\n", id)
		for { // it has had enough of us
			time.Sleep(time.Hour)
		}
	}
}

func playCall(mode string, m wireMessage) {
	const answer = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}` + "\n"
	switch mode {
	case "dies":
		os.Exit(3)
	case "hangs":
		return
	case "writes no JSON":
		fmt.Println(`{"jsonrpc":`)
	case "writes ten megabytes":
		fmt.Println(`{"x":"` + strings.Repeat("x", 10<<20) + `"}`)
	case "answers another":
		fmt.Printf(answer, `"other"`)
	case "starts a child":
		child := exec.Command("sleep", "1000")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		_ = child.Start()
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%d"}]}}`+"\n", m.ID, child.Process.Pid)
	case "unfinished": // its last line has no end
		fmt.Print(strings.TrimSuffix(fmt.Sprintf(answer, m.ID), "\n"))
		os.Exit(0)
	case "answers twice":
		fmt.Printf(answer, m.ID)
		fmt.Printf(answer, m.ID)
	default:
		fmt.Printf(answer, m.ID)
	}
}

func playing(t *testing.T, mode string) *Connection {
	t.Helper()
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	return open(t, Config{Command: self, Env: map[string]string{"FERMATA_TEST_SERVER": mode}})
}

// Each costs its own call, says what it means, and the next call has a new process.
func TestHostilePrograms(t *testing.T) {
	for mode, want := range map[string]string{
		"dies":                 "ended before it answered",
		"hangs":                "in time",
		"writes no JSON":       "invalid protocol message",
		"writes ten megabytes": "more than 8 MiB",
		"answers another":      "in time",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := playing(t, mode)
			for range 2 {
				list(t, c)
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				_, err := try(ctx, c, doIt(""), `{}`)
				cancel()
				e, ok := errors.AsType[*outside.Error](err)
				if !ok || e.Fault != outside.FaultUnknown || !strings.Contains(e.Message, want) {
					t.Errorf("%#v, cause %v", err, unwrap(err))
				}
			}
		})
	}
}

func TestOddPrograms(t *testing.T) {
	modes := []string{
		"greets", "silent", "answers twice", "stays", "logs each request", "ids as text", "exits", "exits with words", "is killed",
		"closes its output", "answers without an id", "answers with no id at all", "unfinished",
	}
	for mode := range playedBefore {
		modes = append(modes, mode)
	}
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := playing(t, mode)
			for range 2 {
				if r, err := try(t.Context(), c, doIt(""), `{}`); err != nil || r.Text != "done" {
					t.Errorf("%+v %v (%v)", r, err, unwrap(err))
				}
			}
		})
	}
}

// What a program wrote before it ended is shown to those who look after the connector, and not to
// the AI; its secrets are not.
func TestWhatAProgramWrote(t *testing.T) {
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{Command: self, Env: map[string]string{"FERMATA_TEST_SERVER": "never starts", "A_KEY": "secret-0123456789"}})
	_, err = c.List(t.Context())
	e, ok := errors.AsType[*outside.Error](err)
	if !ok || e.Fault != outside.FaultNotSent || !strings.Contains(e.Message, "ended before it answered") {
		t.Fatalf("%v", err)
	}
	if !strings.HasSuffix(e.Said, `cannot find module "x" / key (hidden)`) || strings.Contains(e.Message, "module") {
		t.Errorf("said %q in %q", e.Said, e.Message)
	}
}

// A program that ends when it is greeted in the new way is greeted in the old way from then on.
func TestHabits(t *testing.T) {
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	starts := filepath.Join(t.TempDir(), "starts")
	kind := Kind(KindOptions{Version: "1", AllowStdio: func(context.Context) bool { return true }})
	config, err := json.Marshal(map[string]any{"command": self, "env": map[string]string{"FERMATA_TEST_SERVER": "exits", "FERMATA_TEST_STARTS": starts}})
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range []int{2, 1, 1} {
		before, _ := os.ReadFile(starts)
		c, err := kind.Open(t.Context(), connectors.Opening{Connector: &outside.Connector{ID: "con_1", Config: config}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.List(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(starts)
		if got := len(after) - len(before); err != nil || got != want {
			t.Errorf("round %d: started %d times, want %d (%v)", round, got, want, err)
		}
	}
}

// What a program started is killed with it.
func TestChildrenAreKilled(t *testing.T) {
	c := playing(t, "starts a child")
	r, err := try(t.Context(), c, doIt(""), `{}`)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(r.Text)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the child does not run: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	testkit.Until(t, "the child is gone", func() bool {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(state), ") Z ") // it is not reaped here
	})
}
