package automations

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// misfire is the reason of a DUE occurrence that the misfire policy made: one past its grace, or one
// that missed occurrences were merged into. The overlap policy does not apply to it: it waits for the
// run before it, which after a crash is often one that was interrupted.
const misfire = "misfire"

// RecordOccurrences records what came due of an automation since the last look, computed
// from its history, and starts what may start.
func (r *Runs) RecordOccurrences(ctx context.Context, ref domain.AutomationRef) error {
	_, err := r.deliver(ctx, ref.WorkspaceID, ref.ID, func(p rules, v *automation.View) (scheduler.Plan, error) {
		change, err := p.recordDue(v)
		return scheduler.Plan{Change: change}, err
	})
	if err != nil {
		return err
	}
	started, err := r.startOldest(ctx, ref)
	if err == nil && !started {
		// It may have to wait for the slot: when it may come is computed by a look.
		r.Door.Look(ref.WorkspaceID)
	}
	return err
}

// recordDue writes a row for every instant that came due. A nil change: nothing did.
func (p rules) recordDue(v *automation.View) (*domain.Change, error) {
	a := *v.Automation
	if !a.Enabled || a.Schedule == nil {
		return nil, nil
	}
	plan, err := schedule.Stored(*a.Schedule)
	if err != nil {
		return nil, err
	}
	change := p.change(v)
	in := schedule.DueInput{
		Plan: plan, After: countsFrom(v), Now: change.At, Grace: time.Duration(v.Workspace.Settings.MisfireGrace), Policy: a.Misfire,
	}
	for _, due := range v.Due {
		in.Open = append(in.Open, due.ScheduledAt)
	}
	decisions := schedule.Due(in)
	for i := range decisions {
		p.recordDecision(v, change, &decisions[i], in, catchesUp(decisions, decisions[i].At))
	}
	a.NextAt = nextLook(in, decisions)
	change.Rows = append(change.Rows, automation.Write{Automation: &a, Bookkeeping: true})
	return change, nil
}

// countsFrom is the instant from which on the schedule counts: the latest in the history,
// or when it was set.
func countsFrom(v *automation.View) time.Time {
	if v.LastScheduled.After(v.Automation.ScheduleSince) {
		return v.LastScheduled
	}
	return v.Automation.ScheduleSince
}

// catchesUp reports whether missed occurrences were merged into the one at this instant: it runs for
// them too.
func catchesUp(decisions []schedule.Decision, at time.Time) bool {
	return slices.ContainsFunc(decisions, func(d schedule.Decision) bool { return d.Into.Equal(at) })
}

func (p rules) recordDecision(v *automation.View, change *domain.Change, decision *schedule.Decision, in schedule.DueInput,
	catchUp bool,
) {
	row := &automation.Occurrence{
		ID: p.newID(domain.PrefixOccurrence), WorkspaceID: v.Workspace.ID, AutomationID: v.Automation.ID, ScheduledAt: decision.At,
	}
	for _, due := range v.Due {
		if due.ScheduledAt.Equal(decision.At) {
			row = due
		}
	}
	reason := decision.Reason
	if decision.State == automation.OccurrenceDue && reason == "" && (in.Late(decision.At) || catchUp) {
		reason = misfire
	}
	if !decision.Through.IsZero() { // so many that they have no rows of their own
		reason += " until " + decision.Through.UTC().Format(time.RFC3339)
	}
	if !decision.Into.IsZero() {
		row.CoalescedInto = &decision.Into
	}
	record(change, row, decision.State, reason)
}

// record adds the new state of an occurrence to a change, with its event.
func record(change *domain.Change, row *automation.Occurrence, state automation.OccurrenceState, reason string) {
	own := *row
	own.State, own.Reason, own.RecordedAt = state, reason, change.At
	change.Rows = append(change.Rows, &own)
	change.Emit(domain.LogEvent{Type: domain.LogOccurrence, Row: &own})
}

// nextLook is when the schedule must be looked at again: at the next instant, or when
// an open one is over its grace.
func nextLook(in schedule.DueInput, decisions []schedule.Decision) *time.Time {
	open := slices.Clone(in.Open)
	for _, decision := range decisions {
		open = slices.DeleteFunc(open, decision.At.Equal)
		if decision.State == automation.OccurrenceDue {
			open = append(open, decision.At)
		}
	}
	in.Open = open
	if at, ok := schedule.Wake(in); ok {
		return &at
	}
	return nil
}

// StartDue starts the occurrence of a lane that has been due for longest, if it may start.
func (r *Runs) StartDue(ctx context.Context, lane domain.LaneRef) error {
	refs, err := r.Store.DueOccurrences(ctx, lane.Workspace)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		started, err := r.startIn(ctx, lane.Lane, ref)
		if err != nil || started {
			return err
		}
	}
	return nil
}

