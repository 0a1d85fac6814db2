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

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
)

func init() { playServer = play }

// play is a program that misbehaves as it is told: the test starts itself.
func play(mode string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	if mode == "greets" {
		fmt.Println("Hello! I am a server.\n\n[info] listening")
	}
	fmt.Fprint(os.Stderr, strings.Repeat("a lot to say\n", 10_000))
	for in.Scan() {
		var m wireMessage
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
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
		"writes no JSON":       "no message of the protocol",
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
				e, ok := errors.AsType[*domain.OutsideError](err)
				if !ok || e.Fault != domain.FaultDoubt || !strings.Contains(e.Message, want) {
					t.Errorf("%#v, cause %v", err, unwrap(err))
				}
			}
		})
	}
}

func TestOddPrograms(t *testing.T) {
	for _, mode := range []string{"greets", "silent", "answers twice", "stays"} {
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
		return err != nil || strings.Contains(string(state), ") Z ") // nobody reaps it here
	})
}
