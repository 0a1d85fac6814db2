package suite

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// unknownRow is of a type that the store has no table for.
type unknownRow struct{}

// DueAt implements domain.Row.
func (unknownRow) DueAt() *time.Time { return nil }

// automation stores an automation with a SEED, as the door makes one.
func (w *world) automation(name string, change func(*automation.Automation)) *automation.Automation {
	seed := w.stored("seed of "+name, func(s *domain.Session) { s.Type = domain.Seed })
	c := w.change(seed)
	m := &domain.Message{
		ID: w.newID(domain.PrefixMessage), WorkspaceID: seed.WorkspaceID, SessionID: seed.ID, Timestamp: T0,
		Sender: domain.SenderUser, Status: domain.MessageStored, Rich: &domain.RichContent{LinearText: "Look at the numbers."},
	}
	c.Messages = []*domain.Message{m}
	c.Emit(domain.LogEvent{SessionID: seed.ID, Type: domain.LogMessageCreated, Message: m})
	a := &automation.Automation{
		ID: w.newID(domain.PrefixAutomation), WorkspaceID: seed.WorkspaceID, Name: name, SeedSessionID: seed.ID, Enabled: true,
		Schedule: &automation.Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "Europe/Paris", StartsAt: "2026-03-04T00:00:00"},
		Misfire:  automation.MisfireOnce, Overlap: automation.OverlapSkip, Completion: automation.CompletionAuto, Tags: []string{"daily"}, Commands: []string{"SHOP.*"},
		Triggers:      []automation.Trigger{{Type: automation.TriggerEntryCreated, ToolID: "tol_1", Condition: json.RawMessage(`{"type": "object"}`)}},
		Budgets:       domain.Budgets{MaxCostPerDay: new(1.5)},
		ScheduleSince: T0, NextAt: new(T0.Add(time.Hour)), HookSecret: automation.HookSecret{HookHash: "hash", HookSealed: "v2.sealed"}, CreatedAt: T0, UpdatedAt: T0,
	}
	if change != nil {
		change(a)
	}
	c.Rows = append(c.Rows, automation.Write{Automation: a, Insert: true})
	w.ok(w.Commit(w.Context(), c))
	return a
}

