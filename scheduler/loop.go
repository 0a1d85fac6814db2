package scheduler

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

const (
	// sweepEvery limits how long a lost wake-up can delay a session: every workspace with a waiting session
	// is checked at least this often.
	sweepEvery = 5 * time.Minute
	// retryLook is when a look that failed is taken again.
	retryLook = 2 * time.Second
	// dueBatch bounds how much of each kind is done before the clock is read again.
	dueBatch = 100
	// maxPasses bounds one RunOnce: what is due again and again is a mistake.
	maxPasses = 20
)

// Loop processes due work: it wakes sessions, records occurrences, and assigns the slot when it is free or
// when its holder has been inactive for long. A wait is a row with a due time; the loop's timers only
// speed it up.
type Loop struct {
	door        *Door
	queue       *Queue
	work        Work
	automations Automations
	tasks       Tasks
	stop        context.CancelFunc
	done        chan struct{}
}

// NewLoop makes the loop behind a door.
func NewLoop(door *Door, queue *Queue, work Work, automations Automations, tasks Tasks) *Loop {
	return &Loop{door: door, queue: queue, work: work, automations: automations, tasks: tasks}
}

// Start begins to look.
func (l *Loop) Start(ctx context.Context) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop, l.done = stop, make(chan struct{})
	go func() {
		defer close(l.done)
		l.run(ctx)
	}()
	return nil
}

// Stop ends it and waits.
func (l *Loop) Stop(context.Context) error {
	if l.stop != nil {
		l.stop()
		<-l.done
	}
	return nil
}

