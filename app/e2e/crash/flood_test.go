package crash

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestFloods lets one caller lean on each bound for floodFor while another workspace's
// requests are timed, and prints what it did to them and to memory. Server, flood and the
// one who is timed are three processes: who floods a real server does it with a processor of
// their own, so the flood yields to the other two. It asserts no time: FERMATA_LONG=1 runs
// it for its figures, and it fails where memory does not come back within 10 s.
func TestFloods(t *testing.T) {
	if !harness.Long {
		t.Skip("FERMATA_LONG=1 runs it")
	}
	f := newFlooded(t)
	for _, what := range floods {
		t.Run(what.name, func(t *testing.T) { f.one(t, what.name) })
	}
}

// one lets the flood of that name come.
func (f *flooded) one(t *testing.T, name string) {
	before, calm := f.heap(), f.timed(5*time.Second)
	var most atomic.Int64
	done := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Second):
				most.Store(max(most.Load(), int64(f.rss())))
			}
		}
	}()
	answers := f.start(name)
	time.Sleep(time.Second)
	busy := f.timed(floodFor - 2*time.Second)
	summary := answers()
	close(done)
	<-watched
	ended, after := time.Now(), f.heap()
	for time.Since(ended) < 10*time.Second && after > before+8 {
		time.Sleep(500 * time.Millisecond)
		after = f.heap()
	}
	t.Logf("%-32s p50 %6s -> %6s  p99 %6s -> %6s  memory %3d MiB at most, heap %d -> %d MiB after %s  answers %s", name,
		calm[0], busy[0], calm[1], busy[1], most.Load(), before, after, time.Since(ended).Round(time.Second), summary)
	if after > before+16 {
		t.Errorf("%s: %d MiB are still held", name, after-before)
	}
}

// floodFor is how long each flood lasts.
const floodFor = 30 * time.Second

// floodVariable makes the test binary a flood: which of floods, where, as whom.
const floodVariable = "FERMATA_TEST_FLOOD"

var floods = []struct {
	name string
	once func(f *flood)
}{
	{"150 unread pages", func(f *flood) { f.unread(150, "/v1/sessions/"+f.Chat+"/messages?limit=200") }},
	{"150 event streams of one key", func(f *flood) { f.unread(150, "/v1/events/stream") }},
	{"100 slow readers of the whole log", func(f *flood) { f.unread(100, "/v1/sessions/"+f.Chat+"/events/stream?after=0") }},
	{"forged webhooks", func(f *flood) { f.many(1000, "POST", "/v1/hooks/aut_none/none", `{}`, "") }},
	{"bad tokens", func(f *flood) { f.many(1000, "GET", "/v1/zones", "", "fmt_bad") }},
	{"idempotency keys", func(f *flood) { f.many(1000, "POST", "/v1/heartbeat", `{"session_ids":[]}`, f.Key) }},
	{"bodies of 1 MiB", func(f *flood) {
		f.many(100, "POST", "/v1/heartbeat", `{"session_ids":["`+strings.Repeat("a", 1<<20-100)+`"]}`, f.Key)
	}},
}

// flood is the process that floods.
type flood struct {
	Name, URL, Chat, Key string
	For                  time.Duration

	sent     atomic.Int64
	statuses map[string]int
	mu       sync.Mutex
	conns    []net.Conn
}

// floodAsChild floods for the given time, and prints the responses it got.
func floodAsChild(summary string) int {
	f := &flood{statuses: map[string]int{}}
	if err := json.Unmarshal([]byte(summary), f); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, what := range floods {
		if what.name != f.Name {
			continue
		}
		for end := time.Now().Add(f.For); time.Now().Before(end); {
			what.once(f)
			if len(f.conns) > 0 { // held for a while, then asked again
				time.Sleep(min(5*time.Second, time.Until(end)))
				f.release()
			}
		}
	}
	fmt.Println(f.statuses)
	return 0
}

// flooded is a server with a workspace whose key floods, and another one whose requests
// are timed.
type flooded struct {
	t     *testing.T
	host  *host
	greed flood
	other string // the other workspace's key
}

