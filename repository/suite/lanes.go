package suite

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// lanes: each lane has a holder and a queue of its own, and the lane of automations as many holders as it has seats.
func lanes(w *world) {
	ctx := w.Context()
	in := func(lane string, change ...func(*domain.Session)) func(*domain.Session) {
		return func(s *domain.Session) {
			s.Lane = lane
			for _, c := range change {
				c(s)
			}
		}
	}
	holds := func(s *domain.Session) { s.HoldsSlot = true }
	ada, grace := domain.LaneOfPerson("per_ada"), domain.LaneOfPerson("per_grace")
	first := w.stored("first of ada", in(ada, holds))
	other := w.stored("of grace", in(grace, holds))
	second := w.stored("second of ada", in(ada))
	refused := second.Clone()
	refused.HoldsSlot = true
	w.code(w.Commit(ctx, w.change(refused)), domain.CodeConflict)

	queued := w.change(second)
	second.QueuedAt = new(T0)
	queued.Enqueue = []domain.QueueRow{{WorkspaceID: second.WorkspaceID, SessionID: second.ID, Lane: ada, Reason: "holder_busy", Since: T0}}
	queued.Emit(domain.LogEvent{Type: domain.LogQueueChanged, Lane: ada})
	w.ok(w.Commit(ctx, queued))
	shown := queued.Events[len(queued.Events)-1]
	w.equal([]any{shown.QueueLength, len(shown.Queue)}, []any{1, 1}, "the queue in its event")
	for lane, want := range map[string]struct {
		holder string
		length int
	}{ada: {first.ID, 1}, grace: {other.ID, 0}} {
		ref := domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: lane}
		slot, err := w.Slot.Slot(ctx, ref)
		w.ok(err)
		w.equal(slot.Holder.ID, want.holder, "the holder of "+lane)
		queue, err := w.Slot.Queue(ctx, ref)
		w.ok(err)
		w.equal(len(queue), want.length, "the queue of "+lane)
		waiters, err := w.Slot.Waiters(ctx, ref)
		w.ok(err)
		w.equal(waiters.Holder.ID, want.holder, "the holder that the waiters of "+lane+" see")
	}
	view, err := w.View(ctx, domain.DefaultWorkspace, second.ID)
	w.ok(err)
	w.equal([]any{view.Lane, view.Holder.ID, len(view.Queue)}, []any{ada, first.ID, 1}, "the lane in a view")
	waiting, err := w.Slot.WaitingLanes(ctx, domain.DefaultWorkspace)
	w.ok(err)
	w.equal(waiting, []string{ada}, "lanes in which a session waits")
	w.sound()
}

// seats: a session takes the first free seat. Without one the holder that waits for the network is asked, or the first.
func seats(w *world) {
	ctx := w.Context()
	_, err := w.Workspaces.UpdateSettings(ctx, domain.DefaultWorkspace, people.SettingsPatch{Fields: []byte(`{"automations_at_once":2}`)})
	w.ok(err)
	run := func(name string, seat int, phase domain.Phase) *domain.Session {
		return w.stored(name, func(s *domain.Session) {
			s.Type, s.AutomationID = domain.Run, "aut_"+name
			s.Lane, s.Seat, s.HoldsSlot, s.Phase = domain.LaneAutomations, seat, seat >= 0, phase
		})
	}
	seen := func(session string) (holder string, seat int) {
		w.TB.Helper()
		_, err := w.Decide(ctx, domain.DefaultWorkspace, session, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
			if seat = v.Seat; v.Holder != nil {
				holder = v.Holder.Name
			}
			return nil, nil
		})
		w.ok(err)
		return holder, seat
	}
	want := func(session *domain.Session, holder string, seat int, what string) {
		w.TB.Helper()
		gotHolder, gotSeat := seen(session.ID)
		w.equal([]any{gotHolder, gotSeat}, []any{holder, seat}, what)
	}
	waits := run("waits", -1, domain.ExecutingEnrichments)
	want(waits, "", 0, "an empty lane")
	first := run("first", 0, domain.CallingAI)
	want(waits, "", 1, "a free seat")
	want(first, "first", 0, "a holder")
	offline := run("offline", 1, domain.WaitingNetworkRetry)
	want(waits, "offline", 1, "a full lane")
	offline.Phase = domain.CallingAI
	w.ok(w.Commit(ctx, w.change(offline)))
	want(waits, "first", 0, "a full lane at work")
	first.HoldsSlot = false
	w.ok(w.Commit(ctx, w.change(first)))
	want(waits, "", 0, "a seat that was left")
}

// laneChanged: a chat moves to the lane that the settings give it when it is at rest.
func laneChanged(w *world) {
	ctx := w.Context()
	set := func(lanes string) {
		_, err := w.Workspaces.UpdateSettings(ctx, domain.DefaultWorkspace, people.SettingsPatch{Fields: []byte(`{"lanes":"` + lanes + `"}`)})
		w.ok(err)
	}
	seen := func(session string) (lane, holder string) {
		w.TB.Helper()
		change, err := w.Decide(ctx, domain.DefaultWorkspace, session, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
			if lane = v.Lane; v.Holder != nil {
				holder = v.Holder.Name
			}
			w.equal(v.Session.Lane, lane, "the lane of the session")
			return w.change(v.Session.Clone()), nil
		})
		w.ok(err)
		w.equal(len(change.Sessions), 1, "sessions written")
		return lane, holder
	}
	want := func(session *domain.Session, lane, holder string) {
		w.TB.Helper()
		gotLane, gotHolder := seen(session.ID)
		w.equal([]any{gotLane, gotHolder}, []any{lane, holder}, "the lane and its holder")
		stored, err := w.Sessions.Session(ctx, domain.DefaultWorkspace, session.ID)
		w.ok(err)
		w.equal(stored.Lane, lane, "the lane that is stored")
	}
	ada := func(s *domain.Session) { s.Owner, s.Lane = "per_ada", domain.LaneWorkspace }
	set("workspace")
	idle := w.stored("idle", ada)
	works := w.stored("works", ada, func(s *domain.Session) { s.HoldsSlot, s.Phase, s.OwnerNode = true, domain.CallingAI, "n" })
	want(idle, domain.LaneWorkspace, "works")
	set("person")
	want(idle, domain.LaneOfPerson("per_ada"), "")
	want(works, domain.LaneWorkspace, "works")
	set("workspace")
	want(idle, domain.LaneWorkspace, "works")
	w.sound()
}
