package automations

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler"
)

// A run is a session of its own, with copies of the SEED's messages.
func TestBegin(t *testing.T) {
	v := hourly(func(v *automation.View) {
		v.Automation.ProviderID, v.Automation.Validation, v.Automation.Completion = "prv", "refuse", automation.CompletionAsk
		v.Seed = append(v.Seed, &domain.Message{ID: "m2", SessionID: "seed", Rich: &domain.RichContent{
			LinearText: "Then report.", Segments: []domain.Segment{{Type: "text", Text: "Then report."}},
		}})
	})
	plan, err := noonRules().begin(v, start{trigger: domain.ByEvent, cause: domain.CauseManualTrigger, at: noon, note: "It rang.", by: "webhook"})
	if err != nil {
		t.Fatal(err)
	}
	s, messages := plan.Run.Session, plan.Run.Messages
	if s.Type != domain.Run || s.AutomationID != "aut" || s.Trigger != domain.ByEvent || s.ProviderID != "prv" || !s.ScheduledExecutionTime.Equal(noon) {
		t.Errorf("the session is %+v", s)
	}
	if s.State.Validation != "refuse" || !s.State.AskCompletion || s.State.RoundMessageID != messages[1].ID || s.State.NextReason != "MANUAL_TRIGGER" {
		t.Errorf("its state is %+v", s.State)
	}
	if len(messages) != 2 || messages[0].Rich.LinearText != "Look." || messages[1].Rich.LinearText != "Then report.\n\nIt rang." {
		t.Errorf("the messages are %+v", messages)
	}
	for i, m := range messages {
		if m.ID == v.Seed[i].ID || m.SessionID != s.ID || m.RoundID != s.State.RoundID || m.SenderID != "webhook" {
			t.Errorf("message %d is %+v", i, m)
		}
	}
	if len(v.Seed[1].Rich.Segments) != 1 || v.Seed[1].Rich.LinearText != "Then report." {
		t.Error("the SEED itself was changed")
	}
}

