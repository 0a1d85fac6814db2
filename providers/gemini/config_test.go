package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/suite"
)

func TestConfigs(t *testing.T) {
	for config, want := range map[string]string{
		`{"model":"gemini-3-flash"}`:                                          "",
		`{"model":"tunedModels/mine-1","base_url":"http://h/gemini/v1beta/"}`: "",
		`{}`:                                             "A model is needed",
		`{"model":"a b"}`:                                "no name of a model",
		`{"model":"../x"}`:                               "no name of a model",
		`{"model":"x?key=1"}`:                            "no name of a model",
		`{"model":"m","small_model":"a/../b"}`:           "no name of a model",
		`{"model":"m","base_url":"ftp://h"}`:             "must be like",
		`{"model":"m","base_url":"https://u:p@h"}`:       "contain a user",
		`{"model":"m","base_url":"https://h/?key=AIza"}`: "a user, query",
		`{"model":"m","colour":"red"}`:                   "unknown field",
	} {
		_, err := newProvider(json.RawMessage(config), "", nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", config, err)
		}
	}
	if !json.Valid(Kind().Schema) {
		t.Error("the schema is no JSON")
	}
	p := made(t, `{"model":"gemini-3-flash","small_model":"s","protocol":"json","context_window":1000000}`, "", nil)
	if a := p.Abilities(); a.NativeCalls || a.MaxTokens != defaultMaxTokens || a.ContextWindow != 1_000_000 || a.SmallModel != "s" {
		t.Errorf("abilities %+v", a)
	}
}