// startIn starts the oldest due occurrence of an automation, if its runs are in a lane.
func (r *Runs) startIn(ctx context.Context, lane string, ref domain.AutomationRef) (bool, error) {
	return r.start(ctx, ref, func(p rules, v *automation.View) (scheduler.Plan, error) {
		if v.Lane != lane {
			return scheduler.Plan{}, nil
		}
		return p.startOldest(v)
	})
}

// startOldest starts the oldest due occurrence of an automation, unless its previous run or the slot
// prevents it. Overlap is checked before the slot.
func (r *Runs) startOldest(ctx context.Context, ref domain.AutomationRef) (bool, error) {
	return r.start(ctx, ref, rules.startOldest)
}

func (r *Runs) start(
	ctx context.Context, ref domain.AutomationRef, plan func(rules, *automation.View) (scheduler.Plan, error),
) (bool, error) {
	o, err := r.deliverRestarting(ctx, ref.WorkspaceID, ref.ID, plan)
	if errors.Is(err, scheduler.ErrSlotTaken) {
		return false, nil // it stays due
	}
	return o != nil && o.Session != nil, err
}

// SettleOverlap applies the overlap policy to an occurrence that is due while a run of
// its automation goes: a process that died after it had recorded the one did not come to
// it, and when the slot comes free is too late. All else waits for its turn.
func (r *Runs) SettleOverlap(ctx context.Context, ref domain.AutomationRef) {
	_, err := r.deliver(ctx, ref.WorkspaceID, ref.ID, func(p rules, v *automation.View) (scheduler.Plan, error) {
		if len(v.Unended) == 0 {
			return scheduler.Plan{}, nil
		}
		return p.startOldest(v)
	})
	if _, running := errors.AsType[*stopFirstError](err); running {
		_, err = r.startOldest(ctx, ref)
	}
	if err != nil && !errors.Is(err, scheduler.ErrSlotTaken) && ctx.Err() == nil {
		r.Log.Warn().Err(err).Str("automation", ref.ID).
			Msg("what is due of an automation could not be looked at; trying again at the next sweep")
	}
}

// startOldest plans the run of the oldest due occurrence, or records why it does not run.
// scheduler.ErrSlotTaken means that it keeps waiting.
func (p rules) startOldest(v *automation.View) (scheduler.Plan, error) {
	if len(v.Due) == 0 || !v.Automation.Enabled {
		return scheduler.Plan{}, nil
	}
	due := v.Due[0]
	if failing := p.disableFailing(v); failing != nil {
		return scheduler.Plan{Change: failing}, nil
	}
	skip, err := whyNot(v, due)
	if err != nil {
		return scheduler.Plan{}, err
	}
	if skip != "" {
		change := p.change(v)
		record(change, due, automation.OccurrenceSkipped, skip)
		return scheduler.Plan{Change: change}, nil
	}
	plan, err := p.begin(v, start{
		trigger: domain.BySchedule, cause: domain.CauseSchedule, at: due.ScheduledAt, by: "schedule", onTime: true, since: due.RecordedAt,
	})
	if e, ok := errors.AsType[*domain.Error](err); ok && e.Code == domain.CodeConflict {
		return scheduler.Plan{Change: p.failed(v, due, e.Message)}, nil
	}
	if err != nil {
		return scheduler.Plan{}, err
	}
	started := *due
	started.SessionID = plan.Run.Session.ID
	plan.Change = p.change(v)
	record(plan.Change, &started, automation.OccurrenceFired, due.Reason)
	return plan, nil
}

// whyNot returns why a due occurrence is skipped, or "". The error scheduler.ErrSlotTaken means that it
// waits.
func whyNot(v *automation.View, due *automation.Occurrence) (string, error) {
	if limit := v.Automation.Budgets.MaxCostPerDay; limit != nil && v.Spent.AutomationToday >= *limit {
		return automation.SkippedBudget, nil
	}
	switch overlap(v, domain.BySchedule, due) {
	case overlapWaits:
		return "", scheduler.ErrSlotTaken
	case overlapStopOld:
		return "", stopFirst(v.Unended)
	case overlapSkips:
		return automation.SkippedOverlap, nil
	default:
		return "", nil
	}
}

// failed records that an occurrence could not be started. That counts like a run that
// failed: what can never start is not tried for ever in silence.
func (p rules) failed(v *automation.View, due *automation.Occurrence, reason string) *domain.Change {
	change := p.change(v)
	record(change, due, automation.OccurrenceFailed, reason)
	after := *v
	after.Due = slices.DeleteFunc(slices.Clone(v.Due), func(row *automation.Occurrence) bool { return row == due })
	after.Ends = slices.Insert(slices.Clone(v.Ends), 0, domain.EndError)
	after.Ends = after.Ends[:min(len(after.Ends), automation.FailuresToDisable)]
	change.Merge(p.disableFailing(&after))
	return change
}
