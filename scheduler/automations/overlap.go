package automations

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler"
)

// overlapping is the decision about a run that is to begin.
type overlapping string

const (
	// overlapNone: nothing prevents it; it may wait in the queue like every run.
	overlapNone    overlapping = ""
	overlapWaits   overlapping = "waits"   // its instant stays due until the last run has ended
	overlapSkips   overlapping = "skips"   // it does not run
	overlapStopOld overlapping = "stopOld" // the runs that go end first
)

// overlap applies the automation's policy to a run that a trigger starts while its last
// one has not ended, whichever trigger it is. A person's own run always queues; so does
// what the misfire policy made (due is nil for a run that no schedule starts).
func overlap(v *automation.View, trigger string, due *automation.Occurrence) overlapping {
	a, scheduled := v.Automation, due != nil
	switch {
	case len(v.Unended) == 0, trigger == domain.ByHand:
		return overlapNone
	case scheduled && (due.Reason != "" || a.Overlap == automation.OverlapQueue || len(v.Due) > 1 && a.Misfire == automation.MisfireAll):
		return overlapWaits
	case a.Overlap == automation.OverlapRestart:
		return overlapStopOld
	case a.Overlap == automation.OverlapQueue:
		return overlapNone
	}
	return overlapSkips
}

// stopFirstError ends a transaction in which it shows that runs must be stopped first.
type stopFirstError struct{ runs []string }

func (*stopFirstError) Error() string { return "an earlier run is stopped first" }

func stopFirst(runs []*domain.Session) *stopFirstError {
	e := &stopFirstError{}
	for _, run := range runs {
		e.runs = append(e.runs, run.ID)
	}
	return e
}

// beginByEvent plans the run that an event starts, or records that the overlap policy
// skips it.
func (p rules) beginByEvent(v *automation.View, s start) (scheduler.Plan, error) {
	switch overlap(v, s.trigger, nil) {
	case overlapSkips:
		return scheduler.Plan{Change: p.skippedEvent(v, automation.SkippedOverlap)}, nil
	case overlapStopOld:
		return scheduler.Plan{}, stopFirst(v.Unended)
	default:
		return p.begin(v, s)
	}
}

// skippedEvent records that an event started no run.
func (p rules) skippedEvent(v *automation.View, reason string) *domain.Change {
	change := p.change(v)
	at := change.At
	if at.Equal(at.Truncate(time.Second)) {
		at = at.Add(time.Microsecond) // an instant of its own: schedules are due at whole seconds
	}
	record(change, &automation.Occurrence{
		ID: p.newID(domain.PrefixOccurrence), WorkspaceID: v.Workspace.ID, AutomationID: v.Automation.ID,
		ScheduledAt: at, Trigger: domain.ByEvent,
	}, automation.OccurrenceSkipped, reason)
	return change
}
