package crash

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/internal/testkit"
)

var hookTypes = []string{"data.changed", "session.created"}

// hookReceiver keeps the numbers of what it was sent, by session, and does something to the
// server at its n-th message.
type hookReceiver struct {
	*httptest.Server
	t      testing.TB
	mu     sync.Mutex
	secret string
	got    map[string][]int64
	all    int
	at     int // counts down to what is done
	before bool
	do     func()
}

func newHookReceiver(t testing.TB) *hookReceiver {
	r := &hookReceiver{t: t, got: map[string][]int64{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.take))
	t.Cleanup(r.Close)
	return r
}

func (r *hookReceiver) take(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the server died over it
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var m struct {
		Seq  int64
		Data struct{ Session struct{ ID string } }
	}
	if err := auth.VerifyWebhook(request.Header, body, time.Now(), r.secret); err != nil {
		r.t.Errorf("a message that does not verify: %v", err)
	}
	if err := json.Unmarshal(body, &m); err != nil {
		r.t.Errorf("no JSON: %s", body)
	}
	r.at--
	if r.at == 0 && r.before {
		r.do() // it dies before its message is taken: nothing is kept of it here
		return
	}
	r.got[m.Data.Session.ID] = append(r.got[m.Data.Session.ID], m.Seq)
	r.all++
	if r.at == 0 {
		r.do() // it dies before it knows
	}
}

// arm has something done at the n-th message from now on.
func (r *hookReceiver) arm(n int, before bool, do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.before, r.do = n, before, do
}

// firsts are the numbers in which each session's messages came first, and how many came again.
func (r *hookReceiver) firsts() (out map[string][]int64, again int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out = map[string][]int64{}
	for session, seqs := range r.got {
		for _, s := range seqs {
			if slices.Contains(out[session], s) {
				again++
			} else {
				out[session] = append(out[session], s)
			}
		}
	}
	return out, again
}

func hookPlayer(t testing.TB, h ...*host) *player {
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(transport.CloseIdleConnections)
	p := &player{t: t, host: h[0], ws: "default", http: &http.Client{Transport: transport, Timeout: 5 * time.Second}}
	if len(h) > 1 {
		p.hosts = h
	}
	return p
}

func (p *player) registers(r *hookReceiver) string {
	p.t.Helper()
	made := p.try("POST", "/v1/webhooks", testKey(), map[string]any{"url": r.URL, "types": hookTypes}).Want(201)
	r.secret = made.Str("secret")
	return made.Str("id")
}

var testKey = func() func() string {
	var mu sync.Mutex
	n := 0
	return func() string { mu.Lock(); defer mu.Unlock(); n++; return fmt.Sprintf("hook-%d", n) }
}()

// happens makes six events: four of the workspace, two of sessions.
func (p *player) happens() {
	p.t.Helper()
	for range 2 {
		p.try("POST", "/v1/zones", testKey(), map[string]any{"name": "z"}).Want(201)
		p.try("POST", "/v1/sessions", testKey(), map[string]any{"name": "s"}).Want(201)
		p.try("POST", "/v1/documents", testKey(), map[string]any{"key": testKey(), "title": "T", "body": "b"}).Want(201)
	}
}

// wanted are the numbers in the log after one, by session.
func (p *player) wanted(after int64) (out map[string][]int64, n int) {
	p.t.Helper()
	out = map[string][]int64{}
	for cursor := fmt.Sprint(after); cursor != ""; {
		var page struct {
			Data []struct {
				Seq  int64
				Data struct{ Session struct{ ID string } }
			}
			Next *string `json:"next_cursor"`
		}
		body := p.try("GET", "/v1/events?sessions=*&limit=200&types=data.changed,session.created&after="+cursor, "", nil).Want(200).Body
		if err := json.Unmarshal(body, &page); err != nil {
			p.t.Fatal(err)
		}
		for _, e := range page.Data {
			out[e.Data.Session.ID] = append(out[e.Data.Session.ID], e.Seq)
			n++
		}
		cursor = ""
		if page.Next != nil {
			cursor = *page.Next
		}
	}
	return out, n
}