// What refuses a run: no message to begin with, and a queue that is full.
func TestMayBegin(t *testing.T) {
	full := hourly(func(v *automation.View) {
		v.Workspace.Settings.MaxQueueLength, v.Queue = 1, []domain.QueueRow{{SessionID: "other"}}
	})
	for name, c := range map[string]struct {
		view  *automation.View
		start start
		want  domain.Code
	}{
		"it may":                         {hourly(), start{}, ""},
		"without a message":              {hourly(func(v *automation.View) { v.Seed = nil }), start{}, domain.CodeConflict},
		"the queue is full":              {full, start{}, domain.CodeQueueFull},
		"who never queues does not mind": {full, start{onTime: true}, ""},
		"without a bound it is never full": {hourly(func(v *automation.View) {
			v.Workspace.Settings.MaxQueueLength, v.Queue = 0, []domain.QueueRow{{}, {}}
		}), start{}, ""},
	} {
		if err := mayBegin(c.view, c.start); (err == nil) != (c.want == "") || err != nil && domain.ErrorCode(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestExecute verifies that a run can be started by hand whatever else is active, and that it is marked as such.
func TestExecute(t *testing.T) {
	w, cfg := newWorld(t, hourly(unended, disabled))
	r, err := NewRuns(cfg).ExecuteAutomation(t.Context(), "ws", "aut", "me")
	if err != nil || !r.Created || r.Result != domain.Activated || r.Session.Trigger != domain.ByHand || w.begun() != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// What a request for a run names differs in that run alone.
func TestRunWithEdits(t *testing.T) {
	v := hourly(func(v *automation.View) {
		v.Automation.ProviderID = "prv"
		v.Seed = append(v.Seed, &domain.Message{ID: "m2", SessionID: "seed", Rich: &domain.RichContent{LinearText: "Then report."}})
	})
	words := domain.RichContent{LinearText: "Look twice.", Segments: []domain.Segment{{Type: "text", Text: "Look twice."}}}
	plan, err := noonRules().begin(v, start{trigger: domain.ByHand, cause: domain.CauseManualTrigger, at: noon, by: "me",
		instead: automation.RunRequest{ProviderID: "other", Model: "large", Rich: &words}})
	if err != nil {
		t.Fatal(err)
	}
	s, messages := plan.Run.Session, plan.Run.Messages
	if s.ProviderID != "other" || s.Calls() != "other/large" {
		t.Errorf("it calls %q of %q", s.Calls(), s.ProviderID)
	}
	if len(messages) != 1 || messages[0].Rich.LinearText != "Look twice." || messages[0].ID == "m2" || s.State.RoundMessageID != messages[0].ID {
		t.Errorf("the messages are %+v", messages)
	}
	if v.Automation.ProviderID != "prv" || v.Seed[1].Rich.LinearText != "Then report." {
		t.Error("the automation itself was changed")
	}
	w, cfg := newWorld(t, hourly())
	_, err = NewRuns(cfg).RunAutomation(t.Context(), "ws", "aut", automation.RunRequest{By: "me", ProviderID: "prv_gone"})
	if err == nil || w.begun() != 0 {
		t.Errorf("on a provider that is not there: %v, %d begun", err, w.begun())
	}
}

// A webhook starts a run for who knows its token, if the condition holds.
func TestTrigger(t *testing.T) {
	hook := func(condition string) func(*automation.View) {
		return func(v *automation.View) {
			v.Automation.Triggers = []automation.Trigger{{Type: automation.TriggerWebhook, Condition: json.RawMessage(condition)}}
			v.Automation.HookHash = HookHash("token")
		}
	}
	noHook := func(v *automation.View) { v.Automation.Triggers = nil }
	for name, c := range map[string]struct {
		view   *automation.View
		token  string
		body   string
		want   domain.Code
		result string
		note   string
	}{
		"with nothing": {hourly(hook("")), "token", "", "", domain.Activated, ""},
		"with a body": {
			hourly(hook("")),
			"token", `{"n":1}`, "", domain.Activated, "\n\nThe event that started this run:\n{\"n\":1}",
		},
		"a wrong token":       {hourly(hook("")), "guess", "", domain.CodeNotFound, "", ""},
		"no webhook any more": {hourly(hook(""), noHook), "token", "", domain.CodeNotFound, "", ""},
		"disabled":            {hourly(hook(""), disabled), "token", "", domain.CodeAutomationDisabled, "", ""},
		"the condition holds": {
			hourly(hook(`"open"`)),
			"token", `{"door":"open"}`, "", domain.Activated, "\n\nThe event that started this run:\n{\"door\":\"open\"}",
		},
		"the condition fails":    {hourly(hook(`"open"`)), "token", `{"door":"shut"}`, domain.CodeConditionNotMet, "", ""},
		"nothing meets null":     {hourly(hook(`"null"`)), "token", "", "", domain.Activated, ""},
		"a body that is too big": {hourly(hook("")), "token", strings.Repeat("1", maxHookBody+1), domain.CodeTooLarge, "", ""},
		"the last run is active": {hourly(hook(""), unended), "token", "", "", domain.Skipped, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, cfg := newWorld(t, c.view)
			r, err := NewRuns(cfg).TriggerAutomation(t.Context(), "aut", c.token, json.RawMessage(c.body))
			if (err == nil) != (c.want == "") || err != nil && domain.ErrorCode(err) != c.want {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			if r.Result != c.result || (w.begun() == 1) != (c.result == domain.Activated) {
				t.Errorf("%s, %d runs", r.Result, w.begun())
			}
			if w.begun() == 1 && w.plans[0].Run.Messages[0].Rich.LinearText != "Look."+c.note {
				t.Errorf("its request is %q", w.plans[0].Run.Messages[0].Rich.LinearText)
			}
			if w.begun() == 1 {
				wantFromHook(t, w.plans[0].Run, c.note)
			}
			if c.result == domain.Skipped && !strings.HasSuffix(occurrences(w.plans[0].Change), "SKIPPED overlap") {
				t.Errorf("recorded is %s", occurrences(w.plans[0].Change))
			}
		})
	}
}

// wantFromHook: what a webhook brought is known as that, and the person's own text is not.
func wantFromHook(t *testing.T, run *scheduler.NewRun, note string) {
	t.Helper()
	hook := domain.Provenance{Origin: domain.OriginWebhook, Source: "Hourly"}
	taint := run.Session.State.Taint
	if note == "" {
		if taint != nil {
			t.Errorf("a call without a body leaves %+v", taint)
		}
		return
	}
	segments := run.Messages[0].Rich.Segments
	if last := segments[len(segments)-1]; last.Text != note || last.From == nil || *last.From != hook {
		t.Errorf("the body is %+v", last)
	}
	for _, own := range segments[:len(segments)-1] {
		if own.From != nil {
			t.Errorf("the SEED's own text is from %+v", own.From)
		}
	}
	if taint == nil || taint.Parts != 1 || taint.Sources[0] != hook {
		t.Errorf("the run knows of %+v", taint)
	}
}

// An event that is skipped has an instant of its own: schedules are due at whole seconds.
func TestASkippedEventIsNoScheduledInstant(t *testing.T) {
	for _, now := range []time.Time{noon, noon.Add(time.Millisecond)} {
		p := noonRules()
		p.now = now
		at := automation.Occurrences(p.skippedEvent(hourly(), automation.SkippedOverlap))[0].ScheduledAt
		if at.Equal(at.Truncate(time.Second)) || at.Sub(now) > time.Microsecond {
			t.Errorf("an event at %s is recorded at %s", now, at)
		}
	}
}

// TestWorkspaceOfHook verifies that the workspace of a webhook is returned only for a valid token.
func TestWorkspaceOfHook(t *testing.T) {
	_, cfg := newWorld(t, hourly(func(v *automation.View) { v.Automation.HookHash = HookHash("token") }))
	if ws, err := NewRuns(cfg).WorkspaceOfHook(t.Context(), "aut", "token"); ws != "ws" || err != nil {
		t.Error(ws, err)
	}
	if _, err := NewRuns(cfg).WorkspaceOfHook(t.Context(), "aut", "guess"); domain.ErrorCode(err) != domain.CodeNotFound {
		t.Error(err)
	}
}
