package servertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// HoldOn is what a person says whom the vendor lets wait.
const HoldOn = "Think it over."

// theSeed is the request of the fixture's automation.
const theSeed = "Look at it all."

// vendor is the world outside: an AI that greets, proposes a zone, and has nothing to add.
type vendor struct {
	once   sync.Once
	server *httptest.Server
}

var TheVendor vendor

func (v *vendor) URL() string {
	v.once.Do(func() {
		v.server = httptest.NewServer(http.HandlerFunc(vendorAnswer))
		v.server.Config.SetKeepAlivesEnabled(false) // an idle connection would stop the time of a test in synctest
	})
	return v.server.URL
}

func (v *vendor) Stop() {
	if v.server != nil {
		v.server.Close()
	}
}

// vendorCalls maps a text in the prompt to the command that the fake model calls once in response.
var vendorCalls = map[string]suite.Call{
	"hello":       {ID: "call_zone", Name: "CREATE_ZONE", Arguments: `{"name":"x"}`},
	"Ask me.":     {ID: "call_ask", Name: "ASK_USER", Arguments: `{"type":"MultipleChoice","data":{"question":"Which?","options":["a","b"]}}`},
	"Look it up.": {ID: "call_look", Name: "look_up", Arguments: `{"a":"b"}`},
	theSeed:       {ID: "call_end", Name: "COMPLETE", Arguments: `{}`},
}

func vendorAnswer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	text := string(body)
	switch {
	case err != nil:
		return
	case r.Method == http.MethodGet:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
		return
	case strings.Contains(text, HoldOn):
		<-r.Context().Done()
		return
	}
	reply := suite.Reply{Text: []string{"hi"}, StopReason: "stop", Usage: domain.Usage{InputTokens: 5, OutputTokens: 2}}
	for said, call := range vendorCalls {
		if strings.Contains(text, said) && !strings.Contains(text, call.ID) {
			reply.Calls, reply.StopReason = []suite.Call{call}, "calls"
		}
	}
	fake.Compatible().Write(w, r, body, reply)
}

// FixtureBuilder creates the fixture over the API.
type FixtureBuilder struct {
	T       testing.TB
	Handler http.Handler
}

func (s FixtureBuilder) Call(status int, method, path, body string, headers ...string) map[string]any {
	s.T.Helper()
	r := httptest.NewRequestWithContext(s.T.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer root")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, r)
	if w.Code != status {
		s.T.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	var out map[string]any
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			s.T.Fatal(err)
		}
	}
	return out
}

// numbered makes the ids of the story: "zon_1", "zon_2", and a few by their names.
func numbered() domain.IDSource {
	var mu sync.Mutex
	counts := map[string]int{}
	names := map[string][]string{"ses": {"ses_1", "ses_far", "ses_seed"}, "msg": {"msg_tried", "msg_1", "msg_2", "msg_cancel", "msg_3", "msg_4"}}
	return func(prefix string) string {
		mu.Lock()
		defer mu.Unlock()
		counts[prefix]++
		if n := counts[prefix]; n <= len(names[prefix]) {
			return names[prefix][n-1]
		}
		return fmt.Sprintf("%s_%d", prefix, counts[prefix])
	}
}

// buildFixture starts a server and creates the data with which every world begins; the result is the files of its
// data directory.
func buildFixture(tb testing.TB) map[string][]byte {
	tb.Helper()
	dir := tb.TempDir()
	config, behind := WireServer(tb, Wiring{
		Dir: dir, RootKey: RootKey, PublicURL: "https://fermata.example", Clock: repeatable.Clock(WorldTime), NewID: numbered(),
	})
	config.Edge.Auth = RoleAuth{}
	s := FixtureBuilder{tb, handlers.New(config)}
	s.addData()
	s.addSessions()
	s.addAutomations()
	addTasks(tb, behind)
	hook, err := behind.Store.Automations.Automation(tb.Context(), domain.DefaultWorkspace, "aut_1")
	if err == nil { // the secret of its webhook is "secret"; the next start seals it
		err = behind.Store.Automations.ResealHook(tb.Context(), hook, automations.HookHash("secret"), "secret")
	}
	if err != nil {
		tb.Fatal(err)
	}
	for _, i := range s.Call(200, "GET", "/v1/admin/invariants", "")["data"].([]any) {
		if broken := i.(map[string]any); broken["count"] != 0.0 {
			tb.Fatalf("the story breaks an invariant: %v", broken)
		}
	}
	behind.Stop()
	files := map[string][]byte{}
	for _, name := range []string{"fermata.db", "secret.key"} {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			tb.Fatal(err)
		}
	}
	return files
}

