package openai_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/openai"
	"github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The contract, with OpenAI and with each vendor that has a preset.
func TestContract(t *testing.T) {
	t.Run("openai", func(t *testing.T) { suite.Run(t, fake.OpenAI().Wire(openai.Kind())) })
	t.Run(fake.Compatible().Name, func(t *testing.T) { suite.Run(t, fake.Compatible().Wire(openai.Compatible())) })
	for _, vendor := range fake.Presets() {
		t.Run(vendor.Name, func(t *testing.T) { suite.RunPreset(t, vendor.Wire(openai.Compatible())) })
	}
}

func TestConnectionsAreKept(t *testing.T) {
	suite.OneConnection(t, fake.Compatible(), openai.Compatible())
}

// A stream that never ends is left, and its connection with it.
func TestEndlessStream(t *testing.T) {
	left := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(left)
		piece := strings.Repeat("word ", 2000)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"`+piece+`"}}]}`+"\n\n")
		}
	}))
	defer server.Close()
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	defer client.CloseIdleConnections()
	p := fake.Compatible().Wire(openai.Compatible()).New(t, server.URL, "sk-x", client)
	answer, err := p.Query(t.Context(), &providers.Request{Prompt: suite.Prompt(), NewID: repeatable.IDs(), OnDelta: func(providers.Delta) {}})
	var e *providers.Error
	if answer != nil || !errors.As(err, &e) || e.Class != providers.ClassInvalidRequest || !strings.Contains(e.Message, "too large") {
		t.Errorf("got %v, %v", answer != nil, err)
	}
	<-left
}

// Whatever the server's environment holds for other programs, the request goes where
// the config says, with the config's key and nothing of this machine.
func TestTheEnvironmentDoesNotLeakIn(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-poison", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_ORG_ID": "org-poison",
		"OPENAI_PROJECT_ID": "proj-poison", "OPENAI_CUSTOM_HEADERS": "X-Poison: poison", "OPENAI_ADMIN_KEY": "sk-poison",
	} {
		t.Setenv(name, value)
	}
	var heads []http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heads = append(heads, r.Header)
		if r.URL.Path == "/v1/models" && r.Method == http.MethodGet && r.ContentLength == 0 {
			_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	defer client.CloseIdleConnections()
	config := []byte(`{"base_url":"` + server.URL + `/v1","model":"m"}`)
	for _, key := range []string{"", "sk-mine"} {
		p, err := openai.Compatible().New(config, key, client)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Query(t.Context(), &providers.Request{Prompt: suite.Prompt(), NewID: repeatable.IDs()}); err != nil {
			t.Fatal(err)
		}
		if names, err := openai.Compatible().Models(t.Context(), config, key, client); err != nil || len(names) != 1 {
			t.Fatalf("the list of models: %v, %v", names, err)
		}
	}
	for i, head := range heads {
		if want := []string{"", "Bearer sk-mine"}[i/2]; head.Get("Authorization") != want {
			t.Errorf("request %d is authorised by %q", i, head.Get("Authorization"))
		}
		for name, values := range head {
			if text := name + strings.Join(values, ""); strings.Contains(strings.ToLower(text), "poison") || strings.Contains(text, "Stainless") {
				t.Errorf("request %d says %s: %v", i, name, values)
			}
		}
	}
}
