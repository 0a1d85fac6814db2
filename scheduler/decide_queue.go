package scheduler

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// waitForSlot stores the event and queues the session if it needs the slot to continue.
func (p rules) waitForSlot(d decision) (decision, error) {
	d, err := p.apply(d, d.view.Session, d.event)
	if err != nil {
		return decision{}, err
	}
	s := d.step.Session
	if !s.HoldsSlot && s.Phase != domain.Completed && (d.step.AsksSlot || activates(d.event) || resumes(d.event)) {
		return p.enqueue(d), nil
	}
	return d, nil
}

// keepPlace sees to the session's place in the queue after something that came by itself
// (a timer, a late result): who wants the slot now gets one, who ended loses it.
func (p rules) keepPlace(d decision) decision {
	s := d.step.Session
	cleared := d.view.Session.State.Suspicion.Aside() && !s.State.Suspicion.Aside() && s.QueuedAt != nil
	ended := s.Phase == domain.Completed
	switch {
	case cleared && d.step.AsksSlot && !ended: // it asks like any other now
		return p.enqueue(d)
	case cleared, s.QueuedAt != nil && (ended || s.State.Poisoned):
		s.QueuedAt = nil
		dequeue(d.view.Queue, d.change, s.ID)
	case d.step.AsksSlot && s.QueuedAt == nil && !ended && !s.State.Suspended:
		return p.enqueue(d)
	}
	return d
}

// enqueue gives the session the last place, or the first if the policy decided so. Only one CHAT is in the
// queue; the messages of others wait in their sessions.
func (p rules) enqueue(d decision) decision {
	queue, s := d.view.Queue, d.step.Session
	row := slot.NewRow(queue, s, d.event, d.verdict, p.now)
	if d.verdict.First && len(queue) > 0 && queue[0].SessionID != row.SessionID {
		row.Number = slot.FirstNumber(queue)
		displaceChats(queue, d.change, row.SessionID)
	}
	s.QueuedAt, s.QueuePosition = &row.Since, slot.Place(queue, row)
	d.change.Enqueue = append(d.change.Enqueue, row)
	d.change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
	d.change.Emit(domain.LogEvent{Type: domain.LogQueueChanged, Lane: s.Lane})
	d.queued = true
	return d
}

// displaceChats removes every other CHAT in favour of the session that is first.
func displaceChats(queue []domain.QueueRow, change *domain.Change, first string) {
	for _, other := range queue {
		if other.SessionID != first && !other.InTurn() && !other.HasAnswer() && other.Session != nil && other.Session.Type == domain.Chat {
			queueBehindAll(queue, change, other.Session.Clone(), other)
		}
	}
}

// queueBehindAll gives a session a place behind all others: no person waits for it, so it gets the slot
// when it is free.
func queueBehindAll(queue []domain.QueueRow, change *domain.Change, s *domain.Session, row domain.QueueRow) {
	row.Number, row.Reason, row.Preempting, row.NotBefore = 0, domain.QueuedInTurn, false, nil
	s.QueuedAt, s.QueuePosition = &row.Since, slot.Place(queue, row)
	if change.Session(s.ID) == nil {
		change.Sessions = append(change.Sessions, domain.SessionWrite{Session: s})
	}
	change.Enqueue = append(change.Enqueue, row)
	change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
}

// dequeue removes a session from the queue, if it is there.
func dequeue(queue []domain.QueueRow, change *domain.Change, session string) {
	at := slices.IndexFunc(queue, func(row domain.QueueRow) bool { return row.SessionID == session })
	if at < 0 {
		return
	}
	change.Dequeue = append(change.Dequeue, session)
	change.Emit(domain.LogEvent{Type: domain.LogQueueChanged, Lane: queue[at].Lane})
}
