package files

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// process is the server as a process of its own.
type process struct{ *harness.Process }

func newProcess(t *testing.T, db app.Database) *process {
	t.Helper()
	return &process{harness.NewProcess(t, db)}
}

// call makes a request with a key of its own; an error means that no answer came.
func (p *process) call(method, path, key string, body []byte) (status int, answer []byte, err error) {
	request, err := http.NewRequest(method, p.URL+path, bytes.NewReader(body))
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
	p.T.Helper()
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
			p.T.Fatalf("%s: %d %s", path, status, answer)
		}
	}
	p.T.Fatalf("%s: no answer", path)
	return ""
}

func long(n int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "line %d of a file that is long enough to be in several pieces\n", n), 40_000)
}

// inTheBody is in the midst of an upload: the server has begun to read it, and does not have all.
const inTheBody = "in the body"

// cut uploads until the process is killed at a moment. No answer comes.
func (p *process) cut(db app.Database, moment, key string, content []byte) {
	p.T.Helper()
	if moment == inTheBody {
		p.half(key, content)
		p.Die()
		return
	}
	if err := os.WriteFile(filepath.Join(db.DataDir, fuseFile), []byte(moment), 0o600); err != nil {
		p.T.Fatal(err)
	}
	if status, answer, err := p.call("POST", "/v1/files", key, content); err == nil {
		p.T.Errorf("killed %s the COMMIT it answers %d %s", moment, status, answer)
	}
}

// half sends half of an upload, once the server has said that it reads.
func (p *process) half(key string, content []byte) {
	p.T.Helper()
	address := strings.TrimPrefix(p.URL, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		p.T.Fatal(err)
	}
	p.T.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /v1/files HTTP/1.1\r\nHost: %s\r\nContent-Type: text/plain\r\nIdempotency-Key: %s\r\n"+
		"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", address, key, len(content))
	if err != nil {
		p.T.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		p.T.Fatalf("before the body it says %q, %v", line, err)
	}
	if _, err := conn.Write(content[:len(content)/2]); err != nil {
		p.T.Fatal(err)
	}
}

// Killed during an upload, around its COMMIT, and between an upload and its message: an acknowledged upload is
// complete and stored once; any other can be repeated; nothing is stored in part.
func TestKilledWhileFilesComeIn(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		p := newProcess(t, db)
		chat := p.id("/v1/sessions", "", []byte(`{}`), 201, "")
		files := map[string]string{} // id to the hash of what it must hold
		moments := []string{inTheBody, before, after, inTheBody, before, after}
		for n, moment := range moments {
			content, key := long(n), fmt.Sprintf("upload-%d", n)
			p.cut(db, moment, key, content)
			p.Kill()
			id := p.id("/v1/files", key, content, 201, "")
			sum := sha256.Sum256(content)
			files[id] = hex.EncodeToString(sum[:])
			if n%2 == 0 {
				p.Kill()
			}
			p.id("/v1/sessions/"+chat+"/messages", fmt.Sprintf("message-%d", n),
				fmt.Appendf(nil, `{"text":"look","if_busy":"enqueue","file_ids":[%q]}`, id), 202, "message")
		}
		p.Kill()
		p.check(chat, files, len(moments))
	})
}

func (p *process) check(chat string, files map[string]string, messages int) {
	p.T.Helper()
	var list struct {
		Data []struct {
			ID, SHA256 string
			Bytes      int
		}
	}
	p.read("/v1/files?limit=200", &list)
	if len(list.Data) != len(files) {
		p.T.Errorf("%d files are there, want %d", len(list.Data), len(files))
	}
	for _, f := range list.Data {
		_, content, err := p.call("GET", "/v1/files/"+f.ID, "", nil)
		sum := sha256.Sum256(content)
		if err != nil || hex.EncodeToString(sum[:]) != f.SHA256 || len(content) != f.Bytes || f.SHA256 != files[f.ID] {
			p.T.Errorf("%s holds %d bytes with another hash, %v", f.ID, len(content), err)
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
		p.T.Errorf("%d messages refer to files, want %d", len(seen), messages)
	}
	for id, n := range seen {
		if n != 1 || files[id] == "" {
			p.T.Errorf("%d messages refer to %s", n, id)
		}
	}
}

func (p *process) read(path string, into any) {
	p.T.Helper()
	status, answer, err := p.call("GET", path, "", nil)
	if err != nil || status != 200 || json.Unmarshal(answer, into) != nil {
		p.T.Fatalf("%s: %d %s %v", path, status, answer, err)
	}
}
