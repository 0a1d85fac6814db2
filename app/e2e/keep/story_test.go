package keep

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// passing is a script that leads a run through the phases in which the server works: a
// query, an answer that is no JSON, an action that fails, one that is done, and the end.
const passing = `[
	{"when": {"contains": "Pass", "roundtrip": 1}, "answer": {"text": "I look.", "calls": [{"name": "ZONES", "arguments": {}}]}},
	{"when": {"contains": "Pass", "roundtrip": 2}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": "{\"name\": "}]}},
	{"when": {"contains": "Pass", "roundtrip": 3}, "answer": {"text": "I rename it.", "calls": [{"name": "UPDATE_ZONE", "arguments": {"id": "zon_00000000000000000000000000000000", "name": "No"}}]}},
	{"when": {"contains": "Pass", "roundtrip": 4}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Made"}}]}},
	{"answer": {"text": "Done.", "calls": [{"name": "COMPLETE", "arguments": {}}]}}
]`

// hookAddress does not accept the events of the first workspace.
const hookAddress = "127.0.0.1:47318"

// frozen stops all sessions of a workspace once one of them is in a given phase.
type frozen struct {
	mu    sync.Mutex
	wants map[string]domain.Phase // by workspace
	is    map[string]int          // how many commits there were since
	seen  map[domain.Phase]bool   // that a commit left
	end   chan struct{}
}

func newFrozen() *frozen {
	return &frozen{wants: map[string]domain.Phase{}, is: map[string]int{}, seen: map[domain.Phase]bool{}, end: make(chan struct{})}
}

func (f *frozen) committed(c *domain.Change) {
	f.mu.Lock()
	stop := f.is[c.WorkspaceID] > 0
	for _, w := range c.Sessions {
		if w.Session == nil {
			continue
		}
		f.seen[w.Session.Phase] = true
		if f.wants[c.WorkspaceID] == w.Session.Phase && w.Session.Type == domain.Run {
			stop = true
		}
	}
	if stop {
		f.is[c.WorkspaceID]++
	}
	f.mu.Unlock()
	if stop {
		<-f.end
	}
}

func (f *frozen) commits(ws string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.is[ws]
}

// storedAtWork are the phases of work that a commit leaves in a run, and how a run comes to each; the
// others pass within one, unless a crash comes in between. So does a run that is about to be closed.
var storedAtWork = []struct {
	phase    domain.Phase
	steps    string
	settings map[string]any
}{
	{domain.ExecutingEnrichments, passing, nil},
	{domain.CallingAI, passing, nil},
	{domain.ExecutingActions, passing, nil},
	{domain.CompactingContext, `[{"times": 1, "fault": {"class": "context_too_long", "message": "too long"}},
		{"answer": {"calls": [{"name": "COMPLETE", "arguments": {}}]}}]`, nil},
	{domain.AwaitingSessionClosure, passing, map[string]any{"limits": map[string]any{"automation": map[string]any{"max_autonomous_roundtrips": 1}}}},
}

