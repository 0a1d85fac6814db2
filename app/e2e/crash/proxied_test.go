package crash

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

const proxiedKey = "a-root-key-of-at-least-32-characters"

// TestBehindAProxy puts the nginx of deploy/ in front of three nodes. One is killed permanently during a chat
// through it: every accepted message is answered once, and the stream continues without a gap.
func TestBehindAProxy(t *testing.T) {
	t.Parallel()
	db := harness.Databases["postgres"](t)
	var hosts []*host
	var upstreams []string
	for _, name := range []string{"a", "b", "c"} {
		hosts = append(hosts, newNodeHost(t, db, name, "FERMATA_LEASE_TTL="+clusterTTL.String(),
			"FERMATA_ROOT_KEY="+proxiedKey, "FERMATA_SCRIPT_PROVIDER=true"))
	}
	for _, h := range hosts {
		upstreams = append(upstreams, "server "+strings.TrimPrefix(h.server().url, "http://")+" max_fails=1 fail_timeout=5s;")
	}
	url, logs := deployedNginx(t, upstreams)
	p := &proxied{t: t, url: url, ai: map[string]bool{}}
	p.asksWithSecrets()
	p.scripted()
	chat := p.call("POST", "/v1/sessions", `{}`)["id"].(string)
	ctx, cancel := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	listening.Go(func() { p.listen(ctx, chat) })
	const messages = 30
	for i := range messages {
		if i == messages/3 {
			hosts[i%len(hosts)].keepsDown()
		}
		p.call("POST", "/v1/sessions/"+chat+"/messages", fmt.Sprintf(`{"text":"number %d","if_busy":"enqueue"}`, i))
	}
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		t.Logf("%d answers and %d events were received, the stream was opened again %d times", len(p.ai), len(p.seqs), p.cuts)
	}()
	testkit.Until(t, "every message to be answered", func() bool { return p.answers() == messages })
	cancel()
	listening.Wait()
	record := p.call("GET", "/v1/sessions/"+chat+"/messages?limit=200", "")["data"].([]any)
	said := map[string]int{}
	for _, m := range record {
		said[m.(map[string]any)["sender"].(string)]++
	}
	if said["USER"] != messages || said["AI"] != messages {
		t.Errorf("the record has %v, want %d of each", said, messages)
	}
	p.unbroken()
	logsNoSecrets(t, logs)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cuts == 0 {
		t.Log("the stream was on another node than the one that was killed")
	}
}

// deployedNginx runs a real one with the file that we give to people, in front of these.
func deployedNginx(t *testing.T, upstreams []string) (url, logs string) {
	t.Helper()
	binary, err := exec.LookPath("nginx")
	if err != nil {
		if binary, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			t.Skip("there is no nginx: scripts/need nginx installs it")
		}
	}
	given, err := os.ReadFile("../../../deploy/nginx/fermata.conf")
	if err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	dir := t.TempDir()
	site := strings.Replace(string(given), "server 127.0.0.1:8080 max_fails=1 fail_timeout=5s;", strings.Join(upstreams, "\n"), 1)
	site = strings.ReplaceAll(site, "/var/log/nginx/", dir+"/")
	site = strings.Replace(site, "listen 80;", "listen "+address+";", 1)
	frame := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 256; }
