package commands

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// monday asks for an automation with this schedule.
func monday(schedule string) string {
	return `{"name":"My week","request":"Sum up my week.","schedule":` + schedule + `}`
}

const everyMonday = `{"type":"cron","expression":"0 8 * * 1"}`

// inParis is a world on the clocks of Paris; it is Wednesday, 13:00 there.
func inParis(t *testing.T, language string) *world {
	w := newWorld(t)
	w.env.Settings.TimeZone, w.env.Settings.Language = "Europe/Paris", language
	return w
}

// TestTheCardOfAnAutomation verifies that a person sees its name, its whole request, its schedule in words, and the
// next three times on the clocks of the time zones concerned.
func TestTheCardOfAnAutomation(t *testing.T) {
	for _, tt := range []struct{ language, text, after, why string }{
		{"en", "Create the automation “My week”: every Monday at 08:00 (Europe/Paris)",
			`{"name":"My week","request":"Sum up my week.","schedule":"every Monday at 08:00 (Europe/Paris)","next":["Monday 23 November 2026, 08:00","Monday 30 November 2026, 08:00","Monday 7 December 2026, 08:00"]}`,
			"An automation works without you later on, so creating one always asks."},
		{"fr", "Créer l’automatisation « My week » : chaque lundi à 08:00 (Europe/Paris)",
			`{"name":"My week","request":"Sum up my week.","schedule":"chaque lundi à 08:00 (Europe/Paris)","next":["lundi 23 novembre 2026 à 08:00","lundi 30 novembre 2026 à 08:00","lundi 7 décembre 2026 à 08:00"]}`,
			"Une automatisation travaille ensuite sans vous : en créer une demande toujours un accord."},
	} {
		w := inParis(t, tt.language)
		plan := w.plan(w.command(createAutomation, monday(everyMonday)))
		if plan.Problem != "" || len(plan.Commands.Cards) != 1 || len(plan.Commands.Reasons) != 1 {
			t.Fatalf("%q: %+v, %+v", plan.Problem, plan.Commands.Cards, plan.Commands.Reasons)
		}
		card, reason := plan.Commands.Cards[0], plan.Commands.Reasons[0]
		if card.Text != tt.text || string(card.After) != tt.after || len(card.Warnings) != 0 || card.Role != domain.RoleAdmin {
			t.Errorf("%s: the card says %s\n%s\n%q", tt.language, card.Text, card.After, card.Warnings)
		}
		if reason.Text != tt.why || !reason.Always {
			t.Errorf("%s: why: %+v", tt.language, reason)
		}
	}
}

// TestAnAutomationIsMade verifies that it is created as if by a client: with its SEED, enabled, on behalf of the
// person who spoke, with the chat's provider, and with an event in the log.
func TestAnAutomationIsMade(t *testing.T) {
	w := inParis(t, "en")
	w.env.By, w.env.ProviderID = "key_1", "prv_1"
	e, outcome := w.do(createAutomation, monday(everyMonday))
	if outcome.Failed || len(outcome.Made) != 1 {
		t.Fatalf("%+v: %+v, %d made", outcome, e.Error, len(outcome.Made))
	}
	change := outcome.Made[0]
	a, seed := automation.Writes(change)[0].Automation, change.Messages[0]
	want := automation.Plain("My week", "key_1")
	if !automation.Writes(change)[0].Insert || a.Name != want.Name || !a.Enabled || a.Misfire != want.Misfire || a.Overlap != want.Overlap ||
		a.Completion != want.Completion || !slices.Equal(a.Commands, want.Commands) || a.ProviderID != "prv_1" {
		t.Errorf("%+v", a)
	}
	if s := a.Schedule; s.Expression != "0 8 * * 1" || s.TimeZone != "Europe/Paris" || s.StartsAt != "2026-11-18T13:00:00" ||
		a.NextAt.Format("2006-01-02T15:04Z07:00") != "2026-11-23T08:00+01:00" && a.NextAt.UTC().Format("2006-01-02T15:04") != "2026-11-23T07:00" {
		t.Errorf("%+v, next %s", s, a.NextAt)
	}
	if seed.Rich.Words() != "Sum up my week." || seed.SenderID != "key_1" || seed.SessionID != a.SeedSessionID ||
		change.Sessions[0].Session.Type != domain.Seed {
		t.Errorf("%+v", seed)
	}
	var events []string
	for _, event := range change.Events {
		events = append(events, string(event.Type))
	}
	if strings.Join(events, " ") != "session.created message.created automation.changed" {
		t.Errorf("events: %v", events)
	}
	var result createdAutomation
	if err := json.Unmarshal(e.Result, &result); err != nil || result.ID != a.ID || result.Name != "My week" || result.NextRun == nil {
		t.Errorf("%v: %s", err, e.Result)
	}
	if e.Summary.EN != "Created the automation “My week”: every Monday at 08:00 (Europe/Paris)" || !strings.Contains(e.Text, a.ID) {
		t.Errorf("%s\n%s", e.Summary, e.Text)
	}
}