func (l *Loop) run(ctx context.Context) {
	var sweep time.Time // the next sweep over all workspaces: at once, then every 5 minutes
	for {
		now := l.door.cfg.Clock()
		sweeping := l.door.wakeups.takeSweep() || !now.Before(sweep)
		if sweeping {
			sweep = now.Add(sweepEvery)
		}
		l.runOnce(ctx, now, sweeping)
		timer := time.NewTimer(min(l.door.wakeups.next(sweep).Sub(l.door.cfg.Clock()), sweepEvery))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-l.door.wakeups.woken:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// runOnce processes what is due now, and reports whether there is more to do at once.
func (l *Loop) runOnce(ctx context.Context, now time.Time, sweep bool) (more bool) {
	l.doDueWork(ctx, now, sweep)
	l.lookAfterRuns(ctx)
	l.lookForEntries(ctx)
	for _, lane := range l.door.wakeups.dueLooks(now) {
		if at, again := l.queue.grantNext(ctx, lane); again {
			l.door.wakeups.look(lane, at)
			more = more || !at.After(now)
		}
	}
	return more
}

// RunOnce does all that is due by now, and returns when it is done: what the goroutine
// does each time it wakes. Tests with a clock of their own call it.
func (l *Loop) RunOnce(ctx context.Context) error {
	for range maxPasses {
		now := l.door.cfg.Clock()
		l.door.wakeups.forgetTimers(now)
		if more := l.runOnce(ctx, now, true); !more && !l.door.wakeups.anyEnded() {
			break
		}
	}
	return ctx.Err()
}

// doDueWork wakes due sessions and records due occurrences. A sweep finds with the same query what a lost
// hint would have left waiting.
func (l *Loop) doDueWork(ctx context.Context, now time.Time, sweep bool) {
	due, sweep := l.door.wakeups.begin(now, sweep)
	if !due && !sweep {
		return
	}
	work, err := l.work.DueWork(ctx, now, dueBatch, sweep)
	if err != nil {
		if ctx.Err() == nil {
			l.door.cfg.Log.Warn().Err(err).Msg("could not read what is due; trying again")
		}
		l.door.wakeups.retry(now, sweep)
		return
	}
	l.takeSwept(ctx, work, now)
	if !l.wakeSessions(ctx, work.Sessions) || !l.recordOccurrences(ctx, work.Automations) || !l.lookAtTasks(ctx, work.Tasks) {
		l.door.wakeups.retry(now, false)
		return
	}
	if len(work.Sessions) == dueBatch || len(work.Automations) == dueBatch || len(work.Tasks) == dueBatch {
		work.Next = now // there may be more
	}
	l.door.wakeups.note(work.Next)
}

// takeSwept looks after whom a sweep has found.
func (l *Loop) takeSwept(ctx context.Context, work *automation.DueWork, now time.Time) {
	for _, workspace := range work.Waiting {
		l.door.wakeups.look(domain.LaneRef{Workspace: workspace}, now)
	}
	for _, ref := range work.Failing {
		l.automations.DisableIfFailing(ctx, ref)
	}
	for _, ref := range work.Due {
		l.automations.SettleOverlap(ctx, ref)
	}
	for _, ref := range work.Watching {
		l.door.wakeups.entriesMade(ref.WorkspaceID)
	}
}

// wakeSessions sends due sessions a heartbeat; false: some could not be reached.
func (l *Loop) wakeSessions(ctx context.Context, refs []domain.SessionRef) bool {
	all := true
	for _, ref := range refs {
		_, err := l.door.Deliver(ctx, heartbeatRequest{Target{Workspace: ref.WorkspaceID, Session: ref.SessionID}})
		if err != nil && ctx.Err() == nil && !Refused(err) && !errors.Is(err, errNothingToDo) {
			l.door.cfg.Log.Warn().Err(err).Str("session", ref.SessionID).Msg("a timer could not be delivered")
			all = false
		}
	}
	return all
}

// lookAtTasks has the work at other services looked at; false: some could not be.
func (l *Loop) lookAtTasks(ctx context.Context, refs []domain.TaskRef) bool {
	all := true
	for _, ref := range refs {
		if err := l.tasks.TaskDue(ctx, ref); err != nil && ctx.Err() == nil {
			l.door.cfg.Log.Warn().Err(err).Str("task", ref.ID).Msg("a task could not be looked at")
			all = false
		}
	}
	return all
}

// heartbeatRequest wakes a due session. Another node may have been faster.
type heartbeatRequest struct{ Target }

func (heartbeatRequest) event(v *domain.View, m moment) (domain.Event, error) {
	s, driven := v.Session, m.drives(v.Session.ID)
	if s.WakeAt == nil || s.WakeAt.After(m.now) {
		return nil, errNothingToDo
	}
	cleared := s.State.Suspicion.ClearedAt(m.caution)
	if cleared != nil && cleared.Equal(*s.WakeAt) && !driven {
		return nil, errNothingToDo // only the process that performs it can confirm that it is alive
	}
	return domain.SchedulerHeartbeat{Driven: driven}, nil
}

// recordOccurrences has what came due of automations recorded; false: some could not be.
func (l *Loop) recordOccurrences(ctx context.Context, refs []domain.AutomationRef) bool {
	all := true
	for _, ref := range refs {
		err := l.automations.RecordOccurrences(ctx, ref)
		if err != nil && ctx.Err() == nil && domain.ErrorCode(err) != domain.CodeNotFound {
			l.door.cfg.Log.Warn().Err(err).Str("automation", ref.ID).Msg("what is due of an automation could not be recorded")
			all = false
		}
	}
	return all
}

// lookAfterRuns checks the automations whose runs have ended.
func (l *Loop) lookAfterRuns(ctx context.Context) {
	for _, run := range l.door.wakeups.takeEnded() {
		l.automations.DisableIfFailing(ctx, domain.AutomationRef{WorkspaceID: run.WorkspaceID, ID: run.AutomationID})
	}
}

// lookForEntries looks at the workspaces in which entries were made.
func (l *Loop) lookForEntries(ctx context.Context) {
	for workspace := range l.door.wakeups.takeEntries() {
		if err := l.automations.StartByEntries(ctx, workspace); err != nil && ctx.Err() == nil {
			l.door.cfg.Log.Warn().Err(err).Str("workspace", workspace).
				Msg("could not look for entries that start automations; they are found at the next look")
		}
	}
}