// automations come back as they were written; a stale change of one is refused, and what
// the scheduler keeps of it is no change that anybody sees.
func automations(w *world) {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	a := w.automation("numbers", nil)
	got, err := w.Automations.Automation(ctx, ws, a.ID)
	w.ok(err)
	w.equal(*got, *a, "the automation read back")
	w.ok(w.ReadData(ws).RoomForAutomations(ctx, 499))
	w.code(w.ReadData(ws).RoomForAutomations(ctx, 500), domain.CodeTooMany)
	w.ok(w.ReadData("other").RoomForAutomations(ctx, 500))
	_, err = w.Automations.Automation(ctx, "other", a.ID)
	w.equal(domain.ErrorCode(err), domain.CodeNotFound, "from another workspace")

	stale := *a
	a.Name, a.NextAt = "figures", nil
	c := &domain.Change{WorkspaceID: ws, At: T0, Rows: []domain.Row{automation.Write{Automation: a}}}
	w.ok(w.Commit(ctx, c))
	w.equal(a.Version, int64(2), "version after an edit")
	err = w.Commit(ctx, &domain.Change{WorkspaceID: ws, At: T0, Rows: []domain.Row{automation.Write{Automation: &stale}}})
	w.equal(errors.Is(err, domain.ErrStale), true, "a stale edit")
	w.equal(stale.Version, int64(1), "version of what was not written")
	err = w.Commit(ctx, &domain.Change{WorkspaceID: ws, At: T0, Rows: []domain.Row{automation.Write{Automation: a}, unknownRow{}}})
	w.equal(err != nil, true, "a row that no table takes is an error")
	w.equal(a.Version, int64(2), "and nothing is written beside it")

	a.NextAt, a.SeenSeq = new(T0.Add(2*time.Hour)), 3
	w.ok(w.Commit(ctx, &domain.Change{WorkspaceID: ws, At: T0, Rows: []domain.Row{automation.Write{Automation: a, Bookkeeping: true}}}))
	got, err = w.Automations.Automation(ctx, ws, a.ID)
	w.ok(err)
	w.equal([]any{got.Version, *got.NextAt, got.SeenSeq}, []any{int64(2), T0.Add(2 * time.Hour), int64(3)}, "after a tick")

	hook, err := w.Automations.AutomationOfHook(ctx, a.ID)
	w.ok(err)
	w.equal(hook.WorkspaceID, ws, "whose hook it is")
	second := w.automation("second", func(o *automation.Automation) { o.Enabled, o.Triggers, o.NextAt = false, nil, nil })
	page, next, err := w.Automations.Automations(ctx, ws, nil, "", 1)
	w.ok(err)
	w.equal([]any{len(page), page[0].ID, next != ""}, []any{1, second.ID, true}, "the first page")
	page, next, err = w.Automations.Automations(ctx, ws, nil, next, 1)
	w.ok(err)
	w.equal([]any{len(page), page[0].ID, next}, []any{1, a.ID, ""}, "the last page")
	page, _, err = w.Automations.Automations(ctx, ws, new(true), "", 10)
	w.ok(err)
	w.equal(len(page), 1, "the enabled ones")

	a.DeletedAt = new(T0)
	w.ok(w.Commit(ctx, &domain.Change{WorkspaceID: ws, At: T0, Rows: []domain.Row{automation.Write{Automation: a}}}))
	_, err = w.Automations.Automation(ctx, ws, a.ID)
	w.equal(domain.ErrorCode(err), domain.CodeNotFound, "a deleted one")
	w.sound()
}

