package scheduler

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// errSlotTaken ends a passage in which nobody asks just now: the session goes on
// waiting, as it did.
var errSlotTaken = &domain.Error{
	Code:    domain.CodeSlotTaken,
	Message: "The slot of this workspace is taken by another session. Nothing was changed; try again when it is free.",
}

// Triggers of a row in the queue, beside those of a run.
const (
	askedByMessage    = "USER_MESSAGE"
	askedByPerson     = "ACTIVATE"
	askedToResume     = "RESUME"
	askedByRoundAgain = "MANUAL_TRIGGER"
)

// asks gathers what the slot's policy must know about one request.
func (d *Door) asks(v *domain.View, r request) Asks {
	a := Asks{
		Asker: v.Session, Holder: v.Holder, Settings: &v.Workspace.Settings, Now: d.cfg.Clock(), ByItself: r.byItself, Since: r.since,
		BehindOwnRun: v.BehindOwnRun,
		ActionRuns:   v.Holder != nil && v.Holder.ID != v.Session.ID && actionRuns(v.HolderPlanned),
	}
	for _, row := range v.Queue {
		if row.SessionID == v.Session.ID {
			a.Since, a.ByItself = row.Since, r.byItself && row.InTurn() // any other row is a standing request
			a.Returns = row.Reason == domain.QueuedSuspect
			return a
		}
		if !row.Blocked && !row.InTurn() && (row.NotBefore == nil || !row.NotBefore.After(a.Now)) {
			a.Ahead++
		}
	}
	if v.Session.State.Suspended {
		a.Since = v.Session.State.SuspendedAt
	}
	return a
}

func actionRuns(executions []*domain.Execution) bool {
	return slices.ContainsFunc(executions, func(e *domain.Execution) bool {
		return e.Kind == domain.KindAction && e.Status == domain.ExecStarted
	})
}

// withoutSlot stores the event and puts the session into the queue, if it needs the slot
// to go on.
func (d *Door) withoutSlot(v *domain.View, r request, event domain.Event, o *outcome) error {
	if err := d.run(o, v.Session, event); err != nil {
		return err
	}
	_, activation := event.(domain.SessionActivationRequested)
	_, resumed := event.(domain.SessionResumed)
	s := o.step.Session
	if !s.HoldsSlot && s.Phase != domain.Completed && (o.step.AsksSlot || activation || resumed) {
		d.enqueue(v, o, event)
	}
	o.insert(s.ID, r.fresh != nil)
	return nil
}

// standIn puts a session that wants the slot after something that came by itself (a
// timer, a late result) into the queue.
func (d *Door) standIn(v *domain.View, o *outcome, event domain.Event) {
	s := o.step.Session
	cleared := v.Session.State.Suspicion.Aside() && !s.State.Suspicion.Aside() && s.QueuedAt != nil
	switch {
	case cleared && o.step.AsksSlot && s.Phase != domain.Completed: // it asks like any other now
		d.enqueue(v, o, event)
	case cleared:
		s.QueuedAt = nil
		d.dequeue(v, o.change, s.ID)
	case s.QueuedAt != nil && (s.Phase == domain.Completed || s.State.Poisoned):
		s.QueuedAt = nil
		d.dequeue(v, o.change, s.ID)
	case o.step.AsksSlot && s.QueuedAt == nil && s.Phase != domain.Completed && !s.State.Suspended:
		d.enqueue(v, o, event)
	}
}

// enqueue gives the session a place: the last one, or the first where the policy says
// so. Only one CHAT stands in the queue; the message of another one goes on waiting in
// its session.
func (d *Door) enqueue(v *domain.View, o *outcome, event domain.Event) {
	now := d.cfg.Clock()
	s := o.step.Session
	row := domain.QueueRow{
		WorkspaceID: s.WorkspaceID, SessionID: s.ID, Since: now, Trigger: trigger(s, event), Reason: string(o.verdict.Reason),
		Preempting: o.verdict.Preempting,
	}
	if row.Trigger == askedToResume {
		row.Reason = string(domain.CauseResume)
	}
	for _, have := range v.Queue {
		switch {
		case have.SessionID != s.ID:
		case s.State.Suspicion.Aside():
			row = have // it stands aside, whatever comes for it
		case have.InTurn():
			row.Since = have.Since
		default: // it keeps its place
			row.Number, row.Since = have.Number, have.Since
		}
	}
	if o.verdict.First {
		d.firstInQueue(v, o, &row)
	}
	s.QueuedAt, s.QueuePosition = &row.Since, position(v.Queue, row)
	o.change.Enqueue = append(o.change.Enqueue, row)
	o.change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
	o.change.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
	o.queued = true
}

