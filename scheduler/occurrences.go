package scheduler

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// misfire marks a DUE occurrence that was not on time: the misfire policy made it, so
// overlap does not apply to it.
const misfire = "misfire"

// tick records what came due of an automation since the last look, computed from its
// history, and starts what may start.
func (d *Door) tick(ctx context.Context, ref domain.AutomationRef) error {
	_, err := d.passOrder(ctx, ref.WorkspaceID, ref.ID, func(v *domain.AutomationView, _ bool) (*outcome, error) {
		change, err := d.recordDue(v)
		if err != nil || change == nil {
			return nil, err
		}
		return &outcome{change: change}, nil
	})
	if err != nil {
		return err
	}
	fired, err := d.fire(ctx, ref)
	if err == nil && !fired {
		// It may have to wait for the slot: when its turn may come is computed by a look.
		d.agenda.look(ref.WorkspaceID, d.cfg.Clock())
	}
	return err
}

// recordDue writes a row for every instant that came due. A nil change: nothing did.
func (d *Door) recordDue(v *domain.AutomationView) (*domain.Change, error) {
	order := *v.Automation
	if !order.Enabled || order.Schedule == nil {
		return nil, nil
	}
	plan, err := schedule.Parse(*order.Schedule)
	if err != nil {
		return nil, err
	}
	change := d.changeOf(v)
	in := schedule.DueInput{
		Plan: plan, After: after(v), Now: change.At, Grace: time.Duration(v.Workspace.Settings.MisfireGrace), Policy: order.Misfire,
	}
	for _, due := range v.Due {
		in.Open = append(in.Open, due.ScheduledAt)
	}
	decisions := schedule.Due(in)
	for i := range decisions {
		d.recordDecision(v, change, &decisions[i], in)
	}
	order.NextAt = nextLook(in, decisions)
	change.Automations = []domain.AutomationWrite{{Automation: &order, Tick: true}}
	return change, nil
}

// after is the instant from which on the schedule counts: the latest in the history, or
// when it was set.
func after(v *domain.AutomationView) time.Time {
	if v.LastScheduled.After(v.Automation.ScheduleSince) {
		return v.LastScheduled
	}
	return v.Automation.ScheduleSince
}

func (d *Door) recordDecision(v *domain.AutomationView, change *domain.Change, decision *schedule.Decision, in schedule.DueInput) {
	row := &domain.Occurrence{
		ID: d.cfg.NewID(domain.PrefixOccurrence), WorkspaceID: v.Workspace.ID, AutomationID: v.Automation.ID, ScheduledAt: decision.At,
	}
	for _, due := range v.Due {
		if due.ScheduledAt.Equal(decision.At) {
			row = due
		}
	}
	reason := decision.Reason
	if decision.State == domain.OccurrenceDue && reason == "" && in.Late(decision.At) {
		reason = misfire
	}
	if !decision.Through.IsZero() { // so many that they have no rows of their own
		reason += " until " + decision.Through.UTC().Format(time.RFC3339)
	}
	if !decision.Into.IsZero() {
		row.CoalescedInto = &decision.Into
	}
	d.record(change, row, decision.State, reason)
}

// record adds what became of an occurrence to a change, and tells of it.
func (d *Door) record(change *domain.Change, row *domain.Occurrence, state domain.OccurrenceState, reason string) {
	own := *row
	own.State, own.Reason, own.RecordedAt = state, reason, change.At
	change.Occurrences = append(change.Occurrences, &own)
	change.Emit(domain.LogEvent{Type: domain.LogOccurrence, Occurrence: &own})
}

// nextLook is when the schedule must be looked at again: at the next instant, or when
// an open one is over its grace.
func nextLook(in schedule.DueInput, decisions []schedule.Decision) *time.Time {
	open := slices.Clone(in.Open)
	for _, decision := range decisions {
		open = slices.DeleteFunc(open, decision.At.Equal)
		if decision.State == domain.OccurrenceDue {
			open = append(open, decision.At)
		}
	}
	in.Open = open
	if at, ok := schedule.Wake(in); ok {
		return &at
	}
	return nil
}

// fireDue starts the occurrence of a workspace that has been due for longest, if it may
// start.
func (d *Door) fireDue(ctx context.Context, workspace string) error {
	refs, err := d.cfg.Orders.DueOccurrences(ctx, workspace)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		fired, err := d.fire(ctx, ref)
		if err != nil || fired {
			return err
		}
	}
	return nil
}