// start lets another process flood; the function it gives waits for its end.
func (f *flooded) start(name string) (answers func() string) {
	f.greed.Name, f.greed.For = name, floodFor
	summary, err := json.Marshal(&f.greed)
	if err != nil {
		f.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	// Only what no other process wants of the cores: a flood comes from another machine, and
	// must not be felt as a wait for the scheduler of this one.
	child := exec.Command("chrt", "--idle", "0", self)
	child.Env = append(os.Environ(), floodVariable+"="+string(summary))
	child.Stderr = os.Stderr
	var out bytes.Buffer
	child.Stdout = &out
	if err := child.Start(); err != nil {
		f.t.Fatal(err)
	}
	return func() string {
		if err := child.Wait(); err != nil {
			f.t.Error(err)
		}
		return strings.TrimSpace(out.String())
	}
}

// heap is what the server holds after it collected its garbage, in MiB.
func (f *flooded) heap() int {
	n, err := f.host.server().ask("heap")
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// rss is the memory of the server as the system sees it, in MiB.
func (f *flooded) rss() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", f.host.server().cmd.Process.Pid))
	if err != nil {
		return 0 // not Linux
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var kb int
	_, _ = fmt.Sscan(rest, &kb)
	return kb >> 10
}

func newFlooded(t *testing.T) *flooded {
	const root = "0123456789abcdefghijklmnopqrstuvwxyz"
	t.Setenv("FERMATA_ROOT_KEY", root)
	t.Setenv("FERMATA_SCRIPT_PROVIDER", "true")
	f := &flooded{t: t, host: newHost(t, harness.Databases["sqlite"](t))}
	key := func(workspace, role string) string {
		return f.call("POST", "/v1/keys", root, workspace, fmt.Sprintf(`{"name":%q,"role":%q}`, role, role))["key"].(string)
	}
	f.call("POST", "/v1/workspaces", root, "", `{"id":"other"}`)
	admin := key("default", "admin")
	f.greed.URL, f.greed.Key, f.other = f.host.server().url, key("default", "viewer"), key("other", "viewer")
	f.call("POST", "/v1/providers", admin, "", `{"name":"s","kind":"script","is_default":true,"config":{"steps":[{"times":1,"delay_ms":3600000,"answer":{"text":"x"}},{"answer":{"text":"x"}}]}}`)
	f.greed.Chat = f.call("POST", "/v1/sessions", admin, "", `{}`)["id"].(string)
	var first, last time.Duration
	for i := range 75 {
		began := time.Now()
		f.call("POST", "/v1/sessions/"+f.greed.Chat+"/messages", admin, "", fmt.Sprintf(`{"text":%q}`, strings.Repeat("a", 50_000)))
		if took := time.Since(began); i < 25 {
			first += took
		} else if i >= 50 {
			last += took
		}
	}
	t.Logf("a waiting message of 50 KB: the first 25 took %s each, the 50th to 75th %s", first/25, last/25)
	return f
}

// call sends one request that has to succeed.
func (f *flooded) call(method, path, key, workspace, body string) (answer map[string]any) {
	f.t.Helper()
	r, _ := http.NewRequest(method, f.host.server().url+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	if workspace != "" {
		r.Header.Set("Fermata-Workspace", workspace)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	all, _ := io.ReadAll(res.Body)
	if res.StatusCode >= 300 {
		f.t.Fatalf("%s %s: %s %s", method, path, res.Status, all)
	}
	_ = json.Unmarshal(all, &answer) // a list does not fit, and is not needed
	return answer
}

// timed asks as the other workspace, a little more than one request after the other, and
// gives median and 99th percentile.
func (f *flooded) timed(during time.Duration) [2]time.Duration {
	var all []time.Duration
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(3 * time.Millisecond) {
		began := time.Now()
		f.call("GET", "/v1/zones", f.other, "", "")
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	n := len(all)
	return [2]time.Duration{all[n/2].Round(10 * time.Microsecond), all[n*99/100].Round(10 * time.Microsecond)}
}

// unread asks from n connections, reads the first line of each answer, and no more until
// release.
func (f *flood) unread(n int, path string) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			conn, err := net.Dial("tcp", strings.TrimPrefix(f.URL, "http://"))
			if err != nil {
				f.note("no connection")
				return
			}
			_ = conn.(*net.TCPConn).SetReadBuffer(4096)
			f.mu.Lock()
			f.conns = append(f.conns, conn)
			f.mu.Unlock()
			_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, f.Key)
			line, _ := bufio.NewReaderSize(conn, 16).ReadString('\n')
			_, status, _ := strings.Cut(strings.TrimSpace(line), " ")
			f.note(status)
		})
	}
	all.Wait()
}

func (f *flood) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_ = c.Close()
	}
	f.conns = nil
}

// many sends n requests, 50 at a time, each with an idempotency key of its own.
func (f *flood) many(n int, method, path, body, key string) {
	var all sync.WaitGroup
	var next atomic.Int64
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}}
	defer client.CloseIdleConnections()
	for range 50 {
		all.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				r, _ := http.NewRequest(method, f.URL+path, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+key)
				r.Header.Set("Idempotency-Key", fmt.Sprint(path, f.sent.Add(1)))
				res, err := client.Do(r)
				if err != nil {
					f.note("broken off")
					continue
				}
				_ = res.Body.Close()
				f.note(res.Status)
			}
		})
	}
	all.Wait()
}

func (f *flood) note(status string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.statuses[status]++
}