// arrives waits until everything was sent, and holds it against the log.
func (p *player) arrives(r *hookReceiver, begun int64) (n, again int) {
	p.t.Helper()
	want, n := p.wanted(begun)
	testkit.Until(p.t, "every event to arrive", func() bool {
		got, _ := r.firsts()
		have := 0
		for _, seqs := range got {
			have += len(seqs)
		}
		return have >= n
	})
	got, again := r.firsts()
	for session, seqs := range want {
		if !slices.Equal(got[session], seqs) {
			p.t.Fatalf("of %q came first %v, and the log has %v", session, got[session], seqs)
		}
	}
	return n, again
}

// TestWebhooksWhoseServerIsKilled kills a server at every COMMIT around a delivery, and at
// each message before and after it was taken: none is lost, and those of a session come in
// order.
func TestWebhooksWhoseServerIsKilled(t *testing.T) {
	for name, open := range harness.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, r := newHost(t, open(t)), newHookReceiver(t)
			p := hookPlayer(t, h)
			id := p.registers(r)
			begun := int64(p.try("GET", "/v1/webhooks/"+id, "", nil).At("sent_to").(float64))
			h.arm("never")
			p.happens()
			p.arrives(r, begun)
			commits, points := h.arm("never")+4, 0
			kill := func(how string, n int) {
				if points++; !harness.Long && points%3 != 0 {
					return // a sample; the long run takes them all
				}
				died := h.died()
				switch how {
				case "asked":
					r.arm(n, true, h.kill)
				case "taken":
					r.arm(n, false, h.kill)
				default:
					h.arm(fmt.Sprint(how, " ", n))
				}
				p.happens()
				p.arrives(r, begun)
				r.arm(0, false, nil)
				if h.died() > died {
					h.server()
				}
				h.arm("never")
			}
			for n := 1; n <= commits; n++ {
				kill("before", n)
				kill("after", n)
				kill("during", n)
			}
			for n := 1; n <= 6; n++ {
				kill("asked", n)
				kill("taken", n)
			}
			n, again := p.arrives(r, begun)
			if h.died() == 0 {
				t.Error("the server was never killed")
			}
			t.Logf("%s: %d events at %d points, %d deaths; %d messages came again", name, n, points, h.died(), again)
		})
	}
}

// TestWebhooksOfThreeNodes: whichever node sends, when it is killed or stalls another one goes
// on, nothing is lost, and of one session nothing comes out of order.
func TestWebhooksOfThreeNodes(t *testing.T) {
	t.Parallel()
	flags, hosts := newCluster(t)
	db, err := sql.Open("postgres", flags.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r := newHookReceiver(t)
	p := hookPlayer(t, hosts...)
	p.http.Timeout = 2 * time.Second
	id := p.registers(r)
	begun := int64(p.try("GET", "/v1/webhooks/"+id, "", nil).At("sent_to").(float64))
	slowest := time.Duration(0)
	for i := range 6 {
		p.happens()
		p.arrives(r, begun)
		sends := sender(t, db, hosts)
		if i%2 == 0 {
			r.arm(2, false, sends.kill)
		} else {
			r.arm(2, false, func() { sends.signal(syscall.SIGSTOP) })
		}
		p.happens()
		from := time.Now()
		p.arrives(r, begun)
		slowest = max(slowest, time.Since(from))
		sends.signal(syscall.SIGCONT)
		sends.server()
	}
	n, again := p.arrives(r, begun)
	t.Logf("%d events, %d came again; another node went on after %s at most", n, again, slowest.Round(time.Millisecond))
}

// sender is the node that owns the webhook now.
func sender(t testing.TB, db *sql.DB, hosts []*host) *host {
	t.Helper()
	var node string
	if err := db.QueryRow("SELECT owner_node FROM webhooks").Scan(&node); err != nil {
		t.Fatal(err)
	}
	for _, h := range hosts {
		if h.node == node {
			return h
		}
	}
	t.Fatalf("no node is called %q", node)
	return nil
}
