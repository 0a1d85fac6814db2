package files

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// process is the server as a process of its own, which can be killed.
type process struct {
	t   *testing.T
	db  app.Database
	url string
	cmd *exec.Cmd
}

func newProcess(t *testing.T, db app.Database) *process {
	p := &process{t: t, db: db}
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
	p.cmd = exec.Command(self, "serve", "--listen=127.0.0.1:0", "--data-dir="+p.db.DataDir)
	p.cmd.Env = append(os.Environ(), childVariable+"=1", "FERMATA_DATABASE_URL="+p.db.DatabaseURL, "FERMATA_NODE_ID=test", "FERMATA_SHUTDOWN_GRACE=1s")
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
	p.start()
}

// call makes a request with a key of its own; an error means that no answer came.
func (p *process) call(method, path, key string, body []byte) (status int, answer []byte, err error) {
	request, err := http.NewRequest(method, p.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if path == "/v1/files" {
		request.Header.Set("Content-Type", "text/plain")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// id is what a request made, which is repeated under its key until there is an answer.
func (p *process) id(path, key string, body []byte, want int, at string) string {
	p.t.Helper()
	for range 50 {
		status, answer, err := p.call("POST", path, key, body)
		var made map[string]any
		if err == nil && status == want && json.Unmarshal(answer, &made) == nil {
			if inner, ok := made[at].(map[string]any); ok {
				made = inner
			}
			return made["id"].(string)
		}
		if err == nil && status != http.StatusConflict && status < 500 {
			p.t.Fatalf("%s: %d %s", path, status, answer)
		}
	}
	p.t.Fatalf("%s: no answer", path)
	return ""
}

func long(n int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "line %d of a file that is long enough to be in several pieces\n", n), 40_000)
}

// Killed in the midst of an upload, and between an upload and its message: what was told is
// there, whole and once; what was not told can be repeated; nothing is there in half.
func TestKilledWhileFilesComeIn(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		p := newProcess(t, db)
		chat := p.id("/v1/sessions", "", []byte(`{}`), 201, "")
		files := map[string]string{} // id to the hash of what it must hold
		const rounds = 6
		for n := range rounds {
			content, key := long(n), fmt.Sprintf("upload-%d", n)
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				_, _, _ = p.call("POST", "/v1/files", key, content) // it may be cut
			}()
			select { // somewhere in it, later each time
			case <-answered:
			case <-time.After(time.Duration(n) * 12 * time.Millisecond):
			}
			_ = p.cmd.Process.Kill()
			<-answered
			p.kill()
			id := p.id("/v1/files", key, content, 201, "")
			sum := sha256.Sum256(content)
			files[id] = hex.EncodeToString(sum[:])
			if n%2 == 0 {
				p.kill()
			}
			p.id("/v1/sessions/"+chat+"/messages", fmt.Sprintf("message-%d", n),
				fmt.Appendf(nil, `{"text":"look","if_busy":"enqueue","file_ids":[%q]}`, id), 202, "message")
		}
		p.kill()
		p.check(chat, files, rounds)
	})
}

func (p *process) check(chat string, files map[string]string, messages int) {
	p.t.Helper()
	var list struct {
		Data []struct {
			ID, SHA256 string
			Bytes      int
		}
	}
	p.read("/v1/files?limit=200", &list)
	if len(list.Data) != len(files) {
		p.t.Errorf("%d files are there, want %d", len(list.Data), len(files))
	}
	for _, f := range list.Data {
		_, content, err := p.call("GET", "/v1/files/"+f.ID, "", nil)
		sum := sha256.Sum256(content)
		if err != nil || hex.EncodeToString(sum[:]) != f.SHA256 || len(content) != f.Bytes || f.SHA256 != files[f.ID] {
			p.t.Errorf("%s holds %d bytes with another hash, %v", f.ID, len(content), err)
		}
	}
	var record struct {
		Data []struct {
			Sender string
			Rich   *struct {
				Segments []struct{ File *struct{ ID string } }
			} `json:"rich_content"`
		}
	}
	p.read("/v1/sessions/"+chat+"/messages?limit=200", &record)
	seen := map[string]int{}
	for _, m := range record.Data {
		if m.Rich != nil {
			for _, s := range m.Rich.Segments {
				if s.File != nil {
					seen[s.File.ID]++
				}
			}
		}
	}
	if len(seen) != messages {
		p.t.Errorf("%d messages refer to files, want %d", len(seen), messages)
	}
	for id, n := range seen {
		if n != 1 || files[id] == "" {
			p.t.Errorf("%d messages refer to %s", n, id)
		}
	}
}

func (p *process) read(path string, into any) {
	p.t.Helper()
	status, answer, err := p.call("GET", path, "", nil)
	if err != nil || status != 200 || json.Unmarshal(answer, into) != nil {
		p.t.Fatalf("%s: %d %s %v", path, status, answer, err)
	}
}
