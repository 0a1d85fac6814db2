package suite

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/people"
)

// oneHolder: the database itself refuses a second holder, and a change that takes the
// slot from one and gives it to another is one transaction.
func oneHolder(w *world) {
	a := w.stored("holder", func(s *domain.Session) { s.HoldsSlot = true })
	b := w.stored("next")
	second := b.Clone()
	second.HoldsSlot = true
	w.code(w.Commit(w.Context(), w.change(second)), domain.CodeConflict)
	w.stored("elsewhere", func(s *domain.Session) { s.WorkspaceID, s.HoldsSlot = "other", true })

	first, err := w.Slot.Slot(w.Context(), domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	w.ok(err)
	w.equal(first.Holder.ID, a.ID, "holder")
	w.equal(*first.Since, T0, "since")

	w.pass(time.Minute)
	a.HoldsSlot, b.HoldsSlot = false, true
	swap := &domain.Change{WorkspaceID: a.WorkspaceID, At: T0.Add(time.Minute), Sessions: []domain.SessionWrite{{Session: a, Claim: true}, {Session: b, Claim: true}}}
	swap.Emit(domain.LogEvent{Type: domain.LogSlotChanged, Slot: &domain.SlotState{Holder: b}})
	w.ok(w.Commit(w.Context(), swap))
	b.Name = "renamed" // a later write does not move the time at which the slot came
	c := w.change(b)
	c.At = T0.Add(time.Hour)
	w.ok(w.Commit(w.Context(), c))
	now, err := w.Slot.Slot(w.Context(), domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	w.ok(err)
	w.equal(now.Holder.ID, b.ID, "holder after the swap")
	w.equal(*now.Since, T0.Add(time.Minute), "since after the swap")
	w.sound()
}

// queueing: first in first out, positions from 1, a place may be taken in front, and
// the View shows it all.
func queueing(w *world) {
	var sessions []*domain.Session
	for _, name := range []string{"one", "two", "three"} {
		s := w.stored(name)
		s.QueuedAt = new(T0)
		c := w.change(s)
		row := domain.QueueRow{WorkspaceID: s.WorkspaceID, SessionID: s.ID, Trigger: "MANUAL", Reason: name, Since: T0}
		if name == "three" {
			row.Number, row.Preempting, row.NotBefore = -1, true, new(T0.Add(time.Minute))
		}
		c.Enqueue = []domain.QueueRow{row}
		w.ok(w.Commit(w.Context(), c))
		sessions = append(sessions, s)
	}
	queue, err := w.Slot.Queue(w.Context(), domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	w.ok(err)
	var order []string
	for i, q := range queue {
		order = append(order, q.Session.Name)
		w.equal([]int{q.Position, q.Session.QueuePosition}, []int{i + 1, i + 1}, "position")
	}
	w.equal(order, []string{"three", "one", "two"}, "order")
	w.equal(*queue[0].NotBefore, T0.Add(time.Minute), "not before")
	slot, err := w.Slot.Slot(w.Context(), domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	w.ok(err)
	w.equal(slot.Preempting, sessions[2].ID, "who pre-empts")
	waiting, err := w.Slot.Waiters(w.Context(), domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	w.ok(err)
	w.equal([]int{len(waiting.Queue), len(waiting.Aside)}, []int{3, 0}, "who waits for the slot")
	agenda, err := w.Slot.DueWork(w.Context(), T0, 10, true)
	w.ok(err)
	w.equal(agenda.Waiting, []string{domain.DefaultWorkspace}, "where sessions wait")

	v, err := w.View(w.Context(), domain.DefaultWorkspace, sessions[1].ID)
	w.ok(err)
	w.equal([]int{len(v.Queue), v.Session.QueuePosition}, []int{3, 3}, "queue in the view")
	s := sessions[0]
	s.QueuedAt, s.HoldsSlot = nil, true
	c := w.change(s)
	sessions[1].QueuedAt = nil
	c.Sessions = append(c.Sessions, domain.SessionWrite{Session: sessions[1]})
	c.Dequeue = []string{s.ID, sessions[1].ID}
	w.ok(w.Commit(w.Context(), c))
	queue, err = w.Slot.Queue(w.Context(), domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	w.ok(err)
	w.equal(len(queue), 1, "queue after two left")
	got, err := w.Sessions.Session(w.Context(), domain.DefaultWorkspace, sessions[2].ID)
	w.ok(err)
	w.equal(got.QueuePosition, 1, "position in the session")
	w.sound()
}

// waitingFor: who has something to do and does not hold the slot.
func waitingFor(w *world) {
	yes := map[string]func(*domain.Session){
		"suspended": func(s *domain.Session) { s.State.Suspended = true },
		"at work":   func(s *domain.Session) { s.Phase, s.QueuedAt, s.OwnerNode = domain.CallingAI, new(T0), "n" },
		"answered": func(s *domain.Session) {
			s.Phase, s.State.Waiting = domain.WaitingBudget, &domain.WaitingContext{Answer: &domain.WaitAnswer{Event: "BudgetRaised"}}
		},
		"has a cause": func(s *domain.Session) { s.State.PendingCause = domain.CauseExternalResult },
	}
	no := map[string]func(*domain.Session){
		"at rest":  func(*domain.Session) {},
		"ended":    func(s *domain.Session) { s.Phase, s.State.Suspended = domain.Completed, true },
		"poisoned": func(s *domain.Session) { s.Phase, s.State.Poisoned = domain.CallingAI, true },
		"waits": func(s *domain.Session) {
			s.Phase, s.State.Waiting = domain.WaitingExternalResult, &domain.WaitingContext{}
		},
		"holder": func(s *domain.Session) { s.Phase, s.HoldsSlot, s.OwnerNode = domain.CallingAI, true, "n" },
		"seed":   func(s *domain.Session) { s.Type, s.State.Suspended = domain.Seed, true },
	}
	want := map[string]bool{"has mail": true}
	for name, f := range yes {
		w.stored(name, f)
		want[name] = true
	}
	for name, f := range no {
		w.stored(name, f)
	}
	w.mail(w.stored("has mail"), "key-1")
	got := map[string]bool{}
	list, err := w.Slot.Waiters(w.Context(), domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	w.ok(err)
	w.equal(list.Holder.Name, "holder", "who holds it")
	for _, s := range list.Aside {
		got[s.Name] = true
	}
	w.equal(got, want, "who waits")
}

// leases: a session at work whose driver is gone can be claimed, and no other.
func leases(w *world) {
	ctx := w.Context()
	claimable := func() []string {
		refs, err := w.Nodes.Claimable(ctx, 10)
		w.ok(err)
		ids := []string{}
		for _, r := range refs {
			ids = append(ids, r.SessionID)
		}
		return ids
	}
	s := w.stored("at work", func(s *domain.Session) { s.HoldsSlot, s.Phase = true, domain.CallingAI })
	w.stored("rests", func(s *domain.Session) { s.WorkspaceID, s.HoldsSlot = "other", true })
	w.equal(claimable(), []string{s.ID}, "without an owner")

	c := w.change(s)
	c.Sessions[0].Claim = true
	w.ok(w.Commit(ctx, c))
	w.equal(claimable(), []string{s.ID}, "owned by a node that never had a lease")
	w.ok(w.Nodes.Renew(ctx, time.Hour))
	w.ok(w.Nodes.Renew(ctx, time.Hour))
	w.equal(claimable(), []string{}, "owned by a node that lives")
	own, err := w.Nodes.Owned(ctx)
	w.ok(err)
	w.equal(own, []domain.SessionRef{{WorkspaceID: domain.DefaultWorkspace, SessionID: s.ID, RunEpoch: s.RunEpoch}}, "its own")
	nodes, err := w.Nodes.Nodes(ctx)
	w.ok(err)
	w.equal([]any{len(nodes), nodes[0].ID, nodes[0].Alive, nodes[0].Sessions}, []any{1, "node-1", true, 1}, "the nodes")
	until, err := w.Nodes.LeaseUntil(ctx)
	w.ok(err)
	if until == nil {
		w.Fatal("the node has no lease")
	}
	w.ok(w.Nodes.Release(ctx))
	w.equal(claimable(), []string{s.ID}, "the lease was given back")
	if nodes, err = w.Nodes.Nodes(ctx); err != nil || nodes[0].Alive {
		w.Errorf("a node without a lease: %+v, %v", nodes, err)
	}
	w.ok(w.Nodes.Renew(ctx, -time.Second))
	w.equal(claimable(), []string{s.ID}, "the lease has run out")
	w.ok(w.Nodes.Renew(ctx, time.Hour))

	if w.Kind() == "sqlite" {
		w.ok(w.Close()) // one process at a time
	}
	next := w.open(w.TB, w.place, w.config("node-1", "second"))
	refs, err := next.Nodes.Claimable(ctx, 10)
	w.ok(err)
	w.equal(len(refs), 1, "claimable by the same node after it was started again, before it has its lease")
	w.ok(next.Nodes.Renew(ctx, time.Hour))
	refs, err = next.Nodes.Claimable(ctx, 10)
	w.ok(err)
	w.equal(len(refs), 1, "claimable by the same node after it was started again")
	if w.Kind() != "sqlite" {
		if err := w.Nodes.Renew(ctx, time.Hour); err == nil {
			w.Fatal("a process went on under a name that another one has taken")
		}
	}
}

// timers: the due ones, earliest first, and when the next is due.
func timers(w *world) {
	none, err := w.Slot.DueWork(w.Context(), T0, 10, true)
	w.ok(err)
	w.equal(*none, automation.DueWork{}, "what is due where nothing is")
	late := w.stored("late", func(s *domain.Session) { s.WakeAt = new(T0.Add(2 * time.Second)) })
	early := w.stored("early", func(s *domain.Session) { s.WorkspaceID, s.WakeAt = "other", new(T0.Add(time.Second)) })
	w.stored("later", func(s *domain.Session) { s.WakeAt = new(T0.Add(time.Hour)) })
	before, err := w.Slot.DueWork(w.Context(), T0, 10, false)
	w.ok(err)
	w.equal(*before, automation.DueWork{Next: T0.Add(time.Second)}, "before the first")
	due, err := w.Slot.DueWork(w.Context(), T0.Add(2*time.Second), 10, false)
	w.ok(err)
	w.equal(*due, automation.DueWork{
		Sessions: []domain.SessionRef{{WorkspaceID: "other", SessionID: early.ID}, {WorkspaceID: domain.DefaultWorkspace, SessionID: late.ID}},
		Next:     T0.Add(time.Hour),
	}, "due timers")
	late.WakeAt = nil
	w.ok(w.Commit(w.Context(), w.change(late)))
	due, err = w.Slot.DueWork(w.Context(), T0.Add(2*time.Second), 10, false)
	w.ok(err)
	w.equal(len(due.Sessions), 1, "due after one was answered")
}

// networkWaiters: who waits for a provider, of one workspace, the longest first.
func networkWaiters(w *world) {
	none, err := w.Slot.WaitingForNetwork(w.Context(), domain.DefaultWorkspace)
	w.ok(err)
	w.equal(len(none), 0, "no session waits")
	wait := func(since time.Duration, provider, workspace string) func(*domain.Session) {
		return func(s *domain.Session) {
			s.WorkspaceID, s.ProviderID, s.Type = workspace, provider, domain.Run
			s.Phase, s.LastEventTime = domain.WaitingNetworkRetry, T0.Add(since)
		}
	}
	later := w.stored("later", wait(time.Second, "prv_1", domain.DefaultWorkspace))
	longer := w.stored("longer", wait(0, "", domain.DefaultWorkspace))
	w.stored("elsewhere", wait(0, "", "other"))
	w.stored("rests")
	waiting, err := w.Slot.WaitingForNetwork(w.Context(), domain.DefaultWorkspace)
	w.ok(err)
	w.equal(waiting, []domain.NetworkWaiter{{SessionID: longer.ID}, {SessionID: later.ID, ProviderID: "prv_1"}}, "who waits")
}

// deletion: everything of a session goes, but for what it said in the log and what it
// spent; a stale one is not deleted.
func deletion(w *world) {
	keep := w.stored("stays")
	s := w.stored("goes", func(s *domain.Session) { s.HoldsSlot = true })
	w.mail(s, "key-1")
	c := w.change(s)
	w.say(c, s, domain.SenderUser, "hello")
	w.move(c, s, domain.Completed, "StopRequested")
	s.HoldsSlot = false
	c.Roundtrips = []*domain.Roundtrip{{ID: "rtp_1", WorkspaceID: s.WorkspaceID, SessionID: s.ID, Usage: domain.Usage{Cost: new(2.5)}, StartedAt: T0, EndedAt: T0}}
	c.Approvals = []*domain.Approval{{ID: "apr_1", WorkspaceID: s.WorkspaceID, SessionID: s.ID, Kind: domain.ApprovalOutcome, Status: domain.ApprovalStatusOpen, CreatedAt: T0}}
	w.ok(w.Commit(w.Context(), c))

	stale := s.Clone()
	stale.Version--
	gone := w.change(stale)
	gone.Sessions[0].Delete = true
	if err := w.Commit(w.Context(), gone); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("a stale deletion gave %v", err)
	}
	gone = w.change(s)
	gone.Sessions[0].Delete = true
	gone.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionEnded, Session: s})
	w.ok(w.Commit(w.Context(), gone))

	_, err := w.Sessions.Session(w.Context(), s.WorkspaceID, s.ID)
	w.code(err, domain.CodeNotFound)
	_, err = w.Sessions.Messages(w.Context(), s.WorkspaceID, s.ID, 0, 0)
	w.code(err, domain.CodeNotFound)
	_, err = w.Approvals.Approval(w.Context(), s.WorkspaceID, "apr_1")
	w.code(err, domain.CodeNotFound)
	log, _, err := w.Events.Events(w.Context(), s.WorkspaceID, "", 0, domain.PageSize{Rows: 1000})
	w.ok(err)
	w.equal(len(log), int(gone.Events[0].Seq), "the log after the deletion")
	settings, err := w.Workspaces.UpdateSettings(w.Context(), s.WorkspaceID, people.SettingsPatch{Fields: []byte(`{"limits":{"chat":{"max_cost_per_day":10}}}`)})
	w.ok(err)
	w.equal(*settings.Settings.Limits.Chat.MaxCostPerDay, 10.0, "the new setting")
	v, err := w.View(w.Context(), s.WorkspaceID, keep.ID)
	w.ok(err)
	w.equal(v.Spent.Today, 2.5, "spent today")

	// What decisions share of the settings is not what a change of them works on.
	_, err = w.Workspaces.UpdateSettings(w.Context(), s.WorkspaceID, people.SettingsPatch{Fields: []byte(`{"limits":{"chat":{"max_cost_per_day":20}}}`)})
	w.ok(err)
	later, err := w.View(w.Context(), s.WorkspaceID, keep.ID)
	w.ok(err)
	w.equal([]float64{*v.Workspace.Settings.Limits.Chat.MaxCostPerDay, *later.Workspace.Settings.Limits.Chat.MaxCostPerDay}, []float64{10, 20}, "the limit, before and after")
	w.sound()
}

// slotGoesRound: sessions that take the slot from each other at once, each from the
// one who holds it then, never decide on a holder who has lost it meanwhile.
func slotGoesRound(w *world) {
	w.stored("first", func(s *domain.Session) { s.HoldsSlot = true })
	const takers, rounds = 4, 5
	var group sync.WaitGroup
	for range takers {
		mine := w.stored("taker")
		group.Go(func() {
			for range rounds {
				_, err := w.Decide(w.Context(), domain.DefaultWorkspace, mine.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
					if v.Session.LastSeq > v.Workspace.LastSeq || v.Holder == nil {
						w.Errorf("session at %d in a workspace at %d, held by %v", v.Session.LastSeq, v.Workspace.LastSeq, v.Holder)
					}
					if v.Holder == v.Session {
						return w.change(v.Session), nil
					}
					v.Holder.HoldsSlot, v.Session.HoldsSlot = false, true
					v.Session.State.TotalRoundtrips++
					return &domain.Change{WorkspaceID: v.Workspace.ID, At: T0, Sessions: []domain.SessionWrite{{Session: v.Holder}, {Session: v.Session}}}, nil
				})
				if err != nil {
					w.Errorf("take the slot: %v", err)
				}
			}
		})
	}
	group.Wait()
	w.sound()
}
