package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// numbers are the fields that a commit sets in a change, saved so that a failed commit can restore
// them.
type numbers struct {
	sessions map[*domain.Session]domain.Session
	messages map[*domain.Message]int64
	queued   []int64
}

func keepNumbers(c *domain.Change) *numbers {
	n := &numbers{sessions: map[*domain.Session]domain.Session{}, messages: map[*domain.Message]int64{}}
	for _, w := range c.Sessions {
		n.sessions[w.Session] = *w.Session
	}
	for _, e := range c.Events {
		if e.Message != nil {
			n.messages[e.Message] = e.Message.Seq
		}
	}
	for _, list := range [][]*domain.Message{c.Messages, c.PlacedMessages} {
		for _, m := range list {
			n.messages[m] = m.Seq
		}
	}
	for _, q := range c.Enqueue {
		n.queued = append(n.queued, q.Number)
	}
	return n
}

func (n *numbers) restore(c *domain.Change) {
	for s, before := range n.sessions {
		s.Version, s.RunEpoch, s.LastSeq, s.SessionSeq = before.Version, before.RunEpoch, before.LastSeq, before.SessionSeq
		s.LastTransitionID, s.OwnerNode, s.OwnerIncarnation = before.LastTransitionID, before.OwnerNode, before.OwnerIncarnation
	}
	for m, seq := range n.messages {
		m.Seq = seq
	}
	for _, x := range c.Transitions {
		x.Number = 0
	}
	for _, e := range c.Events {
		e.Seq, e.SessionSeq, e.Data = 0, 0, nil
	}
	for i := range c.Enqueue {
		c.Enqueue[i].Number = n.queued[i]
	}
}

// takeNumbers reserves the change's numbers on the workspace's row, which is locked until the end
// of the transaction, and returns the last one. A fenced write has no lock: its numbers follow
// those that were read, and the fence fails if they are stale.
func (s *base) takeNumbers(ctx context.Context, t *transaction.Tx, c *domain.Change) (int64, error) {
	now := transaction.State{Change: t.ChangeID, Seq: t.Seen.Seq + int64(len(c.Events)), Queue: t.Seen.Queue}
	if !t.Gathers() {
		var row struct {
			LastSeq     int64 `db:"last_seq"`
			QueueLength int64 `db:"queue_length"`
		}
		err := t.Get(ctx, &row, "UPDATE workspaces SET last_seq = last_seq + $2, last_change_id = $3 WHERE id = $1 "+
			"RETURNING last_seq, queue_length", c.WorkspaceID, len(c.Events), t.ChangeID)
		if sqldb.NotFound(err) {
			return 0, domain.NotFound("workspace")
		}
		if err != nil {
			return 0, fmt.Errorf("take the next numbers: %w", err)
		}
		now.Seq, now.Queue = row.LastSeq, row.QueueLength
	}
	t.QueueLength, t.Numbered = now.Queue, true
	t.OnCommit(func() {
		now.Queue = t.QueueLength // it may have changed since
		s.states.learn(c.WorkspaceID, now)
	})
	if len(c.Events) > 0 {
		t.Seq = now.Seq
	}
	return now.Seq, nil
}

// number reserves the change's numbers and assigns them to the events in order, and through these
// to messages, transitions and sessions.
func (s *base) number(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
	last, err := s.takeNumbers(ctx, t, c)
	if err != nil {
		return err
	}
	first := last - int64(len(c.Events)) + 1
	written := map[string]*domain.Session{}
	for _, w := range c.Sessions {
		if err := advance(t, w, c); err != nil {
			return err
		}
		written[w.Session.ID] = w.Session
	}
	others := map[string][]*domain.LogEvent{}
	for i, e := range c.Events {
		e.Seq = first + int64(i)
		if e.SessionID == "" {
			continue
		}
		if s := written[e.SessionID]; s != nil {
			s.SessionSeq++
			e.SessionSeq, s.LastSeq = s.SessionSeq, e.Seq
		} else {
			others[e.SessionID] = append(others[e.SessionID], e)
		}
	}
	for id, events := range others {
		if err := numberOther(ctx, t, c.WorkspaceID, id, events); err != nil {
			return err
		}
	}
	return assignSeqs(c)
}

// advance sets the fields that change with every write of a session.
func advance(t *transaction.Tx, w domain.SessionWrite, c *domain.Change) error {
	s := w.Session
	if s.WorkspaceID != c.WorkspaceID {
		return fmt.Errorf("write session %s: it is of another workspace than the change", s.ID)
	}
	s.Version++
	s.LastTransitionID = t.ChangeID
	if w.Claim {
		s.RunEpoch++
		s.OwnerNode, s.OwnerIncarnation = t.DB.Node, t.DB.Incarnation
	}
	return nil
}

// numberOther numbers the events of a session whose row is not part of the change. Its version is
// incremented nevertheless, so that a driver with an older count cannot write.
func numberOther(ctx context.Context, t *transaction.Tx, workspace, session string, events []*domain.LogEvent) error {
	var last int64
	err := t.Get(ctx, &last, "UPDATE sessions SET session_seq = session_seq + $3, last_seq = $4, version = version + 1, "+
		"last_transition_id = $5 WHERE workspace_id = $1 AND id = $2 RETURNING session_seq",
		workspace, session, len(events), events[len(events)-1].Seq, t.ChangeID)
	if sqldb.NotFound(err) {
		return domain.NotFound("session")
	}
	if err != nil {
		return fmt.Errorf("number the events of session %s: %w", session, err)
	}
	for i, e := range events {
		e.SessionSeq = last - int64(len(events)) + 1 + int64(i)
	}
	return nil
}

// assignSeqs sets the numbers of messages and transitions to those of their events.
func assignSeqs(c *domain.Change) error {
	created, updated := map[string]int64{}, map[string]int64{}
	phases := map[*domain.Transition]int64{}
	for _, e := range c.Events {
		switch {
		case e.Type == domain.LogMessageCreated && e.Message != nil:
			created[e.Message.ID] = e.Seq
		case e.Type == domain.LogMessageUpdated && e.Message != nil:
			updated[e.Message.ID] = e.Seq
		case e.Type == domain.LogSessionPhase && e.Phase != nil:
			phases[e.Phase] = e.SessionSeq
		}
	}
	assign := func(m *domain.Message, by map[string]int64, event domain.LogType) error {
		seq, ok := by[m.ID]
		if !ok {
			return fmt.Errorf("place message %s: the change has no %s event for it", m.ID, event)
		}
		m.Seq = seq
		return nil
	}
	for _, m := range c.Messages {
		if m.Status == domain.MessageQueued {
			continue
		}
		if err := assign(m, created, domain.LogMessageCreated); err != nil {
			return err
		}
	}
	for _, m := range c.PlacedMessages {
		if err := assign(m, updated, domain.LogMessageUpdated); err != nil {
			return err
		}
	}
	// The event may hold its own copy of the message.
	for _, e := range c.Events {
		if e.Message != nil && e.Message.Seq == 0 && e.Message.Status != domain.MessageQueued {
			e.Message.Seq = max(created[e.Message.ID], updated[e.Message.ID])
		}
	}
	for _, x := range c.Transitions {
		if x.Number = phases[x]; x.Number == 0 {
			return fmt.Errorf("number the transition %s of session %s: the change has no session.phase event for it", x.Event, x.SessionID)
		}
	}
	return nil
}
