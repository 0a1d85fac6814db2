package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// Fake is a vendor that is not there: how a provider is configured to call it, and how
// it writes what its model says. Each provider has one in providers/<name>/fake, for
// its own contract and for the conversations of the whole server.
type Fake struct {
	Name string // in the names of tests
	Kind string // the kind of provider that calls it
	// Config is a provider's config, without a key, for a vendor at this URL.
	Config func(url string, protocol domain.Protocol) map[string]any
	// Write sends a reply (one without Status) in the form that the request asks for,
	// streamed or whole.
	Write func(w http.ResponseWriter, r *http.Request, body []byte, reply Reply)
	// NoCalls: it knows no tools, only the JSON protocol.
	NoCalls bool
	// NoThinking: it has no thoughts.
	NoThinking bool
}

// Wire is the fake as Run takes it.
func (f Fake) Wire(kind providers.Kind) Wire {
	return Wire{
		Write: f.Write, NoThinking: f.NoThinking, NoCalls: f.NoCalls,
		New: func(t *testing.T, url, key string, client *http.Client) providers.Provider {
			t.Helper()
			config, err := json.Marshal(f.Config(url, domain.ProtocolNative))
			if err != nil {
				t.Fatal(err)
			}
			p, err := kind.New(config, key, client)
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
	}
}

// Player is a model that says its replies one after the other.
type Player struct {
	fake Fake

	mu      sync.Mutex
	replies []Reply
	bodies  [][]byte
}

// Play returns a server's handler that sends replies in order. A call beyond the last reply gets an error that is
// not retryable.
func (f Fake) Play(replies ...Reply) *Player { return &Player{fake: f, replies: replies} }

func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	reply, ok := p.next(body)
	if !ok {
		http.Error(w, `{"error":{"message":"the fake has nothing more to say"}}`, http.StatusBadRequest)
		return
	}
	if reply.Status == 0 {
		p.fake.Write(w, r, body, reply)
		return
	}
	reply.send(w)
}

func (p *Player) next(body []byte) (Reply, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bodies = append(p.bodies, body)
	if len(p.replies) == 0 {
		return Reply{}, false
	}
	reply := p.replies[0]
	p.replies = p.replies[1:]
	return reply, true
}

// Requests are the bodies that came, in their order.
func (p *Player) Requests() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([][]byte(nil), p.bodies...)
}

// Left returns the number of unused replies.
func (p *Player) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.replies)
}

// send writes a reply that is a status.
func (r Reply) send(w http.ResponseWriter) {
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(r.Status)
	_, _ = fmt.Fprint(w, r.Body) // the client may have left
}
