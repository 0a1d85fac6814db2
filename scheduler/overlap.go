package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Overlap says what becomes of a run that is to begin.
type Overlap string

const (
	// OverlapNone: nothing stands in its way, or it waits in the queue as every run does.
	OverlapNone    Overlap = ""
	OverlapWaits   Overlap = "waits"   // its instant stays due until the last run has ended
	OverlapSkips   Overlap = "skips"   // it does not run
	OverlapStopOld Overlap = "stopOld" // the runs that go end first
)

// overlap applies the automation's policy to a run that a trigger starts while its last
// one has not ended, whichever trigger it is. A person's own run always queues; so does
// what the misfire policy made (due is nil for a run that no schedule starts).
func overlap(v *domain.AutomationView, trigger string, due *domain.Occurrence) Overlap {
	scheduled := due != nil
	switch {
	case len(v.Unended) == 0, trigger == domain.ByHand:
		return OverlapNone
	case scheduled && (due.Reason != "" || v.Automation.Overlap == domain.OverlapQueue || len(v.Due) > 1 && v.Automation.Misfire == domain.MisfireAll):
		return OverlapWaits
	case v.Automation.Overlap == domain.OverlapRestart:
		return OverlapStopOld
	case v.Automation.Overlap == domain.OverlapQueue:
		return OverlapNone
	}
	return OverlapSkips
}

// restartError ends a transaction in which it shows that an old run must be stopped first.
type restartError struct{ runs []string }

func (*restartError) Error() string { return "an earlier run is stopped first" }

func runsOf(sessions []*domain.Session) *restartError {
	e := &restartError{}
	for _, s := range sessions {
		e.runs = append(e.runs, s.ID)
	}
	return e
}

// passRestarting is passOrder with patience for a policy that ends the old runs first:
// they are stopped, and it is decided again.
func (d *Door) passRestarting(ctx context.Context, workspace, automation string, decide orderDecision) (*outcome, error) {
	for range maxStops {
		o, err := d.passOrder(ctx, workspace, automation, decide)
		restart, ok := errors.AsType[*restartError](err)
		if !ok {
			return o, err
		}
		for _, old := range restart.runs {
			_, err := d.StopSession(forgetful{ctx}, workspace, old, domain.Author{ID: "overlap"})
			if err != nil && !refused(err) {
				return nil, fmt.Errorf("stop the run %s that the new one replaces: %w", old, err)
			}
		}
	}
	return nil, domain.Errorf(domain.CodeSessionBusy, "Runs of this automation begin faster than they can be stopped. Nothing was started; try again.")
}

// forgetful is the context of a step that is no part of what the request's idempotency
// key stands for: the key is spent by the run that begins, not by the one that ends.
type forgetful struct{ context.Context }

func (forgetful) Value(any) any { return nil }

// skippedEvent records that an event started no run.
func (d *Door) skippedEvent(v *domain.AutomationView, reason string) *domain.Change {
	change := d.changeOf(v)
	at := change.At
	if at.Equal(at.Truncate(time.Second)) {
		at = at.Add(time.Microsecond) // an instant of its own: schedules are due at whole seconds
	}
	d.record(change, &domain.Occurrence{
		ID: d.cfg.NewID(domain.PrefixOccurrence), WorkspaceID: v.Workspace.ID, AutomationID: v.Automation.ID, ScheduledAt: at, Trigger: domain.ByEvent,
	}, domain.OccurrenceSkipped, reason)
	return change
}

// beginByEvent makes the run that an event starts, or records that the overlap policy
// skips it.
func (d *Door) beginByEvent(v *domain.AutomationView, r run, known bool) (*outcome, error) {
	switch overlap(v, r.trigger, nil) {
	case OverlapSkips:
		return &outcome{change: d.skippedEvent(v, domain.SkippedOverlap)}, nil
	case OverlapStopOld:
		return nil, runsOf(v.Unended)
	default:
		return d.begin(v, r, known)
	}
}