// occurrences: one row for each instant, which changes only while it is due.
func occurrences(w *world) {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	a := w.automation("numbers", nil)
	row := func(hours int, state automation.OccurrenceState) *automation.Occurrence {
		return &automation.Occurrence{
			ID: w.newID(domain.PrefixOccurrence), WorkspaceID: ws, AutomationID: a.ID, ScheduledAt: T0.Add(time.Duration(hours) * time.Hour),
			State: state, RecordedAt: T0.Add(48 * time.Hour),
		}
	}
	record := func(rows ...*automation.Occurrence) error {
		c := &domain.Change{WorkspaceID: ws, At: T0}
		for _, row := range rows {
			c.Rows = append(c.Rows, row)
		}
		return w.Commit(ctx, c)
	}
	first, second := row(1, automation.OccurrenceDue), row(25, automation.OccurrenceDue)
	w.ok(record(first, second))
	gone := *first
	gone.State, gone.CoalescedInto = automation.OccurrenceCoalesced, &second.ScheduledAt
	w.ok(record(&gone))
	again := *first
	again.State, again.SessionID = automation.OccurrenceFired, "ses_twice"
	w.equal(errors.Is(record(&again), domain.ErrStale), true, "what was decided is decided again")

	w.automation("without", func(o *automation.Automation) { o.NextAt = nil })
	err := w.decideAutomation(a.ID, func(v *automation.View) {
		w.equal([]any{len(v.Due), v.Due[0].ID, v.LastScheduled, len(v.Seed), v.Seed[0].Rich.LinearText},
			[]any{1, second.ID, second.ScheduledAt, 1, "Look at the numbers."}, "what a decision sees")
	})
	w.ok(err)
	list, next, err := w.Automations.Occurrences(ctx, ws, automation.OccurrenceFilter{AutomationID: a.ID, Limit: 1})
	w.ok(err)
	w.equal([]any{len(list), list[0].ScheduledAt}, []any{1, second.ScheduledAt}, "the latest first")
	list, _, err = w.Automations.Occurrences(ctx, ws, automation.OccurrenceFilter{AutomationID: a.ID, Cursor: next, Limit: 10})
	w.ok(err)
	w.equal([]any{len(list), list[0].State, *list[0].CoalescedInto}, []any{1, automation.OccurrenceCoalesced, second.ScheduledAt}, "then the one before")

	other := w.automation("others", nil)
	missed := row(25, automation.OccurrenceMissed)
	missed.AutomationID = other.ID
	w.ok(record(missed))
	shown := func(f automation.OccurrenceFilter) (ids []string) {
		list, _, err := w.Automations.Occurrences(ctx, ws, f)
		w.ok(err)
		for _, o := range list {
			ids = append(ids, o.ID)
		}
		return ids
	}
	w.equal(shown(automation.OccurrenceFilter{}), []string{missed.ID, second.ID, first.ID}, "those of all automations")
	w.equal(shown(automation.OccurrenceFilter{States: []automation.OccurrenceState{automation.OccurrenceMissed, automation.OccurrenceCoalesced}}), []string{missed.ID, first.ID}, "of some states")
	w.equal(shown(automation.OccurrenceFilter{Since: second.ScheduledAt}), []string{missed.ID, second.ID}, "since")
	w.equal(shown(automation.OccurrenceFilter{Until: second.ScheduledAt}), []string{first.ID}, "until")
	list, next, err = w.Automations.Occurrences(ctx, ws, automation.OccurrenceFilter{Limit: 1})
	w.ok(err)
	w.equal(list[0].ID, missed.ID, "the first page")
	w.equal(shown(automation.OccurrenceFilter{Cursor: next}), []string{second.ID, first.ID}, "two automations at one instant, cut between them")
	w.equal(len(shown(automation.OccurrenceFilter{AutomationID: "aut_unknown"})), 0, "of an unknown automation")

	agenda, err := w.Slot.DueWork(ctx, T0.Add(time.Hour), 10, true)
	w.ok(err)
	w.equal([]any{agenda.Automations, agenda.Waiting, len(agenda.Watching)},
		[]any{[]domain.AutomationRef{{WorkspaceID: ws, ID: a.ID}, {WorkspaceID: ws, ID: other.ID}}, []string{ws}, 3}, "what there is to do")
	refs, err := w.Automations.DueOccurrences(ctx, ws)
	w.ok(err)
	w.equal(refs, []domain.AutomationRef{{WorkspaceID: ws, ID: a.ID}}, "whose occurrences are due")
	waiters, err := w.Slot.Waiters(ctx, domain.LaneRef{Workspace: ws, Lane: domain.LaneAutomations})
	w.ok(err)
	w.equal(waiters.DueSince, second.RecordedAt, "since when one is due")
}

func (w *world) decideAutomation(id string, look func(*automation.View)) error {
	_, err := w.DecideAutomation(w.Context(), domain.DefaultWorkspace, id, func(_ context.Context, v *automation.View) (*domain.Change, error) {
		look(v)
		return nil, nil
	})
	return err
}