// Whatever the server's environment holds for other programs, the request goes where
// the config says, with the config's key and nothing else.
func TestTheEnvironmentDoesNotLeakIn(t *testing.T) {
	poisoned := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was called", r.URL)
	}))
	defer poisoned.Close()
	// The library's own line about two keys in the environment; it holds neither.
	var written bytes.Buffer
	before := log.Writer()
	log.SetOutput(&written)
	defer log.SetOutput(before)
	for name, value := range map[string]string{
		"GOOGLE_API_KEY": "AIza-poison", "GEMINI_API_KEY": "AIza-poison-2", "GOOGLE_GENAI_USE_VERTEXAI": "true",
		"GOOGLE_GENAI_USE_ENTERPRISE": "1", "GOOGLE_CLOUD_PROJECT": "poison", "GOOGLE_CLOUD_LOCATION": "poison",
		"GOOGLE_CLOUD_REGION": "poison", "GOOGLE_GEMINI_BASE_URL": poisoned.URL, "GOOGLE_VERTEX_BASE_URL": poisoned.URL,
		"GOOGLE_APPLICATION_CREDENTIALS": "/poison.json", "HTTPS_PROXY": poisoned.URL, "HTTP_PROXY": poisoned.URL,
	} {
		t.Setenv(name, value)
	}
	var heads []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heads = append(heads, r.URL.String()+fmt.Sprint(r.Header))
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"models":[{"name":"models/m"}]}`)
			return
		}
		_, _ = io.WriteString(w, finished)
	}))
	defer server.Close()
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	defer client.CloseIdleConnections()
	config := json.RawMessage(fmt.Sprintf(`{"model":"gemini-3-flash","base_url":%q}`, server.URL))
	for _, key := range []string{"AIza-ours", ""} {
		p, err := newProvider(config, key, client)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Query(t.Context(), &providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi")}}, NewID: repeatable.IDs()}); err != nil {
			t.Fatal(err)
		}
		if _, err := Kind().Models(t.Context(), config, key, client); err != nil {
			t.Fatal(err)
		}
	}
	if len(heads) != 4 {
		t.Fatalf("%d requests", len(heads))
	}
	for i, head := range heads {
		if strings.Contains(head, "oison") || strings.Contains(head, "AIza-ours") != (i < 2) || strings.Contains(head, noKey) ||
			strings.Contains(strings.SplitN(head, "map[", 2)[0], "AIza") {
			t.Errorf("request %d has the address and headers %s", i, head)
		}
	}
	if strings.Contains(written.String(), "oison") {
		t.Errorf("logged: %s", written.String())
	}
}

// A redirect may lead somewhere else: nothing goes there, whatever client is below.
func TestTheKeyStaysWithItsHost(t *testing.T) {
	var got []string
	n := network(func(r *http.Request) (*http.Response, error) {
		got = append(got, r.URL.Host+" "+r.Header.Get(keyHeader))
		all, err := io.ReadAll(r.Body)
		if err != nil || !json.Valid(all) || int64(len(all)) != r.ContentLength {
			t.Errorf("the body is %q, %v", all, err)
		}
		if len(got) == 1 {
			response := answerWith(r, http.StatusTemporaryRedirect, strings.NewReader(""))
			response.Header.Set("Location", "https://other.example/v1beta/models/m:generateContent")
			return response, nil
		}
		return answerWith(r, http.StatusOK, strings.NewReader(finished)), nil
	})
	p := made(t, plainConfig, "AIza-ours", n)
	if _, err := p.Query(t.Context(), &providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi")}}, NewID: repeatable.IDs()}); err == nil {
		t.Error("a redirect was taken for an answer")
	}
	if strings.Join(got, "\n") != "generativelanguage.googleapis.com AIza-ours" {
		t.Errorf("sent to %v", got)
	}
}

func TestModelLists(t *testing.T) {
	pages := map[string]string{
		"":    `{"models":[{"name":"models/gemini-3-pro","supportedGenerationMethods":["generateContent"]},{"name":"models/embedding","supportedGenerationMethods":["embedContent"]}],"nextPageToken":"two"}`,
		"two": `{"models":[{"name":"models/gemini-3-flash"},{"name":"models/gemini-3-pro"},{"name":""}]}`,
	}
	ask := func(key string, answer func(*http.Request) (int, string)) ([]string, error) {
		return Kind().Models(t.Context(), json.RawMessage(`{"model":"m"}`), key, &http.Client{Transport: network(func(r *http.Request) (*http.Response, error) {
			status, body := answer(r)
			return answerWith(r, status, strings.NewReader(body)), nil
		})})
	}
	names, err := ask("AIza-x", func(r *http.Request) (int, string) {
		if r.URL.Path != "/v1beta/models" || r.Header.Get(keyHeader) != "AIza-x" {
			t.Errorf("asked %s %v", r.URL, r.Header)
		}
		return 200, pages[r.URL.Query().Get("pageToken")]
	})
	if err != nil || strings.Join(names, " ") != "gemini-3-flash gemini-3-pro" {
		t.Errorf("got %v, %v", names, err)
	}
	endless, err := ask("k", func(*http.Request) (int, string) {
		return 200, `{"models":[` + strings.Repeat(`{"name":"models/m"},`, 999) + `{"name":"models/n"}],"nextPageToken":"more"}`
	})
	if err != nil || strings.Join(endless, " ") != "m n" {
		t.Errorf("an endless list: %v, %v", endless, err)
	}
	for body, want := range map[string]string{
		"<html>Welcome</html>": "Welcome", `{"models":5}`: "not what the Gemini API sends", `{"models":[5]}`: "not what the Gemini API sends",
		"": "broke off", `{"models":[{"name"`: "broke off", `{"error":{"code":500,"message":"inside"}}`: "inside", "[]": "network", "nonsense": "not JSON",
	} {
		if names, err := ask("k", func(*http.Request) (int, string) { return 200, body }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", body, names, err)
		}
	}
	if names, err := ask("k", func(*http.Request) (int, string) { return 200, `{}` }); err != nil || len(names) != 0 {
		t.Errorf("none: %v, %v", names, err)
	}
	var e *providers.Error
	if _, err := ask("AIza-secret", func(*http.Request) (int, string) {
		return 400, `{"error":{"code":400,"message":"API key not valid: AIza-secret","details":[{"reason":"API_KEY_INVALID"}]}}`
	}); !errors.As(err, &e) || e.Class != providers.ClassAuthentication || strings.Contains(err.Error(), "AIza-secret") {
		t.Errorf("got %v", err)
	}
}

// The limits of a call, in virtual time.
func TestTimeouts(t *testing.T) {
	hello, end := chunks(`{"text":"hello"}`), stop("STOP")
	table := map[string]suite.Slow{
		"steady but slow":          {Pieces: []string{hello, hello, end}, Pause: 100 * time.Second, Streamed: true},
		"no head":                  {Headers: time.Hour, Streamed: true, Failure: "no data for 2m0s", After: 2 * time.Minute},
		"no byte after the head":   {Pieces: []string{hello}, Pause: time.Hour, Headers: time.Minute, Streamed: true, Failure: "no data for 2m0s", After: 2 * time.Minute},
		"long pauses, then an end": {Pieces: []string{hello, hello}, Pause: 119 * time.Second, Streamed: true, Failure: "broke off", After: 3 * 119 * time.Second},
		"whole may take long":      {Pieces: []string{finished}, Pause: 90 * time.Second, Headers: 6 * time.Minute},
		"whole, but not for ever":  {Pieces: []string{finished}, Pause: time.Hour, Failure: "10m0s", After: 10 * time.Minute},
		"open after its reason":    {Pieces: []string{hello + end}, Pause: time.Second, Streamed: true, Open: true, Took: 2 * time.Second},
		"text after a reason":      {Pieces: []string{end, hello, end}, Pause: time.Second, Streamed: true, Open: true},
		"a drop now and then":      {Pieces: strings.Split(strings.Repeat(hello+"|", 100), "|"), Pause: time.Minute, Streamed: true, Failure: "no complete answer within 10m0s", After: 10 * time.Minute},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			row.Check(t, func(t *testing.T, client *http.Client) providers.Provider {
				t.Helper()
				p, err := newProvider(json.RawMessage(plainConfig), "", client)
				if err != nil {
					t.Fatal(err)
				}
				return p
			})
		})
	}
}