http {
	access_log off;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	%[2]s
}`, dir, site)
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, []byte(frame), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(binary, "-t", "-p", dir, "-c", conf, "-e", filepath.Join(dir, "error.log")).CombinedOutput(); err != nil {
		t.Fatalf("nginx does not take the file: %v\n%s", err, out)
	}
	var printed bytes.Buffer
	child := exec.Command(binary, "-p", dir, "-c", conf, "-e", filepath.Join(dir, "error.log"))
	child.Stderr, child.Stdout = &printed, &printed
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
	url = "http://" + address
	testkit.Until(t, "nginx to answer", func() bool {
		response, err := http.Get(url + "/healthz")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return url, dir
}

// secretAddresses hold what opens something.
var secretAddresses = []string{
	"/a/s3cretApproval", "/a/s3cretApproval/more", "//a/s3cretApproval", "/v1/hooks/aut_1/s3cretHook", "/v1/hooks/aut_1/s3cretHook?x=s3cretQuery",
	"/v1/events?ticket=s3cretTicket", "/v1/sign-in/callback?code=s3cretCode&state=s3cretState",
}

func (p *proxied) asksWithSecrets() {
	p.t.Helper()
	for _, address := range secretAddresses {
		request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+address, nil)
		if err != nil {
			p.t.Fatal(err)
		}
		request.Header.Set("Referer", p.url+"/a/s3cretReferer")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			p.t.Fatal(err)
		}
		_ = response.Body.Close()
	}
}

// logsNoSecrets: what nginx writes with our file names each request, and none of its secrets.
func logsNoSecrets(t *testing.T, dir string) {
	t.Helper()
	access, err := os.ReadFile(filepath.Join(dir, "fermata.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"GET /a/- HTTP/1.1"`, `"GET /v1/hooks/aut_1/- HTTP/1.1"`, `"GET /v1/events HTTP/1.1"`} {
		if !strings.Contains(string(access), want) {
			t.Errorf("the log has no %s", want)
		}
	}
	for _, name := range []string{"fermata.log", "fermata-error.log", "error.log"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "s3cret") {
			t.Errorf("%s holds a secret:\n%s", name, text)
		}
	}
}

// proxied is a client on the other side of the proxy.
type proxied struct {
	t     *testing.T
	url   string
	ws    string // its workspace; "": the first one
	calls atomic.Int64
	mu    sync.Mutex
	last  int64   // the id of the last event that came; listen's own
	seqs  []int64 // the session's own numbers of the events that came, in their order
	ai    map[string]bool
	cuts  int
}

// call makes a request that must succeed; like any client, it repeats one that had no
// answer of ours, with the same key.
func (p *proxied) call(method, path, body string) (answer map[string]any) {
	p.t.Helper()
	key := fmt.Sprint("call-", p.calls.Add(1))
	testkit.Until(p.t, method+" "+path+" to be answered", func() bool {
		request, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
		if err != nil {
			p.t.Fatal(err)
		}
		p.authorize(request)
		if method == http.MethodPost {
			request.Header.Set("Idempotency-Key", key)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		defer func() { _ = response.Body.Close() }()
		switch {
		case response.StatusCode >= 500 || response.StatusCode == http.StatusConflict:
			return false
		case response.StatusCode >= 300:
			body, _ := io.ReadAll(response.Body)
			p.t.Fatalf("%s %s: %s %s", method, path, response.Status, body)
		}
		answer = nil
		return json.NewDecoder(response.Body).Decode(&answer) == nil
	})
	return answer
}

// scripted makes every message be answered.
func (p *proxied) scripted() {
	p.t.Helper()
	p.call("POST", "/v1/providers", `{"name":"s","kind":"script","is_default":true,"config":{"steps":[{"delay_ms":20,"answer":{"text":"received"}}]}}`)
}

func (p *proxied) authorize(request *http.Request) {
	request.Header.Set("Authorization", "Bearer "+proxiedKey)
	request.Header.Set("Fermata-Workspace", cmp.Or(p.ws, "default"))
	request.Header.Set("Content-Type", "application/json")
}

// listen follows the session's events, and comes back with the last number whenever the
// stream ends.
func (p *proxied) listen(ctx context.Context, session string) {
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/v1/sessions/%s/events/stream?after=%d", p.url, session, p.last), nil)
		if err != nil {
			return
		}
		p.authorize(request)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			continue
		}
		p.read(response)
		_ = response.Body.Close()
		p.mu.Lock()
		p.cuts++
		p.mu.Unlock()
	}
}

func (p *proxied) read(response *http.Response) {
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	var id int64
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			_, _ = fmt.Sscan(text, &id)
		}
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || id == 0 {
			continue
		}
		var event struct {
			Seq     int64                        `json:"session_seq"`
			Message *struct{ ID, Sender string } `json:"message"`
		}
		_ = json.Unmarshal([]byte(text), &event)
		p.mu.Lock()
		p.last, p.seqs = id, append(p.seqs, event.Seq)
		if event.Message != nil && event.Message.Sender == "AI" {
			p.ai[event.Message.ID] = true
		}
		p.mu.Unlock()
		id = 0
	}
}

// answers counts the answers received.
func (p *proxied) answers() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.ai)
}
