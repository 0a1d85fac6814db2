package tasks

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// mentor is an AI that leaves the work to the agent AGENT.SCOUT. It keeps which models were asked.
type mentor struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newMentor(t *testing.T) *mentor {
	m := &mentor{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		model, message := "large", `{"role":"assistant","content":"All is well."}`
		call := `{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":%q,"arguments":%q}}]}`
		switch text := string(body); {
		case strings.Contains(text, `"model":"small"`):
			model, message = "small", fmt.Sprintf(call, "COMPLETE", `{"reason":"done","result":"seen","conclusion":"well"}`)
		case !strings.Contains(text, "MISSION_COMPLETED"):
			message = fmt.Sprintf(call, "AGENT_SCOUT", `{"query":"Look."}`)
		}
		m.mu.Lock()
		m.asked = append(m.asked, model)
		m.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"id":"x","object":"chat.completion","model":%q,"choices":[{"index":0,"finish_reason":"stop","message":%s}],`+
			`"usage":{"prompt_tokens":50000,"completion_tokens":10,"total_tokens":50010}}`, model, message)
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *mentor) models() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.asked, " ")
}

// scouted is a server with the agent Scout, whose definition names a model.
func scouted(t *testing.T, db app.Database, m *mentor) *server {
	s := newServer(t, db)
	s.Call("POST", "/v1/providers", map[string]any{
		"name": "Mentor", "kind": "openai_compatible", "is_default": true, "config": map[string]any{"base_url": m.URL + "/v1", "model": "large"},
	}).Want(201)
	s.Call("POST", "/v1/agents", map[string]any{
		"name": "Scout", "description": "Looks around.", "system_prompt": "Look at the zones.", "commands": []string{"ZONES"}, "model": "small",
	}).Want(201)
	return s
}

// TestAnAgentHasItsOwnModel: that of its definition, at its caller's provider.
func TestAnAgentHasItsOwnModel(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		m := newMentor(t)
		s := scouted(t, db, m)
		chat := s.Chat()
		s.Say(chat, "Have a look.")
		if got := m.models(); got != "large small large" || s.LastText(chat) != "All is well." {
			t.Errorf("asked were %q, said is %q", got, s.LastText(chat))
		}
		agents := s.Call("GET", "/v1/sessions?type=AGENT", nil).Want(200)
		if agents.Str("data.0.parent_session_id") != chat || agents.Str("data.0.phase") != "COMPLETED" {
			t.Errorf("the run: %s", agents.Body)
		}
		timeline := string(s.Call("GET", "/v1/sessions/"+chat+"/timeline", nil).Want(200).Body)
		if link := `"agent_session_id":"` + agents.Str("data.0.id") + `"`; !strings.Contains(timeline, link) {
			t.Errorf("no %s in %s", link, timeline)
		}
		s.Sound()
	})
}

// TestACallersBudgetHoldsForItsAgent before its first call, not only when it has ended: the caller
// has used most of it, and the agent asks.
func TestACallersBudgetHoldsForItsAgent(t *testing.T) {
	m := newMentor(t)
	s := scouted(t, harness.Databases["sqlite"](t), m)
	// Enough for the chat's first call, which uses 50,000, and not for one of the agent's after it.
	chat := s.Chat()
	s.Call("PATCH", "/v1/sessions/"+chat, map[string]any{"budgets": map[string]any{"max_tokens_per_round": 52_000}}).Want(200)
	s.Say(chat, "Have a look.")
	if got := m.models(); got != "large" {
		t.Errorf("asked were %q", got)
	}
	if now := s.Settle(chat); now.Str("phase") != "WAITING_VALIDATION" || now.Str("waiting_context.kind") != "agents" {
		t.Errorf("the chat: %s", now.Body)
	}
	open := s.Call("GET", "/v1/approvals?status=open", nil).Want(200)
	if open.Str("data.0.kind") != "budget" || len(open.List("data")) != 1 {
		t.Errorf("asked is %s", open.Body)
	}
	s.Sound()
}