// firstInQueue puts the row before all others. Any other CHAT gives its place up to it,
// and waits in its turn.
func (d *Door) firstInQueue(v *domain.View, o *outcome, row *domain.QueueRow) {
	if len(v.Queue) == 0 || v.Queue[0].SessionID == row.SessionID {
		return
	}
	row.Number = v.Queue[0].Number - 1
	if v.Queue[0].InTurn() { // nobody else stands before those
		row.Number = 0
	} else if row.Number == 0 { // 0 stands for the last place
		row.Number = -1
	}
	for _, other := range v.Queue {
		if other.SessionID == row.SessionID || other.InTurn() || other.Session == nil || other.Session.Type != domain.Chat {
			continue
		}
		d.standInTurn(v, o.change, other.Session.Clone(), other)
	}
}

// standInTurn gives a session a place behind all others: nobody asks just now, and it
// comes when that is in nobody's way. It says so.
func (d *Door) standInTurn(v *domain.View, change *domain.Change, s *domain.Session, row domain.QueueRow) {
	row.Number, row.Reason, row.Preempting, row.NotBefore = 0, domain.QueuedInTurn, false, nil
	s.QueuedAt, s.QueuePosition = &row.Since, position(v.Queue, row)
	if change.Session(s.ID) == nil {
		change.Sessions = append(change.Sessions, domain.SessionWrite{Session: s})
	}
	change.Enqueue = append(change.Enqueue, row)
	change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
}

// dequeue takes a session out of the queue, if it stands there.
func (d *Door) dequeue(v *domain.View, change *domain.Change, session string) {
	if !slices.ContainsFunc(v.Queue, func(row domain.QueueRow) bool { return row.SessionID == session }) {
		return
	}
	change.Dequeue = append(change.Dequeue, session)
	change.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
}

// trigger says what asks for the slot.
func trigger(s *domain.Session, event domain.Event) string {
	switch event.(type) {
	case domain.UserMessageSent, domain.InterruptRequested:
		return askedByMessage
	case domain.RoundRequested:
		return askedByRoundAgain
	case domain.SessionActivationRequested:
		if s.Type == domain.Chat {
			return askedByPerson
		}
		return s.Trigger
	default:
		return askedToResume
	}
}

// position is that of a row once it stands in the queue; 1 is next.
func position(queue []domain.QueueRow, row domain.QueueRow) int {
	place := 1
	for _, other := range queue {
		last := row.Number == 0 && (row.InTurn() || !other.InTurn())
		if other.SessionID != row.SessionID && (last || row.Number != 0 && other.Number < row.Number) {
			place++
		}
	}
	return place
}

// afterAsking sets going what follows from a request that was not granted at once: the
// holder is told to stop at its next safe point, and the agenda looks when the time has
// come.
func (d *Door) afterAsking(o *outcome) {
	if o.verdict.Reason != "" {
		d.cfg.Observer.Asked(o.verdict.Reason, o.verdict.Grant)
	}
	if !o.queued {
		return
	}
	s := o.step.Session
	d.cfg.Log.Debug().Str("workspace", s.WorkspaceID).Str("session", s.ID).Int("position", s.QueuePosition).
		Str("reason", string(o.verdict.Reason)).Msg("a session queues for the slot")
	if o.view.Holder != nil && (o.verdict.Preempting || o.verdict.Reason == AutomationsTurn) {
		d.cfg.Runner.Yield(o.view.Holder.ID)
	}
	d.agenda.look(s.WorkspaceID, d.cfg.Clock())
}

// workLeft says whether the session has something to do that needs the slot.
func workLeft(s *domain.Session, v *domain.View) bool {
	answered := s.State.Waiting != nil && s.State.Waiting.Answer != nil
	return s.Phase.Working() || answered || s.Phase == domain.Idle && (s.State.PendingCause != "" || len(v.Inbox) > 0)
}

// LeaveQueue takes a session out of the queue. A run that has not begun ends with it;
// what has work left only loses its place, and waits behind all others.
func (d *Door) LeaveQueue(ctx context.Context, workspace, session string) (*domain.Receipt, error) {
	return d.receiptOf(ctx, request{
		workspace: workspace, session: session,
		event: func(v *domain.View) (domain.Event, error) {
			s := v.Session
			if s.QueuedAt == nil {
				return nil, domain.NotFound("session in the queue")
			}
			if s.Type == domain.Run && s.State.TotalRoundtrips == 0 && s.Phase == domain.ExecutingEnrichments {
				return domain.StopRequested{}, nil
			}
			return nil, nil
		},
		then: func(v *domain.View, change *domain.Change) error {
			s := change.Session(session)
			if s.Phase == domain.Completed {
				return nil
			}
			for _, row := range v.Queue {
				if row.SessionID == session && row.Reason != domain.QueuedSuspect && workLeft(s, v) {
					d.standInTurn(v, change, s, row)
					change.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
				}
			}
			if s.State.Suspicion.Aside() || workLeft(s, v) {
				return nil
			}
			s.QueuedAt, s.QueuePosition = nil, 0
			change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
			d.dequeue(v, change, session)
			return nil
		},
	})
}
