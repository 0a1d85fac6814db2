package doors

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// seenHeaders are the headers that clients send which a browser asks about first.
type seenHeaders struct {
	mu   sync.Mutex
	sent map[string]string // by name, the address that it was sent to
}

// byItself are headers that a browser sends without asking, or sets itself, and those of
// Node.js alone.
var byItself = []string{
	"Accept", "Accept-Encoding", "Accept-Language", "Connection", "Content-Length", "Host", "Keep-Alive", "Sec-Fetch-Mode", "Transfer-Encoding",
	"X-Forwarded-For",
}

func (s *seenHeaders) note(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range r.Header {
		if !slices.Contains(byItself, name) {
			s.sent[name] = r.URL.Path
		}
	}
}

// What other people's clients send, pages of an origin that is allowed may send too, and they
// read which session an answer is of.
func TestOtherPeoplesClientsInAPage(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t), func(c *app.Config) {
		c.RootKey, c.AllowedOrigins = harness.RootKey, []string{"https://app.example"}
	})
	s.Key = harness.RootKey
	s.Scripted(`[{"when": {"contains": "Second question"}, "answer": {"text": "The second answer."}}, {"answer": {"text": "The first answer."}}]`)
	key := s.Call("POST", "/v1/keys", map[string]any{"name": "chat", "role": "member"}).Want(201).Str("key")
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	seen := &seenHeaders{sent: map[string]string{}}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		seen.note(r.In)
		r.SetURL(to)
	}}
	between := httptest.NewServer(proxy)
	t.Cleanup(between.Close)
	var said any
	for _, program := range []string{"openai.mjs", "mcp.mjs"} {
		runClient(t, program, between.URL, key, &said, "FERMATA_URL="+between.URL, "FERMATA_KEY="+key)
	}
	if seen.sent["X-Stainless-Lang"] == "" || seen.sent["Mcp-Protocol-Version"] == "" {
		t.Fatalf("the clients sent %v", seen.sent)
	}
	for name, path := range seen.sent {
		h := s.fromPage(http.MethodOptions, path, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", name)
		if !names(h.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("%s cannot be sent to %s", name, path)
		}
	}
	h := s.fromPage(http.MethodGet, "/v1/models", "Authorization", "Bearer "+key)
	for _, name := range []string{"X-Fermata-Session", "X-Should-Retry", "Retry-After"} {
		if !names(h.Get("Access-Control-Expose-Headers"), name) {
			t.Errorf("%s cannot be read", name)
		}
	}
}

// names says whether a list has a header's name in it.
func names(list, name string) bool {
	return slices.ContainsFunc(strings.Split(list, ", "), func(one string) bool { return strings.EqualFold(one, name) })
}

// fromPage makes a request as a page of the origin that is allowed does.
func (s *server) fromPage(method, path string, headers ...string) http.Header {
	s.T.Helper()
	request, err := http.NewRequestWithContext(s.T.Context(), method, s.URL+path, http.NoBody)
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Origin", "https://app.example")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	_ = response.Body.Close()
	return response.Header
}