// runs: those that have not ended, how the latest ended, who waits for an earlier one,
// and which grants were used how often.
func runs(w *world) {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	a := w.automation("numbers", nil)
	made := T0
	run := func(name string, change func(*domain.Session)) *domain.Session {
		made = made.Add(time.Second)
		return w.stored(name, func(s *domain.Session) {
			s.Type, s.AutomationID, s.CreatedAt = domain.Run, a.ID, made
			change(s)
		})
	}
	run("failed", func(s *domain.Session) { s.Phase, s.EndReason = domain.Completed, domain.EndError })
	run("done", func(s *domain.Session) { s.Phase, s.EndReason = domain.Completed, domain.EndCompleted })
	parked := run("parked", func(s *domain.Session) {
		s.Phase, s.State.Waiting = domain.WaitingExternalResult, &domain.WaitingContext{}
	})
	queued := run("queued", func(s *domain.Session) { s.Phase, s.QueuedAt = domain.ExecutingEnrichments, &made })
	c := w.change(queued)
	c.Enqueue = []domain.QueueRow{{SessionID: queued.ID, Since: made, Trigger: domain.ByHand}}
	grant := &domain.Grant{
		ID: w.newID(domain.PrefixGrant), WorkspaceID: ws, AutomationID: a.ID, Commands: []string{"CREATE_DATA"}, ZoneIDs: []string{},
		ToolIDs: []string{"tol_1"}, Bounds: json.RawMessage(`{"type": "object"}`), MaxPerRun: 2, CreatedBy: "key_1", CreatedAt: T0,
	}
	c.Grants = []*domain.Grant{grant}
	for i, status := range []domain.ExecutionStatus{domain.ExecSuccess, domain.ExecCancelled} {
		c.Executions = append(c.Executions, &domain.Execution{
			ID: w.newID(domain.PrefixExecution), WorkspaceID: ws, SessionID: queued.ID, MessageID: "msg_1", CallID: "c", Position: i,
			Command: "CREATE_DATA", Params: json.RawMessage(`{}`), Kind: domain.KindAction, Status: status, GrantID: grant.ID, CreatedAt: T0,
		})
	}
	w.ok(w.Commit(ctx, c))

	w.ok(w.decideAutomation(a.ID, func(v *automation.View) {
		w.equal([]any{len(v.Unended), v.Unended[0].ID, v.Ends, len(v.Grants)},
			[]any{2, parked.ID, []domain.EndReason{domain.EndCompleted, domain.EndError}, 1}, "what a decision sees of the runs")
	}))
	waiters, err := w.Slot.Waiters(ctx, domain.LaneRef{Workspace: ws, Lane: domain.LaneWorkspace})
	w.ok(err)
	w.equal(waiters.Queue[0].Blocked, true, "the second run waits for the first")
	v, err := w.View(ctx, ws, queued.ID)
	w.ok(err)
	w.equal([]any{v.BehindOwnRun, len(v.Grants), v.Grants[0].UsesInRun}, []any{true, 1, int64(1)}, "the run's own view")
	first, err := w.View(ctx, ws, parked.ID)
	w.ok(err)
	w.equal([]any{first.BehindOwnRun, first.Grants[0].UsesInRun}, []any{false, int64(0)}, "the earlier run's view")

	grant.RevokedAt = new(T0.Add(time.Minute))
	w.ok(w.Commit(ctx, &domain.Change{WorkspaceID: ws, At: T0, Rows: []domain.Row{automation.Write{Automation: a}}, Grants: []*domain.Grant{grant}}))
	all, _, err := w.Automations.Grants(ctx, ws, a.ID, "", 10)
	w.ok(err)
	grant.Uses = 1
	w.equal(*all[0], *grant, "a withdrawn grant is still listed")
	v, err = w.View(ctx, ws, queued.ID)
	w.ok(err)
	w.equal(len(v.Grants), 0, "and counts no more")
	records, _, err := w.Records.RunRecords(ctx, ws, domain.SessionFilter{AutomationID: a.ID, Limit: 10})
	w.ok(err)
	w.equal([]any{len(records), records[0].Session.ID}, []any{4, queued.ID}, "the history, newest first")
	runs := func(f domain.SessionFilter) int {
		records, _, err := w.Records.RunRecords(ctx, ws, f)
		w.ok(err)
		return len(records)
	}
	w.equal([]int{runs(domain.SessionFilter{}), runs(domain.SessionFilter{EndReason: domain.EndError}), runs(domain.SessionFilter{Trigger: queued.Trigger}),
		runs(domain.SessionFilter{Trigger: "OTHER"}), runs(domain.SessionFilter{Until: queued.CreatedAt}), runs(domain.SessionFilter{Since: queued.CreatedAt})},
		[]int{4, 1, 4, 0, 3, 1}, "the runs of all automations, some of them")
}
