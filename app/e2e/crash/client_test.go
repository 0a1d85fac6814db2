package crash

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// player is the client of a scenario, in a workspace of its own. It behaves as a real
// one should: each POST has an Idempotency-Key, and when the connection breaks it
// waits for the server and sends the same request again.
type player struct {
	t    testing.TB
	host *host
	// hosts, if there are several: each request goes to another one.
	hosts []*host
	next  atomic.Int64
	run   *modelRun
	ws    string
	http  *http.Client
	// otherWay: orRestart restarts.
	otherWay bool
	flaps    bool
	// slowest is the longest that this client waited for an acknowledgement.
	slowest time.Duration

	mu    sync.Mutex
	posts []post
	chats []*dialogue // runs of automations too
	made  int         // zones that were asked for; talks' own
	// automations of the play.
	automations []*automation
}

// post is a request that was answered with 2xx.
type post struct {
	path, key string
	body      any
	answer    *harness.Reply
}

// dialogue is one chat of the scenario, or a run of an automation.
type dialogue struct {
	p      *player
	id     string
	seed   string // of a run: what its first message begins with
	acked  []ackedMessage
	stream *witness
}

type ackedMessage struct{ id, text string }

// newPlayer makes the workspace, its settings and its provider. Nothing is killed
// meanwhile.
func newPlayer(t testing.TB, h *host, m *model, ws string, s *scenario) *player {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(transport.CloseIdleConnections)
	p := &player{t: t, host: h, ws: ws, http: &http.Client{Transport: transport, Timeout: 30 * time.Second}, flaps: s.flaps}
	p.run = m.begin(ws, s.rules, h.kill)
	t.Cleanup(p.explain)
	p.try("POST", "/v1/workspaces", "", map[string]any{"id": ws}).Want(201)
	if s.settings != nil {
		p.try("PATCH", "/v1/settings", "", s.settings).Want(200)
	}
	config := map[string]any{"base_url": m.url + "/" + ws + "/v1", "model": "m"}
	if s.protocol != "" {
		config["protocol"] = s.protocol
	}
	p.try("POST", "/v1/providers", "", map[string]any{
		"name": "Model", "kind": "openai_compatible", "is_default": true, "config": config,
	}).Want(201)
	return p
}

