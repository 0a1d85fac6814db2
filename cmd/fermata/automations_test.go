package main

import (
	"encoding/json"
	"maps"
	"testing"
)

// madeAutomation makes one that waits to be run by hand, and gives its id; more fields may
// be given.
func (s *server) madeAutomation(seed string, more map[string]any) *reply {
	s.t.Helper()
	body := map[string]any{"name": "Report", "seed": map[string]any{"text": seed}}
	maps.Copy(body, more)
	return s.call("POST", "/v1/automations", body).want(201)
}

// ended waits until a session has ended, and gives it.
func (s *server) ended(session string) *reply {
	s.t.Helper()
	events, stop := s.listen("/v1/sessions/" + session + "/events?after=0")
	defer stop()
	for e := range events {
		if e.name == "session.ended" {
			break
		}
	}
	r := s.call("GET", "/v1/sessions/"+session, nil).want(200)
	if r.str("status") != "ended" {
		s.t.Fatalf("the session has not ended: %s", r.body)
	}
	return r
}

const saysDone = `[{"answer": {"text": "All is well.", "calls": [{"name": "COMPLETE", "arguments": {}}]}}]`

// TestAnAutomationFromSetupToHistory: made, run, ended, told.
func TestAnAutomationFromSetupToHistory(t *testing.T) {
	onBoth(t, func(t *testing.T, db databaseFlags) {
		s := newServer(t, db)
		s.scripted(saysDone)
		s.call("PATCH", "/v1/settings", map[string]any{"completion_confirmation_delay": "1ms"}).want(200)
		made := s.madeAutomation("Look around.", map[string]any{"tags": []string{"daily"}})
		id := made.str("id")
		run := s.call("POST", "/v1/automations/"+id+"/execute", nil).want(202)
		if run.str("result") != "ACTIVATED" || run.str("session.automation_id") != id || run.str("session.trigger") != "MANUAL" {
			t.Fatalf("the run: %s", run.body)
		}
		session := run.str("session.id")
		if r := s.ended(session); r.str("end_reason") != "COMPLETED" {
			t.Fatalf("how it ended: %s", r.body)
		}
		history := s.call("GET", "/v1/automations/"+id+"/executions", nil).want(200)
		line, _ := json.Marshal(history.at("data.0"))
		if history.str("data.0.session_id") != session || history.str("data.0.final_text") != "All is well." || history.at("data.0.duration_ms") == nil ||
			history.str("data.0.end_reason") != "COMPLETED" || history.at("data.0.roundtrips") != 1.0 {
			t.Fatalf("the history: %s", line)
		}
	})
}
