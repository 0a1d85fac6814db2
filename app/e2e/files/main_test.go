package files

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

func TestMain(m *testing.M) {
	harness.MainOrChild(m, &struct {
		Serve serve `cmd:""`
	}{})
}

// serve is the command that serves, in a process that a test may kill.
type serve struct {
	app.Config `embed:""`
}

// Run serves until the process ends.
func (c *serve) Run() error {
	c.TestHooks = app.Hooks{AroundCommit: fuse(filepath.Join(c.DataDir, fuseFile)).commit}
	return app.Serve(c.Config)
}

// fuse kills the process around the COMMIT that stores a file, once it is armed by a file that
// says when: before it is sent, or after the database said that it was carried out.
type fuse string

const (
	fuseFile = "fuse"
	// before and after the COMMIT of an upload.
	before = "before"
	after  = "after"
)

func (f fuse) commit(commit func() error) error {
	armed, _ := os.ReadFile(string(f)) // mostly there is none
	if len(armed) == 0 || !storesFile() {
		return commit()
	}
	if err := os.Remove(string(f)); err != nil {
		return err
	}
	if string(armed) == before {
		die()
	}
	err := commit()
	die()
	return err
}

// storesFile reports whether the COMMIT that the caller is about to send stores a file: its own, or, on SQLite, that
// of a transaction that shares the COMMIT and waits for it.
func storesFile() bool {
	const insert = ").InsertFile("
	if bytes.Contains(debug.Stack(), []byte(insert)) {
		return true
	}
	var all bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&all, 2)
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, insert) && strings.Contains(stack, "(*writer).attempt(") && !strings.Contains(stack, "(*gate).enter(") {
			return true
		}
	}
	return false
}

func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = self.Kill() // nothing after this line runs
	}
	select {}
}

// vendor records its requests, and answers that it has seen them.
type vendor struct {
	url    string
	mu     sync.Mutex
	bodies []string
}

func newVendor(t *testing.T) *vendor {
	v := &vendor{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		v.mu.Lock()
		v.bodies = append(v.bodies, string(body))
		v.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop",`+
			`"message":{"role":"assistant","content":"Seen."}}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`)
	}))
	t.Cleanup(server.Close)
	v.url = server.URL
	return v
}

// last is the latest request, its texts decoded.
func (v *vendor) last(t *testing.T) string {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.bodies) == 0 {
		t.Fatal("the vendor was not asked")
	}
	var decoded any
	if err := json.Unmarshal([]byte(v.bodies[len(v.bodies)-1]), &decoded); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	plain := json.NewEncoder(&out)
	plain.SetEscapeHTML(false)
	_ = plain.Encode(decoded)
	return out.String()
}

// form is an upload as a browser sends it, and its type.
func form(t *testing.T, name string, content []byte) (body, contentType string) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), w.FormDataContentType()
}

func upload(t *testing.T, s *harness.Server, name string, content []byte) *harness.Reply {
	t.Helper()
	body, contentType := form(t, name, content)
	return s.Call("POST", "/v1/files", body, "Content-Type", contentType)
}
