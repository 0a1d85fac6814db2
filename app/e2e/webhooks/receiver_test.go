package webhooks

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// message is what a receiver was sent, verified with the library of Standard Webhooks.
type message struct {
	ID          string          // the header
	Type        string          `json:"type"`
	Seq         int64           `json:"seq"`
	At          string          `json:"at"`
	WorkspaceID string          `json:"workspace_id"`
	Data        json.RawMessage `json:"data"`
}

// session is whose event it is.
func (m *message) session() string {
	var data struct {
		SessionID string `json:"session_id"`
		Session   struct{ ID string }
		Message   struct {
			SessionID string `json:"session_id"`
		}
	}
	_ = json.Unmarshal(m.Data, &data)
	return data.SessionID + data.Session.ID + data.Message.SessionID
}

// receiver keeps what it was sent.
type receiver struct {
	*httptest.Server
	t testing.TB

	mu      sync.Mutex
	secret  string
	got     []message // those that it took
	tries   int
	forged  int
	refuses func(m *message, w http.ResponseWriter) bool // it has answered, and does not take it
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{t: t}
	r.Server = httptest.NewServer(http.HandlerFunc(r.take))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) take(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	secret, refuses := r.secret, r.refuses
	r.tries++
	r.mu.Unlock()
	library, err := standardwebhooks.NewWebhook(secret)
	if err == nil {
		err = library.Verify(body, req.Header)
	}
	m := message{ID: req.Header.Get("webhook-id")}
	if err != nil || json.Unmarshal(body, &m) != nil {
		r.mu.Lock()
		r.forged++
		r.mu.Unlock()
		http.Error(w, "forged", http.StatusUnauthorized)
		return
	}
	if refuses != nil && refuses(&m, w) {
		return
	}
	r.mu.Lock()
	r.got = append(r.got, m)
	r.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) change(what func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	what()
}

// taken is what it took so far.
func (r *receiver) taken() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]message(nil), r.got...)
}

func (r *receiver) seqs() []int64 {
	var out []int64
	for _, m := range r.taken() {
		out = append(out, m.Seq)
	}
	return out
}

// registered makes a webhook that leads to it.
func (r *receiver) registered(s *harness.Server, types ...string) string {
	r.t.Helper()
	made := s.Call("POST", "/v1/webhooks", map[string]any{"url": r.URL + "/hook", "types": types}).Want(201)
	r.change(func() { r.secret = made.Str("secret") })
	return made.Str("id")
}