// TestAScheduleThatCannotBe verifies that an invalid schedule is rejected before a person is asked, with an error
// by which the AI can correct it, and that nothing is created.
func TestAScheduleThatCannotBe(t *testing.T) {
	for _, tt := range []struct{ about, params, code, says string }{
		{"no rule that anybody can read", monday(`{"type":"cron","expression":"every Monday"}`), "cron", "/schedule/expression"},
		{"a day that never comes", monday(`{"type":"cron","expression":"0 8 31 2 *"}`), "never", "/schedule/expression"},
		{"a date in the past", monday(`{"type":"once","expression":"2026-11-18T12:59:00"}`), "past", "/schedule/expression"},
		{"a rule that is over", monday(`{"type":"rrule","expression":"FREQ=DAILY;UNTIL=20260101T000000Z","starts_at":"2025-12-01T08:00:00"}`), "past", "/schedule/expression"},
		{"oftener than each minute", monday(`{"type":"interval","expression":"30s"}`), "too_often", "/schedule/expression"},
		{"clocks of no place", monday(`{"type":"cron","expression":"0 8 * * 1","time_zone":"Mars/Olympus"}`), "unknown", "/schedule/time_zone"},
		{"a start that is no date", monday(`{"type":"cron","expression":"0 8 * * 1","starts_at":"soon"}`), "format", "/schedule/starts_at"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			w := inParis(t, "en")
			plan := w.plan(w.command(createAutomation, tt.params))
			e := plan.Commands.Actions[0]
			if len(plan.Commands.Cards) != 0 || len(plan.Commands.Reasons) != 0 {
				t.Fatalf("an approval is requested: %+v", plan.Commands.Reasons)
			}
			if outcome := w.act(plan.Commands.Actions); !outcome.Failed || e.Status != domain.ExecFailed || len(outcome.Made) != 0 {
				t.Fatalf("%+v, %d made", e, len(outcome.Made))
			}
			if len(e.Error.Fields) != 1 || e.Error.Fields[0].Pointer != tt.says || e.Error.Fields[0].Code != tt.code {
				t.Errorf("%+v", e.Error)
			}
		})
	}
	for about, params := range map[string]string{
		"no schedule":           `{"name":"a","request":"b"}`,
		"a type of its own":     monday(`{"type":"weekly","expression":"monday"}`),
		"no name":               `{"name":" ","request":"b","schedule":` + everyMonday + `}`,
		"nothing to do":         `{"name":"a","request":"\n","schedule":` + everyMonday + `}`,
		"grants for itself":     `{"name":"a","request":"b","automation_validation":"allow","schedule":` + everyMonday + `}`,
		"a name without an end": `{"name":"` + strings.Repeat("a", 201) + `","request":"b","schedule":` + everyMonday + `}`,
	} {
		w := inParis(t, "en")
		if plan := w.plan(w.command(createAutomation, params)); plan.Problem == "" {
			t.Errorf("%s: planned %+v", about, plan.Commands)
		}
	}
}

// TestManyRunsAreWarnedOf where a person can still say no.
func TestManyRunsAreWarnedOf(t *testing.T) {
	for schedule, warned := range map[string]bool{
		`{"type":"interval","expression":"1h"}`:           false,
		`{"type":"interval","expression":"57m"}`:          true,
		`{"type":"cron","expression":"* * * * *"}`:        true,
		`{"type":"once","expression":"2026-11-18T20:00"}`: false,
	} {
		w := inParis(t, "en")
		card := w.plan(w.command(createAutomation, monday(schedule))).Commands.Cards[0]
		if (len(card.Warnings) == 1) != warned {
			t.Errorf("%s: %q", schedule, card.Warnings)
		}
	}
}

// TestOnlyAPersonMakesAnAutomation verifies that no policy and no grant replaces the approval, that the command is
// not offered to a run or an agent, and that external content is named on the card.
func TestOnlyAPersonMakesAnAutomation(t *testing.T) {
	w := runOf(inParis(t, "en"), domain.Grant{Commands: []string{createAutomation}})
	w.env.Approving.Policy = domain.PolicyAllow
	if plan := w.plan(w.command(createAutomation, monday(everyMonday))); !strings.Contains(plan.Problem, "There is no command") {
		t.Errorf("a run: %q, %+v", plan.Problem, plan.Commands)
	}
	late := &domain.Execution{ID: "exe_1", Command: createAutomation, Params: json.RawMessage(monday(everyMonday)), Status: domain.ExecApproved}
	if outcome := w.act([]*domain.Execution{late}); !outcome.Failed || len(outcome.Made) != 0 {
		t.Errorf("a run made one: %+v", late)
	}

	w = inParis(t, "en")
	w.in(domain.Agent)
	w.env.Restricted, w.env.Only = true, []string{createAutomation}
	if plan := w.plan(w.command(createAutomation, monday(everyMonday))); !strings.Contains(plan.Problem, "There is no command") {
		t.Errorf("an agent: %q, %+v", plan.Problem, plan.Commands)
	}

	w = inParis(t, "en")
	w.env.Taint = (*domain.Taint)(nil).With(*domain.From(domain.OriginMCP, "mail"))
	plan := w.plan(w.command(createAutomation, monday(everyMonday)))
	if got := levels(plan.Commands.Reasons); got != "command, outside" {
		t.Fatalf("with words from outside: %q", got)
	}
	if why := plan.Commands.Reasons[1].Text; !strings.Contains(why, "mail") {
		t.Errorf("the card does not say from where: %s", why)
	}
	other := w.plan(w.command("CREATE_ZONE", `{"name":"a"}`))
	if len(other.Commands.Reasons) != 0 {
		t.Errorf("a zone: %+v", other.Commands.Reasons)
	}
}

