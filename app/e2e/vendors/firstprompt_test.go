package vendors

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
	"github.com/fermata-dev/fermata/prompt"
	anthropic "github.com/fermata-dev/fermata/providers/anthropic/fake"
	gemini "github.com/fermata-dev/fermata/providers/gemini/fake"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

// wires are the ways in which a prompt is written.
var wires = []struct {
	name     string
	fake     suite.Fake
	protocol domain.Protocol
}{
	{"anthropic", anthropic.Claude(), domain.ProtocolNative},
	{"openai", openai.OpenAI(), domain.ProtocolNative},
	{"gemini", gemini.Gemini(), domain.ProtocolNative},
	{"text", openai.Compatible(), domain.ProtocolJSON},
}

// recorder is a vendor that answers each request with a reply, and records what it was sent.
type recorder struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte
}

func record(t *testing.T, fake suite.Fake, reply func(body []byte, call int) suite.Reply) *recorder {
	t.Helper()
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.bodies = append(r.bodies, body)
		n := len(r.bodies)
		r.mu.Unlock()
		fake.Write(w, req, body, reply(body, n))
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) sent() [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([][]byte(nil), r.bodies...)
}

// said is a reply of text, in a protocol.
func said(text string, protocol domain.Protocol) suite.Reply {
	if protocol == domain.ProtocolJSON {
		quoted, _ := json.Marshal(map[string]string{"pre_text": text}) // strings only: it cannot fail
		text = string(quoted)
	}
	return suite.Reply{Text: []string{text}, StopReason: "stop"}
}

// recorded makes a provider at a recorder, and a chat with it.
func recorded(s *server, fake suite.Fake, url string, protocol domain.Protocol) (chat string) {
	config := fake.Config(url, protocol)
	config["api_key"] = "sk-of-the-fake-0123456789"
	id := s.Call("POST", "/v1/providers", map[string]any{"name": "Recorded", "kind": fake.Kind, "config": config}).Want(201).Str("id")
	return s.Call("POST", "/v1/sessions", map[string]any{"provider_id": id}).Want(201).Str("id")
}

var (
	now      = regexp.MustCompile(`Now: \w+ [0-9: -]+`)
	cacheKey = regexp.MustCompile(`,"prompt_cache_key":"[^"]*"`) // it names the session
)

// TestTheFirstPrompt: all that a vendor is sent for the first "hi" in an empty workspace. A change of it is reviewed
// as a diff: each word is paid for with every call. With native calls it has at most so many tokens, counted as the
// server estimates them, but over every byte of the request.
func TestTheFirstPrompt(t *testing.T) {
	for _, wire := range wires {
		for detail, most := range map[string]int{"normal": 3_000, "minimal": 1_500} {
			t.Run(wire.name+"/"+detail, func(t *testing.T) {
				s := newServer(t, harness.Databases["sqlite"](t))
				s.Call("PATCH", "/v1/settings", map[string]any{"prompt_detail": detail}).Want(200)
				vendor := record(t, wire.fake, func([]byte, int) suite.Reply { return said("Hello.", wire.protocol) })
				s.Say(recorded(s, wire.fake, vendor.URL, wire.protocol), "hi")
				bodies := vendor.sent()
				if len(bodies) != 1 {
					t.Fatalf("%d calls", len(bodies))
				}
				sent := cacheKey.ReplaceAll(bodies[0], nil)
				if tokens := prompt.EstimateTokens(string(sent)); tokens > most && wire.protocol == domain.ProtocolNative {
					t.Errorf("the request has %d tokens, at most %d are wanted", tokens, most)
				}
				var pretty bytes.Buffer
				if err := json.Indent(&pretty, now.ReplaceAll(sent, []byte("Now: Monday 2026-01-05 08:00 ")), "", "  "); err != nil {
					t.Fatal(err)
				}
				golden.Check(t, filepath.Join("testdata", "first-prompt-"+wire.name+"-"+detail+".json"), pretty.String()+"\n")
			})
		}
	}
}