// fire starts the oldest due occurrence of an automation, if neither its own last run
// nor the slot stands in the way. Overlap comes first, then the slot.
func (d *Door) fire(ctx context.Context, ref domain.AutomationRef) (bool, error) {
	o, err := d.passRestarting(ctx, ref.WorkspaceID, ref.ID, d.fireOldest)
	if errors.Is(err, errSlotTaken) {
		return false, nil // it stays due
	}
	return o != nil && o.step != nil, err
}

// settleOverlap applies the overlap policy to an occurrence that is due while a run of
// its automation goes: a process that died after it had recorded the one did not come to
// it, and when the slot comes free is too late. All else waits for its turn.
func (d *Door) settleOverlap(ctx context.Context, ref domain.AutomationRef) {
	_, err := d.passOrder(ctx, ref.WorkspaceID, ref.ID, func(v *domain.AutomationView, known bool) (*outcome, error) {
		if len(v.Unended) == 0 {
			return nil, nil
		}
		return d.fireOldest(v, known)
	})
	if _, restart := errors.AsType[*restartError](err); restart {
		_, err = d.fire(ctx, ref)
	}
	if err != nil && !errors.Is(err, errSlotTaken) && ctx.Err() == nil {
		d.cfg.Log.Warn().Err(err).Str("automation", ref.ID).Msg("what is due of an automation could not be looked at; trying again at the next sweep")
	}
}

func (d *Door) fireOldest(v *domain.AutomationView, known bool) (*outcome, error) {
	if len(v.Due) == 0 || !v.Automation.Enabled {
		return nil, nil
	}
	due := v.Due[0]
	if failing := d.disableFailing(v); failing != nil {
		return failing, nil
	}
	if skip, err := d.standsInTheWay(v, due); err != nil || skip != "" {
		return d.closed(v, due, domain.OccurrenceSkipped, skip), err
	}
	o, err := d.begin(v, run{trigger: domain.BySchedule, cause: domain.CauseSchedule, at: due.ScheduledAt, by: "schedule", onTime: true, since: due.RecordedAt}, known)
	if e, ok := errors.AsType[*domain.Error](err); ok && e.Code == domain.CodeConflict {
		return d.failed(v, due, e.Message), nil
	}
	if err != nil {
		return nil, err
	}
	row := *due
	row.SessionID = o.step.Session.ID
	d.record(o.change, &row, domain.OccurrenceFired, due.Reason)
	return o, nil
}

// standsInTheWay says why a due occurrence is skipped; "" and no error: it is not. The
// error errSlotTaken means that it waits.
func (d *Door) standsInTheWay(v *domain.AutomationView, due *domain.Occurrence) (string, error) {
	if limit := v.Automation.Budgets.MaxCostPerDay; limit != nil && v.Spent.AutomationToday >= *limit {
		return domain.SkippedBudget, nil
	}
	switch overlap(v, domain.BySchedule, due) {
	case OverlapWaits:
		return "", errSlotTaken
	case OverlapStopOld:
		return "", runsOf(v.Unended)
	case OverlapSkips:
		return domain.SkippedOverlap, nil
	default:
		return "", nil
	}
}

// failed records that an occurrence could not be started. That counts like a run that
// failed: what can never start is not tried for ever in silence.
func (d *Door) failed(v *domain.AutomationView, due *domain.Occurrence, reason string) *outcome {
	o := d.closed(v, due, domain.OccurrenceFailed, reason)
	after := *v
	after.Due = slices.DeleteFunc(slices.Clone(v.Due), func(row *domain.Occurrence) bool { return row == due })
	after.Ends = slices.Insert(slices.Clone(v.Ends), 0, domain.EndError)
	after.Ends = after.Ends[:min(len(after.Ends), domain.FailuresToDisable)]
	if disabled := d.disableFailing(&after); disabled != nil {
		o.change.Merge(disabled.change)
	}
	return o
}

// closed records that an occurrence does not run.
func (d *Door) closed(v *domain.AutomationView, due *domain.Occurrence, state domain.OccurrenceState, reason string) *outcome {
	if reason == "" {
		return nil
	}
	change := d.changeOf(v)
	d.record(change, due, state, reason)
	return &outcome{change: change}
}
