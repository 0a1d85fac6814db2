package harness

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// QuickRuns are settings with which a run ends at once.
const QuickRuns = `{"completion_confirmation_delay": "0s", "chat_eviction_after": "1h"}`

// SaysDone is a step of the script: the run says that it is done.
const SaysDone = `{"answer": {"text": "All is well.", "calls": [{"name": "COMPLETE", "arguments": {}}]}}`

// Automation creates an automation of the caller whose SEED is a text, through the scheduler.
func (s *Server) Automation(name, seed string, change ...func(*automation.NewAutomation)) *automation.Automation {
	s.T.Helper()
	in := automation.Plain(name, "")
	in.Commands, in.Owner = nil, s.caller()
	in.Seed = domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: seed}}, LinearText: seed}
	for _, c := range change {
		c(&in)
	}
	order, _, err := s.Parts.Automations.CreateAutomation(s.T.Context(), domain.DefaultWorkspace, in)
	if err != nil {
		s.T.Fatalf("make the automation: %v", err)
	}
	return order
}

// caller is the person who makes the calls, or "" where people share a lane.
func (s *Server) caller() string {
	s.T.Helper()
	person, _ := strings.CutPrefix(s.Call("GET", "/v1/slot", nil).Want(200).Str("lane"), "person:")
	if person == domain.LaneWorkspace {
		return ""
	}
	return person
}

// Execute starts a run by hand.
func (s *Server) Execute(order *automation.Automation) *domain.Receipt {
	s.T.Helper()
	r, err := s.Parts.Runs.ExecuteAutomation(s.T.Context(), order.WorkspaceID, order.ID, "test")
	if err != nil {
		s.T.Fatalf("execute: %v", err)
	}
	return r
}

// Until waits until a session is in a status, and gives it.
func (s *Server) Until(session string, status ...string) *Reply {
	s.T.Helper()
	return s.await(session, fmt.Sprintf("the session is %v", status), func(r *Reply) bool { return slices.Contains(status, r.Str("status")) })
}

// Phase waits until a session is in a phase with so many answers behind it.
func (s *Server) Phase(session, phase string, roundtrips int) *Reply {
	s.T.Helper()
	return s.await(session, fmt.Sprintf("the session is in %s after %d answers", phase, roundtrips), func(r *Reply) bool {
		return r.Str("phase") == phase && r.At("total_roundtrips") == float64(roundtrips)
	})
}

// await reads a session until it is as the story needs it; a failure shows how it was last.
func (s *Server) await(session, what string, holds func(*Reply) bool) (last *Reply) {
	s.T.Helper()
	settled := false
	defer func() {
		if !settled && last != nil {
			s.T.Logf("the session is: %s", last.Body)
		}
	}()
	testkit.Until(s.T, what, func() bool {
		last = s.Call("GET", "/v1/sessions/"+session, nil).Want(200)
		return holds(last)
	})
	settled = true
	return last
}

// Sound checks that nothing is as it must not be.
func (s *Server) Sound() {
	s.T.Helper()
	for _, i := range s.Call("GET", "/v1/admin/invariants", nil).Want(200).List("data") {
		if row := i.(map[string]any); row["count"] != 0.0 {
			s.T.Errorf("invariant %s: %v (%s)", row["name"], row["count"], row["description"])
		}
	}
}

// Card is the open approval of the workspace.
func (s *Server) Card() *Reply {
	s.T.Helper()
	list := s.Call("GET", "/v1/approvals?status=open", nil).Want(200)
	if n := len(list.List("data")); n != 1 {
		s.T.Fatalf("%d approvals are open, want 1: %s", n, list.Body)
	}
	return s.Call("GET", "/v1/approvals/"+list.Str("data.0.id"), nil).Want(200)
}

// MadeAutomation makes an automation over the API, which runs by hand; more fields may be
// given.
func (s *Server) MadeAutomation(seed string, more map[string]any) *Reply {
	s.T.Helper()
	body := map[string]any{"name": "Report", "seed": map[string]any{"text": seed}}
	maps.Copy(body, more)
	return s.Call("POST", "/v1/automations", body).Want(201)
}

// Guarded makes an automation ask before it acts.
func Guarded(in *automation.NewAutomation) { in.RequireValidation = true }

// Refusing makes an automation refuse what it would have to ask for.
func Refusing(in *automation.NewAutomation) { in.RequireValidation, in.Validation = true, "refuse" }

// Confirmed makes an automation ask whether it is done.
func Confirmed(in *automation.NewAutomation) { in.Completion = automation.CompletionAsk }