// TestAnAutomationIsEditedBeforeTheYes with the checks of the first plan; the new params run.
func TestAnAutomationIsEditedBeforeTheYes(t *testing.T) {
	w := inParis(t, "en")
	plan := w.plan(w.command(createAutomation, monday(everyMonday)))
	e := plan.Commands.Actions[0]
	if _, err := w.edit(monday(`{"type":"once","expression":"2020-01-01"}`), e); pointerOf(err) != "/edits/"+e.ID+"/schedule/expression" {
		t.Errorf("an edit into the past: %v", err)
	}
	edited, err := w.edit(monday(`{"type":"cron","expression":"30 7 * * 2"}`), e)
	if err != nil {
		t.Fatal(err)
	}
	approve([]*domain.Execution{edited})
	outcome := w.act([]*domain.Execution{edited})
	if outcome.Failed || outcome.Stale != nil || len(outcome.Made) != 1 {
		t.Fatalf("%+v, %d made", outcome, len(outcome.Made))
	}
	if s := automation.Writes(outcome.Made[0])[0].Automation.Schedule; s.Expression != "30 7 * * 2" {
		t.Errorf("%+v", s)
	}
}

// TestOtherClocksAreShownAgain: what runs is what was shown, so a workspace that moved meanwhile
// is asked again; a schedule that names its own zone is not.
func TestOtherClocksAreShownAgain(t *testing.T) {
	for schedule, stale := range map[string]bool{
		everyMonday: true,
		`{"type":"cron","expression":"0 8 * * 1","time_zone":"Asia/Tokyo"}`: false,
	} {
		w := inParis(t, "en")
		actions := w.plan(w.command(createAutomation, monday(schedule))).Commands.Actions
		approve(actions)
		w.env.Settings.TimeZone = "America/New_York"
		outcome := w.act(actions)
		if (outcome.Stale != nil) != stale || (len(outcome.Made) == 0) != stale {
			t.Errorf("%s: %+v, %d made", schedule, outcome.Stale, len(outcome.Made))
		}
	}
}

// full is data in a workspace that has as many automations as may be, but for a few.
type full struct {
	*stored
	left int
}

func (f *full) RoomForAutomations(_ context.Context, more int) error {
	if more > f.left {
		return domain.Errorf(domain.CodeTooMany, "A workspace has at most 500 automations.")
	}
	return nil
}

// TestTooManyAutomations are refused before anybody is asked, and those of one answer are counted
// together.
func TestTooManyAutomations(t *testing.T) {
	w := inParis(t, "en")
	plan := func(left int, commands ...domain.Command) []*domain.Execution {
		t.Helper()
		raw, answer := w.answerOf(commands...)
		plan, err := w.c.Plan(t.Context(), &full{w.data, left}, w.env, "msg_1", raw, answer, nil)
		if err != nil || plan.Problem != "" {
			t.Fatal(err, plan.Problem)
		}
		return plan.Commands.Actions
	}
	other := strings.Replace(monday(everyMonday), "My week", "Another", 1)
	two := plan(1, w.command(createAutomation, monday(everyMonday)), w.command(createAutomation, other))
	if two[0].Status != domain.ExecCancelled || two[1].Status != domain.ExecFailed || two[1].Error.Code != string(domain.CodeTooMany) {
		t.Errorf("%+v, %+v", two[0], two[1])
	}
	if one := plan(1, w.command(createAutomation, monday(everyMonday)))[0]; one.Status != domain.ExecPlanned {
		t.Errorf("%+v", one)
	}
	both := plan(2, w.command(createAutomation, monday(everyMonday)), w.command(createAutomation, other))
	outcome, err := w.c.RunActions(t.Context(), &full{w.data, 1}, w.env, both, w.data.Savepoint) // there was room for both
	if err != nil || len(outcome.Made) != 1 || !outcome.Failed || both[1].Error.Code != string(domain.CodeTooMany) {
		t.Errorf("%v: %d made, the second: %+v", err, len(outcome.Made), both[1].Error)
	}
}
