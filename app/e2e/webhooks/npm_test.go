package webhooks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// installed is the folder with the library of Standard Webhooks for JavaScript and the
// receiver that uses it. It is installed once.
func installed(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("there is no %s; scripts/need node gets it", tool)
			}
			t.Skipf("there is no %s; scripts/need node gets it", tool)
		}
	}
	script, err := filepath.Abs("../../../examples/webhooks/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(script).CombinedOutput()
	if err != nil {
		t.Fatalf("install the library: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out[bytes.LastIndexByte(bytes.TrimSpace(out), '\n')+1:]))
}

// node is examples/webhooks/receiver.mjs as a process.
type node struct {
	url   string
	mu    sync.Mutex
	taken []string
	wrong []string
}

func startNode(t *testing.T, folder, secret string) *node {
	t.Helper()
	command := exec.Command("node", "receiver.mjs")
	command.Dir, command.Env = folder, append(os.Environ(), "PORT=0", "WEBHOOK_SECRET="+secret)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	beside, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	n := &node{}
	var readers sync.WaitGroup
	t.Cleanup(func() { _ = command.Process.Kill(); readers.Wait(); _ = command.Wait() })
	said := bufio.NewScanner(beside)
	if said.Scan() {
		n.url = said.Text()
	}
	keep := func(lines *bufio.Scanner, to *[]string) {
		for lines.Scan() {
			n.mu.Lock()
			*to = append(*to, lines.Text())
			n.mu.Unlock()
		}
	}
	readers.Go(func() { keep(bufio.NewScanner(out), &n.taken) })
	readers.Go(func() { keep(said, &n.wrong) })
	return n
}

func (n *node) lines() (taken, wrong []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.taken...), append([]string(nil), n.wrong...)
}

// The library that others wrote for JavaScript takes what we sign, also while a secret is
// being replaced, and refuses it afterwards.
func TestTheLibraryForJavaScript(t *testing.T) {
	folder := installed(t)
	s := harness.NewServer(t, harness.Databases["sqlite"](t))
	made := s.Call("POST", "/v1/webhooks", map[string]any{"url": "http://127.0.0.1:9", "types": all}).Want(201)
	id := made.Str("id")
	n := startNode(t, folder, made.Str("secret"))
	begun := int64(s.Call("PATCH", "/v1/webhooks/"+id, map[string]any{"url": n.url + "/hook"}).Want(200).At("sent_to").(float64))
	s.Call("POST", "/v1/webhooks/"+id+"/rotate", nil).Want(200)
	chat := s.Chat()
	s.Say(chat, "hello, é ☃ \u2028")
	s.Settle(chat)
	want := logged(s, begun, all...)
	testkit.Until(t, "everything to be taken", func() bool { taken, _ := n.lines(); return len(taken) >= len(want) })
	taken, wrong := n.lines()
	seen := map[int64]string{}
	for _, line := range taken {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		seen[m.Seq] = m.Type
	}
	for _, m := range want {
		if seen[m.Seq] != m.Type {
			t.Errorf("%d is %q there and %q in the log", m.Seq, seen[m.Seq], m.Type)
		}
	}
	if len(wrong) > 0 {
		t.Errorf("refused: %v", wrong)
	}
	s.Call("POST", "/v1/webhooks/"+id+"/rotate", nil).Want(200)
	if got := s.Call("POST", "/v1/webhooks/"+id+"/test", nil).Want(200); got.At("ok") != false || got.At("status") != 401.0 {
		t.Errorf("a message signed with other secrets: %s", got.Body)
	}
}
