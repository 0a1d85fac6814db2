package suite

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// callsAside: sessions that finish a call without the slot have drivers, and are read with a holder that may become one
// of them. An answer that waits for the slot is stored until it is released.
func callsAside(w *world) {
	ctx := w.Context()
	calls := func(at time.Duration) func(*domain.Session) {
		return func(s *domain.Session) {
			s.Phase, s.State.CallAside, s.LastEventTime, s.RunEpoch = domain.CallingAI, true, T0.Add(at), 1
		}
	}
	second, first := w.stored("second", calls(2*time.Second)), w.stored("first", calls(time.Second))
	w.stored("holder", func(s *domain.Session) { s.Phase, s.HoldsSlot = domain.CallingAI, true })
	mine := w.stored("mine")
	view, err := w.View(ctx, domain.DefaultWorkspace, mine.ID)
	w.ok(err)
	var ids []string
	for _, s := range view.CallsAside {
		ids = append(ids, s.ID)
	}
	w.equal(ids, []string{first.ID, second.ID}, "calls without the slot, oldest first")
	refs, err := w.Nodes.Claimable(ctx, 10)
	w.ok(err)
	w.equal(len(refs), 3, "sessions without a driver")
	waiters, err := w.Slot.Waiters(ctx, domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	w.ok(err)
	w.equal(len(waiters.Aside), 0, "sessions that want the slot: a call does not")

	_, err = w.Records.HeldAnswer(ctx, first.WorkspaceID, first.ID)
	w.code(err, domain.CodeNotFound)
	held := domain.HeldAnswer{
		WorkspaceID: first.WorkspaceID, SessionID: first.ID, MessageID: "msg_1", Answer: &domain.RawAnswer{Text: "Let me look."},
	}
	c := w.change(first)
	c.HeldAnswers = []domain.HeldAnswer{held}
	w.ok(w.Commit(ctx, c))
	got, err := w.Records.HeldAnswer(ctx, first.WorkspaceID, first.ID)
	w.ok(err)
	w.equal(*got, held, "the held answer")
	runs := w.stored("runs", func(s *domain.Session) { s.Type, s.AutomationID = domain.Run, "aut" })
	c = w.change(first)
	c.Enqueue = []domain.QueueRow{
		{WorkspaceID: runs.WorkspaceID, SessionID: runs.ID, Trigger: domain.BySchedule, Reason: "holder_busy", Since: T0},
		{WorkspaceID: first.WorkspaceID, SessionID: first.ID, Trigger: domain.TriggerResume, Since: T0, BeforeRuns: true},
		{WorkspaceID: second.WorkspaceID, SessionID: second.ID, Trigger: domain.TriggerResume, Since: T0, BeforeRuns: true},
	}
	w.ok(w.Commit(ctx, c))
	ids = nil
	queue, err := w.Slot.Queue(ctx, domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	w.ok(err)
	for _, row := range queue {
		ids = append(ids, row.SessionID)
	}
	w.equal(ids, []string{first.ID, second.ID, runs.ID}, "the queue: answers of chats in their order, then runs")
	c = w.change(first)
	c.HeldAnswers = []domain.HeldAnswer{{WorkspaceID: first.WorkspaceID, SessionID: first.ID}}
	w.ok(w.Commit(ctx, c))
	_, err = w.Records.HeldAnswer(ctx, first.WorkspaceID, first.ID)
	w.code(err, domain.CodeNotFound)
}
