package orchestrator

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// scouting is a world whose session is an agent's that begins, and has worked for a while before; with the
// driver of its caller and the call that it carries out.
func scouting(t *testing.T, worked time.Duration) (*world, *calling, *domain.Execution) {
	t.Helper()
	w := newWorld(t)
	call := &domain.Execution{ID: "exe_1", WorkspaceID: "default", SessionID: "ses_0", Command: "AGENT.SCOUT", Status: domain.ExecStarted}
	made := newAgentSession(&userdata.AgentDefinition{ID: "agt_1", WorkspaceID: "default", AgentFields: userdata.AgentFields{Name: "Scout"}}, &domain.AgentRun{
		AgentID: "agt_1", Version: 1, Name: "Scout", Commands: []string{"ZONES"}, MaxTurns: 7, TokenBudget: 15_000,
		Depth: 1, RootID: "ses_0", ExecutionID: call.ID,
	}, "Look around.", clock.System(), w.newID)
	made.Session.ID, made.Session.ParentSessionID, made.Session.Version = domain.AgentSessionID(call.ID), "ses_0", 1
	made.Session.State.WorkedMicros = worked.Microseconds()
	made.Query.SessionID, made.Query.Seq = made.Session.ID, 1
	w.session, w.messages, w.ws.LastSeq = made.Session, []*domain.Message{made.Query}, 1
	caller := newDriver(w.loop, &domain.View{
		Workspace: &w.ws, Session: &domain.Session{ID: "ses_0", WorkspaceID: "default", Type: domain.Chat, HoldsSlot: true},
	}, domain.DoNothing, func(error) {})
	return w, &calling{caller}, call
}

// slowly makes the model's next answer take a while, and fail when it is cut.
func (m *fakeModel) slowly(takes time.Duration) {
	next := m.answers[len(m.answers)-1]
	m.answers[len(m.answers)-1] = func(ctx context.Context, r *providers.Request) (*providers.Answer, error) {
		select {
		case <-time.After(takes):
			return next(ctx, r)
		case <-ctx.Done():
			return nil, providers.TransportError(ctx, ctx.Err(), "")
		}
	}
}

// TestAnAgentWorksForFiveMinutes verifies that an agent works for five minutes at most, in one or many calls of the
// AI, including its work before a crash, and that its caller then receives a failure.
func TestAnAgentWorksForFiveMinutes(t *testing.T) {
	for name, c := range map[string]struct {
		worked time.Duration
		turns  []time.Duration // how long the AI takes for each answer; all but a last one that fits ask for more
		takes  time.Duration
		asked  int
		ends   bool // by itself
	}{
		"one call that hangs":           {0, []time.Duration{time.Hour}, 5 * time.Minute, 1, false},
		"many calls":                    {0, []time.Duration{100 * time.Second, 100 * time.Second, 100*time.Second + 1, time.Second}, 5 * time.Minute, 3, false},
		"taken up after a crash":        {4 * time.Minute, []time.Duration{30 * time.Second, time.Hour}, time.Minute, 2, false},
		"it had worked for long enough": {6 * time.Minute, []time.Duration{time.Second}, 0, 0, false},
		"in time":                       {0, []time.Duration{100 * time.Second, 199 * time.Second}, 299 * time.Second, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, d, call := scouting(t, c.worked)
				for i, takes := range c.turns {
					if c.ends && i == len(c.turns)-1 {
						w.model.calls("COMPLETE", `{"reason":"done","result":"All is well."}`)
					} else {
						w.model.calls("ZONES", "{}")
					}
					w.model.slowly(takes)
				}
				begun := time.Now()
				asks, err := d.carryOut(t.Context(), call)
				if err != nil || asks || w.session.Phase != domain.Completed {
					t.Fatalf("it ended with %v, asks %v, in %s", err, asks, w.session.Phase)
				}
				if took := time.Since(begun); took != c.takes || len(w.model.asked) != c.asked {
					t.Errorf("it took %s and %d calls, want %s and %d", took, len(w.model.asked), c.takes, c.asked)
				}
				switch {
				case c.ends:
					if call.Status != domain.ExecSuccess || !strings.Contains(call.Text, "All is well.") {
						t.Errorf("its caller gets %s: %s", call.Status, call.Text)
					}
				case call.Status != domain.ExecFailed || call.Error.Code != "agent_failed" || w.session.EndReason != domain.EndTimeout ||
					!strings.Contains(call.Error.Message, "more than 5 minutes"):
					t.Errorf("its caller gets %s, %+v; it ended with %s", call.Status, call.Error, w.session.EndReason)
				}
			})
		})
	}
}

