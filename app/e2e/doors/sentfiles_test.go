package doors

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
)

// onlooker is a vendor whose model sees; it keeps what it is asked.
type onlooker struct {
	mu     sync.Mutex
	bodies []string
}

func (o *onlooker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bodies = append(o.bodies, string(body))
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop",`+
		`"message":{"role":"assistant","content":"Seen."}}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`)
}

// with are the requests that hold a text.
func (o *onlooker) with(text string) (found []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, body := range o.bodies {
		if strings.Contains(body, text) {
			found = append(found, body)
		}
	}
	return found
}

// Other people's clients send pictures and files as they do to anybody: the model sees them.
func TestOtherPeoplesClientsSendFiles(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db, func(c *app.Config) { c.RootKey, c.AllowedHosts = harness.RootKey, []string{"127.0.0.0/8"} })
		s.Key = harness.RootKey
		seen := &onlooker{}
		vendor := httptest.NewServer(seen)
		t.Cleanup(vendor.Close)
		config := openai.Compatible().Config(vendor.URL, domain.ProtocolNative)
		config["images"] = true
		s.Call("POST", "/v1/providers", map[string]any{"name": "Eyes", "kind": "openai_compatible", "is_default": true, "config": config}).Want(201)
		key := s.Call("POST", "/v1/keys", map[string]any{"name": "chat", "role": "member"}).Want(201).Str("key")
		var drawn bytes.Buffer
		m := image.NewNRGBA(image.Rect(0, 0, 30, 20))
		m.SetNRGBA(3, 4, color.NRGBA{200, 30, 60, 255})
		if err := png.Encode(&drawn, m); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Completions   [][3]string
			Refused       []any
			Responses     []any
			SDK, UI, AGUI string
		}
		runClient(t, "files.mjs", s.URL, key, &got, "PICTURE="+base64.StdEncoding.EncodeToString(drawn.Bytes()))
		if c := got.Completions; c[0][0] != "Seen." || c[1][0] != "Seen." || c[0][1] != c[1][1] || c[0][2] != "new" || c[1][2] != "" {
			t.Errorf("chat completions: %q", c)
		}
		if !slices.Equal(got.Refused, []any{422.0, "invalid", "messages[0].content[0].image_url.url"}) {
			t.Errorf("an address is answered with %v", got.Refused)
		}
		if r := got.Responses; r[0] != "Seen." || r[1] != "Seen." || !slices.Equal(r[2].([]any), []any{"input_text", "input_image", "input_file"}) {
			t.Errorf("responses: %v", r)
		}
		if got.SDK != "Seen." || got.UI != "Seen." || got.AGUI != "Seen." {
			t.Errorf("the others: %q %q %q", got.SDK, got.UI, got.AGUI)
		}
		for _, name := range []string{"completions", "responses", "ai-sdk", "ui-chat", "ag-ui"} {
			asked := seen.with(name)
			if len(asked) == 0 || !strings.Contains(asked[0], "data:image/png;base64,") {
				t.Errorf("%s: the model was shown %.2000q", name, asked)
			}
		}
		if asked := seen.with("milk;3"); len(asked) < 2 {
			t.Errorf("the list was in %d prompts", len(asked))
		}
		var sums []string
		for _, f := range s.Call("GET", "/v1/files?limit=200", nil).Want(200).List("data") {
			if sum := f.(map[string]any)["sha256"].(string); !slices.Contains(sums, sum) {
				sums = append(sums, sum)
			}
		}
		if len(sums) != 2 {
			t.Errorf("what was sent is kept as %d contents", len(sums))
		}
		s.Sound()
	})
}
