package outside

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// process is the server as a process of its own, on one database.
type process struct{ *harness.Process }

func newProcess(t testing.TB) *process {
	t.Helper()
	return &process{harness.NewProcess(t, harness.Databases["sqlite"](t))}
}

// workspace is one of a process, as its administrator sees it.
type workspace struct {
	*process
	id string
}

func (p *process) workspace(id string) *workspace {
	p.T.Helper()
	w := &workspace{process: p, id: id}
	w.must(201, "POST", "/v1/workspaces", map[string]any{"id": id})
	return w
}

// must makes a call, wants this status and gives the answer.
func (w *workspace) must(status int, method, path string, body any) map[string]any {
	w.T.Helper()
	got, answer := w.call(method, path, body)
	if got != status {
		w.T.Fatalf("%s %s: %d, want %d: %v", method, path, got, status, answer)
	}
	return answer
}

func (w *workspace) call(method, path string, body any) (status int, answer map[string]any) {
	w.T.Helper()
	var in io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			w.T.Fatal(err)
		}
		in = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, w.URL+path, in)
	if err != nil {
		w.T.Fatal(err)
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
		w.T.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil && response.StatusCode != http.StatusNoContent {
		w.T.Fatalf("%s %s: %d, read the answer: %v", method, path, response.StatusCode, err)
	}
	return response.StatusCode, answer
}

// rest waits until a session has nothing more to do without a person, and gives its status.
func (w *workspace) rest(session string) string {
	w.T.Helper()
	status := ""
	testkit.Until(w.T, "the session rests or waits", func() bool {
		status = str(w.must(200, "GET", "/v1/sessions/"+session, nil), "status")
		return status == "idle" || status == "requires_action" || status == "ended"
	})
	return status
}

// open are the approvals that wait.
func (w *workspace) open() []map[string]any {
	w.T.Helper()
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
