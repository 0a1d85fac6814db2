package outside

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// process is the server as a process of its own, on one database, which can be killed.
type process struct {
	t   testing.TB
	dir string
	url string
	cmd *exec.Cmd
	// kills counts how often it was.
	kills int
}

func newProcess(t testing.TB) *process {
	t.Helper()
	p := &process{t: t, dir: t.TempDir()}
	p.start()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // the test is over
		_ = p.cmd.Wait()
	})
	return p
}

func (p *process) start() {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd = exec.Command(self, "serve", "--listen=127.0.0.1:0", "--data-dir="+p.dir)
	p.cmd.Env = append(os.Environ(), childVariable+"=1", "FERMATA_DATABASE_URL=", "FERMATA_NODE_ID=test", "FERMATA_SHUTDOWN_GRACE=1s")
	log, err := p.cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(log)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var line struct{ URL, Message string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == "Fermata is ready" {
				ready <- line.URL
			}
		}
	}()
	select {
	case p.url = <-ready:
	case <-time.After(harness.Patience):
		p.t.Fatal("the server does not start")
	}
}

// kill ends the process with SIGKILL, and starts another one on the same data.
func (p *process) kill() {
	p.t.Helper()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.kills++
	p.start()
}

// workspace is one of a process, as its administrator sees it.
type workspace struct {
	*process
	id string
}

func (p *process) workspace(id string) *workspace {
	p.t.Helper()
	w := &workspace{process: p, id: id}
	w.must(201, "POST", "/v1/workspaces", map[string]any{"id": id})
	return w
}

// must makes a call, wants this status and gives the answer.
func (w *workspace) must(status int, method, path string, body any) map[string]any {
	w.t.Helper()
	got, answer := w.call(method, path, body)
	if got != status {
		w.t.Fatalf("%s %s: %d, want %d: %v", method, path, got, status, answer)
	}
	return answer
}

func (w *workspace) call(method, path string, body any) (status int, answer map[string]any) {
	w.t.Helper()
	var in io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			w.t.Fatal(err)
		}
		in = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, w.url+path, in)
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Fermata-Workspace", w.id)
	if path == "/v1/workspaces" {
		request.Header.Del("Fermata-Workspace")
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil && response.StatusCode != http.StatusNoContent {
		w.t.Fatalf("%s %s: %d, read the answer: %v", method, path, response.StatusCode, err)
	}
	return response.StatusCode, answer
}

// rest waits until a session has nothing more to do without a person, and gives its status.
func (w *workspace) rest(session string) string {
	w.t.Helper()
	status := ""
	testkit.Until(w.t, "the session rests or waits", func() bool {
		status = str(w.must(200, "GET", "/v1/sessions/"+session, nil), "status")
		return status == "idle" || status == "requires_action" || status == "ended"
	})
	return status
}

// open are the approvals that wait.
func (w *workspace) open() []map[string]any {
	w.t.Helper()
	return list(w.must(200, "GET", "/v1/approvals?status=open", nil), "data")
}

func str(of map[string]any, path ...string) string {
	for i, name := range path {
		if i == len(path)-1 {
			text, _ := of[name].(string)
			return text
		}
		of, _ = of[name].(map[string]any)
	}
	return ""
}

func list(of map[string]any, name string) []map[string]any {
	all, _ := of[name].([]any)
	maps := make([]map[string]any, 0, len(all))
	for _, one := range all {
		if m, ok := one.(map[string]any); ok {
			maps = append(maps, m)
		}
	}
	return maps
}

func lines(texts ...string) string { return strings.Join(texts, "\n") }

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprint("encode: ", err)) // maps and texts always marshal
	}
	return string(b)
}
