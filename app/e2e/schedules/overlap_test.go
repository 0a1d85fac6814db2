package schedules

import (
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// A webhook is called while the last run has not ended: the overlap policy decides about the call, the caller
// gets the decision, and skipped calls are in the history. The schedule continues unchanged.
func TestOverlapOfAWebhook(t *testing.T) {
	for policy, want := range map[automation.OverlapPolicy]struct {
		result string
		old    domain.EndReason
		states []string
	}{
		automation.OverlapSkip:    {domain.Skipped, "", []string{"01 12:45 SKIPPED overlap", "01 13:00 FIRED"}},
		automation.OverlapQueue:   {domain.Queued, "", []string{"01 13:00 DUE"}},
		automation.OverlapRestart: {domain.Activated, domain.EndCancelled, []string{"01 13:00 FIRED"}},
	} {
		t.Run(string(policy), func(t *testing.T) {
			harness.OnBoth(t, func(t *testing.T, db app.Database) {
				v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC))
				order := v.order("hourly", &automation.Schedule{Type: "cron", Expression: "0 * * * *", TimeZone: "UTC"}, func(in *automation.NewAutomation) {
					in.Overlap = policy
					in.Triggers = []automation.Trigger{{Type: automation.TriggerWebhook}}
				})
				call := func() *domain.Receipt {
					r, err := v.runs.TriggerAutomation(t.Context(), order.ID, order.HookSealed, []byte(`{"n":1}`))
					v.ok(err)
					return r
				}
				first := call()
				v.pass(15 * time.Minute)
				second := call()
				if second.Result != want.result || (second.Session == nil) != (want.result == domain.Skipped) {
					t.Errorf("its caller gets %+v", second)
				}
				if old := v.session(first.Session.ID); old.EndReason != want.old {
					t.Errorf("the old run is %s %s", old.Phase, old.EndReason)
				}
				if policy != automation.OverlapQueue {
					v.finish(v.holder(), false)
				}
				v.pass(15 * time.Minute)
				if got := v.states(order); !slices.Equal(got, want.states) {
					t.Errorf("the history says %v, want %v", got, want.states)
				}
				v.sound()
			})
		})
	}
}

// An entry that is made while the last run has not ended starts none, where the policy
// says so; that is recorded, and not looked at again.
func TestOverlapOfAnEntry(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted("[" + harness.SaysDone + "]")
		zone := s.Call("POST", "/v1/zones", map[string]any{"name": "Home"}).Want(201).Str("id")
		tool := s.Call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "journal", "name": "Diary", "config": map[string]any{}}).Want(201).Str("id")
		made := s.MadeAutomation("Say what it means.", map[string]any{
			"require_validation": true, "completion": "ask", "triggers": []any{map[string]any{"type": "entry_created", "tool_id": tool}},
		})
		id := made.Str("id")
		s.Call("POST", "/v1/tools/"+tool+"/entries", map[string]any{"data": map[string]any{"text": "one"}}).Want(201)
		runs := func() int { return len(s.Call("GET", "/v1/automations/"+id+"/executions", nil).Want(200).List("data")) }
		testkit.Until(t, "the first run", func() bool { return runs() == 1 }) // it waits for a person's word, and has not ended
		s.Call("POST", "/v1/tools/"+tool+"/entries", map[string]any{"data": map[string]any{"text": "two"}}).Want(201)
		var rows []any
		testkit.Until(t, "the skip to be recorded", func() bool {
			rows = s.Call("GET", "/v1/automations/"+id+"/occurrences", nil).Want(200).List("data")
			return len(rows) > 0
		})
		if row := rows[0].(map[string]any); len(rows) != 1 || row["state"] != "SKIPPED" || row["reason"] != "overlap" || row["trigger"] != "EVENT" {
			t.Errorf("the history says %v", rows)
		}
		if n := runs(); n != 1 {
			t.Errorf("there are %d runs", n)
		}
	})
}