// makeGolden fills a server with sessions in every phase that a database can contain, and everything that waits next
// to them. Nothing continues in the workspaces named work-… until thaw.
func makeGolden(t *testing.T, db app.Database) (s *harness.Server, thaw func()) {
	f := newFrozen()
	s = harness.NewServer(t, db, func(c *app.Config) { c.AllowedHosts = []string{"127.0.0.1"} })
	thaw = sync.OnceFunc(func() { close(f.end) })
	t.Cleanup(thaw)
	s.Mu.Lock()
	s.Then = f.committed
	s.Mu.Unlock()
	makeRest(s)
	makeWaits(s)
	for _, at := range storedAtWork {
		phase := at.phase
		f.mu.Lock()
		f.wants[workspaceOf(phase)] = phase
		f.mu.Unlock()
		settings := map[string]any{"completion_confirmation_delay": "0s"}
		maps.Copy(settings, at.settings)
		p := made(s, workspaceOf(phase), at.steps, settings)
		id := p.call("POST", "/v1/automations", map[string]any{"name": "Pass", "seed": map[string]any{"text": "Pass"}, "overlap": "queue"}).Want(201).Str("id")
		go post(s.URL+"/v1/automations/"+id+"/execute", p.ws, "") // its answer may be frozen too
		testkit.Until(t, "a session to be in "+string(phase), func() bool { return f.commits(p.ws) == 1 })
		go post(s.URL+"/v1/automations/"+id+"/execute", p.ws, "")
		testkit.Until(t, "another run waits", func() bool { return f.commits(p.ws) == 2 })
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, phase := range domain.Phases {
		if !f.seen[phase] {
			t.Logf("no commit left a session in %s", phase)
		}
	}
	return s, thaw
}

func workspaceOf(phase domain.Phase) string {
	b := bytes.ToLower([]byte("work-" + phase))
	return string(bytes.ReplaceAll(b, []byte("_"), []byte("-")))
}

// post sends requests that the contract does not include, or that get no response while the workspace is frozen.
func post(url, ws, body string) {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Fermata-Workspace", ws)
	if answer, err := http.DefaultClient.Do(r); err == nil {
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
	}
}

// makeRest fills the first workspace with inactive content: data, documents, a chat with its history, an ended chat,
// a finished run, a schedule, secrets, and a webhook whose events are not accepted.
func makeRest(s *harness.Server) {
	p := made(s, "default", `[
		{"when": {"contains": "think"}, "answer": {"thinking": "Hm.", "text": "I thought."}},
		{"when": {"contains": "Make"}, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "By the AI"}}, {"name": "COMPLETE", "arguments": {}}]}},
		{"answer": {"text": "Hello to you. é \" \n <b> 漢字"}}]`, map[string]any{"completion_confirmation_delay": "0s"})
	p.phase(p.run("Make one", nil), "COMPLETED")
	zone := p.call("POST", "/v1/zones", map[string]any{"name": "Work"}).Want(201).Str("id")
	gone := p.call("POST", "/v1/zones", map[string]any{"name": "Gone"}).Want(201).Str("id")
	tool := p.call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "journal", "name": "Diary", "config": map[string]any{}}).Want(201).Str("id")
	for _, day := range []string{"2026-01-02T03:04:05Z", "2026-01-03T03:04:05Z"} {
		p.call("POST", "/v1/tools/"+tool+"/entries", map[string]any{"timestamp": day, "data": map[string]any{"text": "a peculiar day"}}).Want(201)
	}
	p.call("DELETE", "/v1/zones/"+gone, nil).Want(204)
	hours := p.call("POST", "/v1/documents", map[string]any{"key": "hours", "title": "Hours", "body": "Open until six."}).Want(201).Str("id")
	p.call("POST", "/v1/documents/"+hours+"/publish", nil).Want(200)
	p.call("POST", "/v1/providers", map[string]any{"name": "Far away", "kind": "openai_compatible",
		"config": map[string]any{"api_key": "sk-golden", "base_url": "http://127.0.0.1:9/v1", "model": "m"}}).Want(201)
	p.call("POST", "/v1/webhooks", map[string]any{"url": "http://" + hookAddress + "/events", "types": []string{"message.created", "session.status"}}).Want(201)
	p.call("POST", "/v1/connectors", map[string]any{"name": "Studio", "kind": "long_running", "prefix": "IDLE",
		"config": map[string]any{"base_url": "http://127.0.0.1:9"}, "commands": []any{map[string]any{"name": "RENDER", "description": "Render."}}}).Want(201)
	p.call("POST", "/v1/agents", map[string]any{"name": "Librarian", "description": "Looks things up.",
		"system_prompt": "Look it up.", "commands": []string{"ZONES"}}).Want(201)
	chat := p.chat()
	p.says(chat, "hello")
	p.phase(chat, "IDLE")
	p.says(chat, "think")
	p.phase(chat, "IDLE")
	ended := p.chat()
	p.call("POST", "/v1/sessions/"+ended+"/stop", nil).Want(200)
	daily := p.call("POST", "/v1/automations", map[string]any{"name": "Each morning", "enabled": true, "seed": map[string]any{"text": "Make"},
		"schedule": map[string]any{"type": "cron", "expression": "0 7 * * *", "time_zone": "Europe/Paris"}, "triggers": []any{map[string]any{"type": "webhook"}}}).Want(201).Str("id")
	p.call("POST", "/v1/automations/"+daily+"/grants", map[string]any{"commands": []string{"CREATE_ZONE"}, "max_per_run": 2}).Want(201)
	post(s.URL+"/v1/chat/completions", p.ws, `{"model": "script", "messages": [{"role": "user", "content": "hello"}]}`)
}