// try makes a request until it is answered.
func (p *player) try(method, path, key string, body any) *harness.Reply {
	p.t.Helper()
	deadline := time.Now().Add(harness.Patience)
	for attempt := 0; ; attempt++ {
		r, err := p.once(method, path, key, body)
		switch {
		case err == nil && r.Status < 500 && r.Header.Get("Retry-After") == "":
			if attempt > 0 {
				r.Header.Set("Test-Attempts", fmt.Sprint(attempt+1))
			}
			return r
		case time.Now().After(deadline):
			if err == nil {
				err = fmt.Errorf("status %d: %s", r.Status, r.Body)
			}
			p.t.Fatalf("%s %s: no answer after %d tries: %v\n%s", method, path, attempt+1, err, p.host.server().log)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// server is whom the next request goes to.
func (p *player) server() *child {
	if len(p.hosts) == 0 {
		return p.host.server()
	}
	for {
		if up := p.hosts[int(p.next.Add(1))%len(p.hosts)].running(); up != nil {
			return up
		}
	}
}

func (p *player) once(method, path, key string, body any) (*harness.Reply, error) {
	p.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, p.server().url+path, reader)
	if err != nil {
		p.t.Fatal(err)
	}
	if path != "/v1/workspaces" {
		request.Header.Set("Fermata-Workspace", p.ws)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := p.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	r := &harness.Reply{T: p.t, Status: response.StatusCode, Header: response.Header}
	r.Body, err = io.ReadAll(response.Body)
	return r, err
}

func (p *player) get(path string) *harness.Reply {
	p.t.Helper()
	return p.try("GET", path, "", nil).Want(200)
}

// post sends something that must be done exactly once.
func (p *player) post(path string, body any) *harness.Reply {
	p.t.Helper()
	p.mu.Lock()
	key := fmt.Sprintf("%s-%d", p.ws, len(p.posts))
	p.posts = append(p.posts, post{})
	i := len(p.posts) - 1
	p.mu.Unlock()
	r := p.try("POST", path, key, body)
	if r.Status/100 != 2 {
		p.t.Fatalf("POST %s %v: status %d: %s", path, body, r.Status, r.Body)
	}
	p.mu.Lock()
	p.posts[i] = post{path: path, key: key, body: body, answer: r}
	p.mu.Unlock()
	return r
}

// chat creates a CHAT. watched: its stream is read from the beginning, so that the AI's text is streamed too.
func (p *player) chat(watched bool) *dialogue {
	p.t.Helper()
	c := &dialogue{p: p, id: p.post("/v1/sessions", map[string]any{"type": "CHAT"}).Str("id")}
	if c.id == "" {
		p.t.Fatal("the new session has no id")
	}
	p.chats = append(p.chats, c)
	if watched {
		c.stream = attend(p, c.id)
		testkit.Until(p.t, "the listener to be connected", func() (on bool) {
			c.stream.locked(func() { on = c.stream.on })
			return on
		})
	}
	return c
}

func (c *dialogue) path(rest string) string { return "/v1/sessions/" + c.id + rest }

// says sends a message; it is acknowledged when this returns.
func (c *dialogue) says(text string, ifBusy ...string) *harness.Reply {
	c.p.t.Helper()
	body := map[string]any{"text": text}
	if len(ifBusy) > 0 {
		body["if_busy"] = ifBusy[0]
	}
	r := c.p.post(c.path("/messages"), body)
	c.acked = append(c.acked, ackedMessage{r.Str("message.id"), text})
	return r
}

// waits until the session is in a phase.
func (c *dialogue) waits(phase string) *harness.Reply {
	c.p.t.Helper()
	return c.waitsFor(phase, func() bool { return true })
}

// waitsFor waits until that is so, and something else too.
func (c *dialogue) waitsFor(phase string, and func() bool) *harness.Reply {
	c.p.t.Helper()
	var r *harness.Reply
	deadline, pause := time.Now().Add(harness.Patience), 4*time.Millisecond
	for {
		if r = c.p.get(c.path("")); r.Str("phase") == phase && r.Str("status") != "queued" && r.Str("status") != "suspended" && and() {
			return r
		}
		if time.Now().After(deadline) {
			c.p.t.Fatalf("the session does not come to %s: %s\n%s", phase, r.Body, c.p.host.server().log)
		}
		time.Sleep(pause)
		pause = min(pause+pause/4, 20*time.Millisecond) // the server shares the processor with the test
	}
}

func (c *dialogue) rests() *harness.Reply { c.p.t.Helper(); return c.waits("IDLE") }

// validates answers the open approval of actions, response a question.
func (c *dialogue) validates(body map[string]any) {
	c.p.t.Helper()
	c.p.post(c.path("/validation"), body)
}

func (c *dialogue) responds(body map[string]any) { c.p.t.Helper(); c.p.post(c.path("/response"), body) }

// forks continues a chat from a message in a new chat; their common messages count as acknowledged in that one.
func (p *player) forks(of *dialogue, body map[string]any) *dialogue {
	p.t.Helper()
	c := &dialogue{p: p, id: p.post(of.path("/fork"), body).Str("id"), acked: slices.Clone(of.acked)}
	if c.id == "" {
		p.t.Fatal("the fork has no id")
	}
	p.chats = append(p.chats, c)
	for _, m := range p.record(c) {
		if m.user() && m.Rich != nil && m.Rich.LinearText == body["message"] {
			c.acked = append(c.acked, ackedMessage{m.ID, m.Rich.LinearText})
		}
	}
	return c
}

// removes deletes a chat, and no longer looks at it.
func (p *player) removes(c *dialogue) {
	p.t.Helper()
	p.try("DELETE", c.path(""), "", nil)
	p.chats = slices.DeleteFunc(p.chats, func(x *dialogue) bool { return x == c })
}

// reworded is the id of the message with which a round was run again in other words.
func (p *player) reworded(c *dialogue, r *harness.Reply) string {
	p.t.Helper()
	for _, m := range p.record(c) {
		if m.user() && m.Seq > 0 && m.Seq <= int64(r.At("event_seq").(float64)) && m.Rich.LinearText == "which other one?" {
			return m.ID
		}
	}
	p.t.Fatalf("the other words are not in the record: %s", r.Body)
	return ""
}

// does is stop, interrupt, resume or retry.
func (c *dialogue) does(what string) { c.p.t.Helper(); c.p.post(c.path("/"+what), nil) }

// holds waits until an AI call is held at a gate.
func (p *player) holds(gate string) {
	p.t.Helper()
	testkit.Until(p.t, "a call of the AI at gate "+gate, func() bool { return p.run.held(gate) })
}

func (p *player) opens(gate string) { close(p.run.gate(gate).open) }

// streams waits until the text of the AI call at a gate is on the stream. A call that began without a listener, as
// after a restart, is not streamed.
func (c *dialogue) streams(gate string) {
	c.p.t.Helper()
	testkit.Until(c.p.t, "text on the stream", func() bool { return c.stream.sawText() || c.p.run.heldUnstreamed(gate) })
}

// orRestart is where a crash may rightly change the result; see scenario.twoWays.
func (p *player) orRestart() {
	p.t.Helper()
	if p.otherWay {
		p.restart()
	}
}

// restart kills the server and waits for the next one.
func (p *player) restart() {
	p.t.Helper()
	p.host.killAndWait()
	p.run.forget()
	p.host.server()
}

// witness reads a session's stream, and resumes it when it breaks.
type witness struct {
	p       *player
	session string
	cancel  context.CancelFunc
	done    chan struct{}

	mu   sync.Mutex
	ids  []int64
	on   bool // it has been connected
	text bool // since the last connection
}

func attend(p *player, session string) *witness {
	ctx, cancel := context.WithCancel(context.Background())
	f := &witness{p: p, session: session, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		for ctx.Err() == nil {
			f.connect(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	p.t.Cleanup(func() { cancel(); <-f.done })
	return f
}

// connect reads until the connection breaks.
func (f *witness) connect(ctx context.Context) {
	up := f.p.host.running()
	if len(f.p.hosts) > 0 {
		up = f.p.server()
	}
	if up == nil {
		return
	}
	request, err := http.NewRequestWithContext(ctx, "GET", up.url+"/v1/sessions/"+f.session+"/events/stream", nil)
	if err != nil {
		return
	}
	request.Header.Set("Fermata-Workspace", f.p.ws)
	request.Header.Set("Last-Event-ID", fmt.Sprint(f.last()))
	response, err := f.p.http.Transport.RoundTrip(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	f.locked(func() { f.on, f.text = true, false })
	scanner := bufio.NewScanner(response.Body)
	scanner.Buffer(nil, 4<<20)
	var id int64
	for scanner.Scan() {
		switch field, value, _ := strings.Cut(scanner.Text(), ": "); {
		case field == "id":
			_, _ = fmt.Sscan(value, &id) // 0 would show as a gap
		case field == "event" && value == "message.delta":
			f.locked(func() { f.text = true })
		case field == "data" && id != 0: // only what came whole counts as received
			f.locked(func() { f.ids = append(f.ids, id) })
			id = 0
		}
	}
}

func (f *witness) locked(what func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	what()
}

func (f *witness) last() (id int64) {
	f.locked(func() {
		if len(f.ids) > 0 {
			id = f.ids[len(f.ids)-1]
		}
	})
	return id
}

func (f *witness) sawText() (saw bool) {
	f.locked(func() { saw = f.text })
	return saw
}

// answered waits until the record has a number of AI answers and the session rests.
func (c *dialogue) answered(answers int) {
	c.p.t.Helper()
	testkit.Until(c.p.t, fmt.Sprintf("%d answers", answers), func() bool {
		n := 0
		for _, m := range c.p.record(c) {
			if m.Sender == "AI" {
				n++
			}
		}
		return n >= answers
	})
	c.rests()
}

// explain logs the end of each log of a play that failed.
func (p *player) explain() {
	if !p.t.Failed() {
		return
	}
	for _, c := range p.chats {
		var rows []any
		for after := "0"; after != ""; {
			r, err := p.once("GET", c.path("/events?limit=200&after="+after), "", nil)
			if err != nil || r.Status != http.StatusOK {
				p.t.Logf("the log of %s cannot be read: %v", c.id, err)
				break
			}
			rows = append(rows, r.List("data")...)
			after = r.Str("next_cursor")
		}
		p.t.Logf("the end of the log of %s:", c.id)
		for _, e := range rows[max(0, len(rows)-maxExplained):] {
			row := e.(map[string]any)
			data, _ := json.Marshal(row["data"]) // it came from JSON
			p.t.Logf("%v %v %.300s", row["seq"], row["type"], data)
		}
	}
}

// maxExplained bounds the output for each session in a failure.
const maxExplained = 40