// addData creates three zones, one of them with a tool and an entry, a tool type, and a text.
func (s FixtureBuilder) addData() {
	s.T.Helper()
	for i, name := range []string{"Health", "Work", "Home"} {
		s.Call(201, "POST", "/v1/zones", fmt.Sprintf(`{"name":%q,"position":%d}`, name, i))
	}
	s.Call(200, "PATCH", "/v1/zones/zon_1", `{"require_validation":true}`)
	s.Call(200, "PATCH", "/v1/zones/zon_1", `{"require_validation":false}`)
	s.Call(201, "POST", "/v1/tools", `{"zone_id":"zon_1","tool_type":"tracking","name":"Running","config":{"unit":"km"}}`)
	s.Call(201, "POST", "/v1/tools/tol_1/entries", `{"data":{"value":8}}`)
	s.Call(201, "POST", "/v1/tool-types", `{"id":"mood","name":"Mood","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`)
	s.Call(201, "POST", "/v1/documents", `{"key":"me","title":"Me","body":"I run."}`)
	s.Call(200, "POST", "/v1/documents/doc_1/publish", "")
	s.Call(201, "POST", "/v1/keys", `{"name":"laptop","role":"member"}`)
	s.Call(201, "POST", "/v1/agents", `{"name":"Librarian","description":"Finds texts.","system_prompt":"Find.","commands":["SEARCH"]}`)
	s.Call(201, "POST", "/v1/webhooks", `{"url":"http://127.0.0.1:9/hook","types":["notice","session.ended"]}`)
	s.Call(201, "POST", "/v1/workspaces", `{"id":"acme"}`)
	s.Call(201, "POST", "/v1/providers", VendorBody(s.T))
	s.Call(201, "POST", "/v1/connectors", ConnectorBody("SHOP"))
}

// ConnectorBody is the body that makes the vendor a connector.
func ConnectorBody(prefix string) string {
	return fmt.Sprintf(`{"name":"Shop","kind":"http","prefix":%q,"config":{"base_url":%q,"headers":{"Authorization":"Bearer abc"}},
		"commands":[{"name":"GET_ITEM","description":"An item.","effect":"read_only","params_schema":{"type":"object","properties":{"id":{"type":"string"}}},
		"request":{"method":"GET","path":"/items/{id}"}}]}`, prefix, TheVendor.URL())
}

// VendorBody is the body that makes the vendor the provider of a workspace.
func VendorBody(tb testing.TB) string {
	tb.Helper()
	config := fake.Compatible().Config(TheVendor.URL(), domain.ProtocolNative)
	config["api_key"] = "sk-0123456789abcd"
	body, err := json.Marshal(map[string]any{"name": "Local", "kind": "openai_compatible", "is_default": true, "config": config})
	if err != nil {
		tb.Fatal(err)
	}
	return string(body)
}

// addSessions creates a session that waits for the approval of an action, with two queued messages, and a session
// of another workspace.
func (s FixtureBuilder) addSessions() {
	s.T.Helper()
	s.Call(201, "POST", "/v1/sessions", `{"name":"Running","require_validation":true,"message":"hello"}`)
	testkit.Until(s.T, "the AI has proposed its action", func() bool {
		return s.Call(200, "GET", "/v1/sessions/ses_1", "")["phase"] == string(domain.WaitingValidation)
	})
	s.Call(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"more","if_busy":"enqueue"}`)
	s.Call(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"still","if_busy":"enqueue"}`)
	s.Call(201, "POST", "/v1/sessions", `{"name":"Far"}`, "Fermata-Workspace", "acme")
}

// addAutomations creates one automation with a schedule and a webhook, one of whose grants was withdrawn.
func (s FixtureBuilder) addAutomations() {
	s.T.Helper()
	s.Call(201, "POST", "/v1/automations", `{"name":"Report","seed":{"text":"`+theSeed+`"},"triggers":[{"type":"webhook"}],
		"schedule":{"type":"cron","expression":"0 8 * * *","time_zone":"UTC","starts_at":"2026-03-01T00:00:00"}}`)
	for range 2 {
		s.Call(201, "POST", "/v1/automations/aut_1/grants", `{"commands":["CREATE_DATA"],"tool_ids":["tol_1"],"max_per_run":2}`)
	}
	s.Call(204, "DELETE", "/v1/automations/aut_1/grants/gra_1", "")
}