// TestAnAgentThatWaitsDoesNotWork: while a person thinks, or it is set aside, its time stands still.
func TestAnAgentThatWaitsDoesNotWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d, call := scouting(t, 0)
		w.session.State.Agent.Commands = []string{"CREATE_ZONE"}
		w.ws.Settings.RequireValidation = true
		w.model.calls("CREATE_ZONE", `{"name":"Attic"}`)
		w.model.slowly(4 * time.Minute)
		asks, err := d.carryOut(t.Context(), call)
		if err != nil || !asks || w.session.Phase != domain.WaitingValidation {
			t.Fatalf("it asks: %v, %v, in %s", asks, err, w.session.Phase)
		}
		time.Sleep(48 * time.Hour)
		if got := time.Duration(w.session.State.WorkedMicros) * time.Microsecond; got < 4*time.Minute || got > 4*time.Minute+time.Second {
			t.Errorf("after two days of waiting it has worked for %s", got)
		}
	})
}

// TestAgentsAreCalledTwoDeep and no deeper, and none calls itself.
func TestAgentsAreCalledTwoDeep(t *testing.T) {
	all := []*userdata.AgentDefinition{
		{ID: "agt_1", AgentFields: userdata.AgentFields{Name: "Scout", Enabled: true}}, {ID: "agt_2", AgentFields: userdata.AgentFields{Name: "Clerk", Enabled: true}}, {ID: "agt_3", AgentFields: userdata.AgentFields{Name: "Retired"}},
	}
	may := []string{"AGENT.SCOUT", "AGENT.CLERK", "AGENT.RETIRED"}
	for name, c := range map[string]struct {
		run  *domain.AgentRun
		want []string
	}{
		"a chat":                    {nil, []string{"AGENT.SCOUT", "AGENT.CLERK"}},
		"an agent":                  {&domain.AgentRun{AgentID: "agt_1", Depth: 1, Commands: may}, []string{"AGENT.CLERK"}},
		"one that may call no one":  {&domain.AgentRun{AgentID: "agt_1", Depth: 1, Commands: []string{"ZONES"}}, nil},
		"one that an agent called":  {&domain.AgentRun{AgentID: "agt_2", Depth: 2, Commands: may}, nil},
		"one that is tried by hand": {&domain.AgentRun{AgentID: "agt_2", Depth: 1, Commands: may}, []string{"AGENT.SCOUT"}},
	} {
		var got []string
		for _, spec := range offeredIn(&domain.Session{State: domain.SessionState{Agent: c.run}}, all) {
			got = append(got, spec.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s is offered %v, want %v", name, got, c.want)
		}
	}
	w, d, call := scouting(t, 0)
	d.caller.session = w.session // an agent calls another one
	call.Params = []byte(`{"query":"Go on."}`)
	made := d.newAgent(all[1], call, domain.Budgets{}).Session
	if run := made.State.Agent; run.Depth != 2 || run.RootID != "ses_0" || made.ParentSessionID != w.session.ID {
		t.Errorf("the agent of an agent: depth %d, root %s, parent %s", run.Depth, run.RootID, made.ParentSessionID)
	}
}

// TestAnAgentsSessionBelongsToItsCallers verifies that an agent's session has the owner and the visibility of the session
// that called it.
func TestAnAgentsSessionBelongsToItsCallers(t *testing.T) {
	_, c, call := scouting(t, 0)
	c.caller.session.Owner, c.caller.session.Visibility = "per_1", domain.VisiblePrivate
	made := c.newAgent(&userdata.AgentDefinition{ID: "agt_1", WorkspaceID: "default", AgentFields: userdata.AgentFields{Name: "Scout"}}, call, domain.Budgets{})
	if made.Session.Owner != "per_1" || made.Session.Visibility != domain.VisiblePrivate {
		t.Errorf("%q, %s", made.Session.Owner, made.Session.Visibility)
	}
}