// makeWaits creates a workspace for each wait: for an approval, an answer, a budget, a service, a confirmation of the
// end, a provider, and a timer.
func makeWaits(s *harness.Server) {
	ask := `{"name": "CREATE_ZONE", "arguments": {"name": "Asked for"}}`
	p := made(s, "wait-validation", `[{"when": {"roundtrip": 1}, "answer": {"text": "Shall I?", "calls": [`+ask+`]}}, {"answer": {"text": "Made."}}]`,
		map[string]any{"require_validation": true})
	chat := p.chat()
	p.says(chat, "make a zone")
	p.phase(chat, "WAITING_VALIDATION")

	p = made(s, "wait-question", `[{"when": {"contains": "ask", "roundtrip": 1}, "answer": {"text": "Tell me.", "calls": [{"name": "ASK_USER",
		"arguments": {"type": "MultipleChoice", "data": {"question": "Which?", "options": ["red", "blue"]}}}]}}, {"answer": {"text": "Good."}}]`, nil)
	chat = p.chat()
	p.says(chat, "ask me")
	p.phase(chat, "WAITING_COMMUNICATION_RESPONSE")

	p = made(s, "wait-budget", `[{"usage": {"input_tokens": 100, "output_tokens": 20, "cost": 0.6}, "answer": {"text": "Said."}}]`, nil)
	chat = p.chat()
	p.call("PATCH", "/v1/sessions/"+chat, map[string]any{"budgets": map[string]any{"max_cost_per_session": 0.5}}).Want(200)
	p.says(chat, "one")
	p.phase(chat, "IDLE")
	p.says(chat, "two")
	p.phase(chat, "WAITING_BUDGET")

	p = made(s, "wait-agent", `[
		{"when": {"contains": "note", "roundtrip": 1}, "answer": {"text": "I have it noted.", "calls": [{"name": "AGENT_CONTEXT_MANAGER", "arguments": {"query": "Write down: open until six."}}]}},
		{"when": {"contains": "Write down", "roundtrip": 1}, "answer": {"calls": [{"name": "CONTEXT_UPDATE", "arguments": {"key": "hours", "title": "Hours", "body": "Open until six."}}]}},
		{"when": {"contains": "Write down"}, "answer": {"calls": [{"name": "COMPLETE", "arguments": {"reason": "done", "result": "It stands in hours."}}]}},
		{"answer": {"text": "That is all."}}]`, nil)
	chat = p.chat()
	p.says(chat, "note the hours")
	p.phase(chat, "WAITING_VALIDATION")

	p = made(s, "wait-completion", passing, nil)
	p.phase(p.run("Stop here", map[string]any{"completion": "ask"}), "WAITING_COMPLETION_CONFIRMATION")
	p = made(s, "wait-clock", passing, map[string]any{"completion_confirmation_delay": "1m"})
	p.phase(p.run("Stop here", nil), "WAITING_COMPLETION_CONFIRMATION")

	p = made(s, "wait-network", `[{"times": 1, "fault": {"class": "network", "message": "away"}}, {"answer": {"calls": [{"name": "COMPLETE", "arguments": {}}]}}]`,
		map[string]any{"network_retry": map[string]any{"delays": []string{"1m"}}, "completion_confirmation_delay": "0s"})
	p.phase(p.run("Call", nil), "WAITING_NETWORK_RETRY")
	tellTasks(s)
}

// taskSecrets is where the golden database's test finds what the service signs with.
const taskSecrets = "Signing secret"

// tellTasks orders work from a service that takes it on, and is gone afterwards.
func tellTasks(s *harness.Server) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	defer service.Close()
	p := made(s, "wait-task", `[{"when": {"roundtrip": 1}, "answer": {"text": "I order it.", "calls": [{"name": "FILM_RENDER", "arguments": {"title": "Alps"}}]}},
		{"answer": {"calls": [{"name": "COMPLETE", "arguments": {}}]}}]`, map[string]any{"completion_confirmation_delay": "0s"})
	connector := p.call("POST", "/v1/connectors", map[string]any{
		"name": "Studio", "kind": "long_running", "prefix": "FILM", "config": map[string]any{"base_url": service.URL},
		"commands": []any{map[string]any{
			"name": "RENDER", "description": "Render a film.", "effect": "non_idempotent", "require_validation": false, "deadline": "24h",
			"params_schema": map[string]any{"type": "object", "properties": map[string]any{"title": map[string]any{"type": "string"}}},
		}},
	}).Want(201)
	// The signing secret is shown once: it is stored in a document, for the test that plays the service.
	secret, err := json.Marshal(connector.Str("config.signing_secret"))
	if err != nil {
		s.T.Fatal(err)
	}
	p.call("POST", "/v1/documents", map[string]any{"key": "secret", "title": taskSecrets, "body": string(secret)}).Want(201)
	p.phase(p.run("Render", nil), "WAITING_EXTERNAL_RESULT")
}
