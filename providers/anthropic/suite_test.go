package anthropic_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/anthropic"
	"github.com/fermata-dev/fermata/providers/anthropic/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	suite.Run(t, fake.Claude().Wire(anthropic.Kind()))
}

func TestConnectionsAreKept(t *testing.T) { suite.OneConnection(t, fake.Claude(), anthropic.Kind()) }

// Whatever the server's environment holds for other programs, the request goes where the
// config says, with the config's key and nothing else.
func TestTheEnvironmentDoesNotLeakIn(t *testing.T) {
	poisoned := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was called", r.URL)
	}))
	defer poisoned.Close()
	dir := t.TempDir()
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "sk-ant-poison-key", "ANTHROPIC_AUTH_TOKEN": "poison-token",
		"ANTHROPIC_BASE_URL": poisoned.URL, "ANTHROPIC_PROFILE": "poison", "ANTHROPIC_CONFIG_DIR": dir,
		"ANTHROPIC_CUSTOM_HEADERS": "X-Poison: poison", "ANTHROPIC_FEDERATION_RULE_ID": "fdrl_poison",
		"ANTHROPIC_ORGANIZATION_ID": "poison", "ANTHROPIC_IDENTITY_TOKEN": "poison", "ANTHROPIC_WORKSPACE_ID": "poison",
		"HTTPS_PROXY": poisoned.URL, "HTTP_PROXY": poisoned.URL,
	} {
		t.Setenv(name, value)
	}
	var heads []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heads = append(heads, fmt.Sprint(r.Header))
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"data":[{"id":"m","type":"model"}],"has_more":false}`)
			return
		}
		r.Header.Set("X-Api-Key", "present") // the fake wants one
		fake.Claude().Play(suite.Reply{Text: []string{"a"}, StopReason: "stop"}).ServeHTTP(w, r)
	}))
	defer server.Close()
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	defer client.CloseIdleConnections()
	for _, key := range []string{"sk-ours", ""} {
		p := fake.Claude().Wire(anthropic.Kind()).New(t, server.URL, key, client)
		if _, err := p.Query(t.Context(), &providers.Request{Prompt: suite.Prompt(), NewID: repeatable.IDs()}); err != nil {
			t.Fatal(err)
		}
		if _, err := anthropic.Kind().Models(t.Context(), json.RawMessage(fmt.Sprintf(`{"base_url":%q}`, server.URL)), key, client); err != nil {
			t.Fatal(err)
		}
	}
	if len(heads) != 4 {
		t.Fatalf("%d requests", len(heads))
	}
	for i, head := range heads {
		if strings.Contains(head, "oison") || strings.Contains(head, "sk-ours") != (i < 2) {
			t.Errorf("request %d has the headers %s", i, head)
		}
	}
}
