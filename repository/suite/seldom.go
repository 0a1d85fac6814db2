package suite

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/outside"
	storedoutside "github.com/fermata-dev/fermata/repository/outside"
)

// seldomAsked is what the other stories leave out: with it every statement is asked once.
func seldomAsked(w *world) {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	a := w.automation("numbers", nil)
	watching, err := w.Automations.WatchingAutomations(ctx, "")
	w.ok(err)
	w.equal(watching, []domain.AutomationRef{{WorkspaceID: ws, ID: a.ID}}, "who watches")
	_, err = w.DecideAutomation(ctx, ws, a.ID, func(_ context.Context, v *automation.View) (*domain.Change, error) {
		v.Automation.SeenSeq = v.Workspace.LastSeq
		return &domain.Change{WorkspaceID: ws, At: T0, Rows: []domain.Row{automation.Write{Automation: v.Automation, Bookkeeping: true}}}, nil
	})
	w.ok(err)
	watching, err = w.Automations.WatchingAutomations(ctx, ws)
	w.ok(err)
	w.equal(len(watching), 0, "who watches after it has looked")
	w.resealing(a)
	w.slotSeldom()
	w.nodeSeldom()
}

// resealing: a secret at rest gets another sealing, unless it was changed meanwhile.
func (w *world) resealing(a *automation.Automation) {
	ctx := w.Context()
	counts, err := w.Secrets.SealedWith(ctx, 2)
	w.ok(err)
	w.equal(counts, map[string]int{"v2": 1}, "how many are sealed how")
	w.ok(w.Automations.ResealHook(ctx, a, "another", "v3.sealed"))
	w.ok(w.Automations.ResealHook(ctx, a, "late", "v4.sealed"))
	hooks, err := w.Automations.HooksSealedOtherwise(ctx, "v4")
	w.ok(err)
	w.equal([]any{len(hooks), hooks[0].HookHash, hooks[0].HookSealed}, []any{1, "another", "v3.sealed"}, "what is sealed otherwise")
	w.ok(w.Secrets.ResealProvider(ctx, &outside.Provider{WorkspaceID: a.WorkspaceID, ID: "prv_gone", SecretSealed: "v2.x"}, "v3.x"))
	providers, err := w.Secrets.ProvidersSealedOtherwise(ctx, "v3")
	w.ok(err)
	w.equal(len(providers), 0, "providers sealed otherwise")
	sealed, err := w.Secrets.SealedOtherwise(ctx, "v4")
	w.ok(err)
	w.equal(len(sealed), 1, "secrets sealed otherwise")
	w.equal(sealed[0], storedoutside.Sealed{
		What: storedoutside.SealedHook, WorkspaceID: a.WorkspaceID, ID: a.ID, Text: "v3.sealed",
	}, "what is sealed otherwise")
	w.ok(w.Secrets.Reseal(ctx, &sealed[0], "v4.sealed"))
	if err := w.Secrets.Reseal(ctx, &sealed[0], "v5.sealed"); !errors.Is(err, storedoutside.ErrChangedMeanwhile) {
		w.Errorf("what was sealed meanwhile: %v", err)
	}
}

// slotSeldom covers a session that has the slot and acts, with two sessions in the queue behind it.
func (w *world) slotSeldom() {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	holder := w.stored("acting", func(s *domain.Session) {
		s.HoldsSlot, s.Phase, s.State.AnswerID = true, domain.ExecutingActions, "msg_1"
	})
	var last *domain.Session
	for _, name := range []string{"one", "two"} {
		last = w.stored(name)
		last.QueuedAt = new(T0)
		c := w.change(last)
		c.Enqueue = []domain.QueueRow{{SessionID: last.ID, Since: T0, Trigger: domain.ByHand}}
		w.ok(w.Commit(ctx, c))
	}
	waiters, err := w.Slot.Waiters(ctx, domain.LaneRef{Workspace: ws, Lane: domain.LaneWorkspace})
	w.ok(err)
	w.equal([]any{waiters.Holder.ID, waiters.ActionRuns, len(waiters.Queue)}, []any{holder.ID, false, 2}, "who waits")
	figures, err := w.Slot.Figures(ctx)
	w.ok(err)
	w.equal([]any{figures.Held, figures.Queued, figures.Oldest, figures.Approvals, figures.AskedSince.IsZero()},
		[]any{int64(1), int64(2), T0, int64(0), true}, "the figures of the slots")
	w.equal(figures.Bytes > 4096, true, "the database has a size")
	c := w.change(last)
	c.Approvals = []*domain.Approval{{
		ID: w.newID(domain.PrefixApproval), WorkspaceID: last.WorkspaceID, SessionID: last.ID, Kind: domain.ApprovalQuestion,
		Status: domain.ApprovalStatusOpen, CreatedAt: T0,
	}}
	w.ok(w.Commit(ctx, c))
	figures, err = w.Slot.Figures(ctx)
	w.ok(err)
	w.equal([]any{figures.Approvals, figures.AskedSince}, []any{int64(1), T0}, "the open approvals")
	standing, err := w.Sessions.Standing(ctx, ws, last.ID)
	w.ok(err)
	w.equal([]any{len(standing.Ahead), standing.Ahead[0].Name}, []any{1, "one"}, "who is ahead")
}

// nodeSeldom: a node's lease, what it drives, and its end.
func (w *world) nodeSeldom() {
	ctx := w.Context()
	w.ok(w.Nodes.Renew(ctx, time.Minute))
	until, err := w.Nodes.LeaseUntil(ctx)
	w.ok(err)
	w.equal(until != nil, true, "there is a lease")
	nodes, err := w.Nodes.Nodes(ctx)
	w.ok(err)
	w.equal([]any{len(nodes), nodes[0].ID, nodes[0].Alive}, []any{1, "node-1", true}, "the nodes")
	for what, list := range map[string]func(context.Context) ([]domain.SessionRef, error){"drives": w.Nodes.Owned, "has set aside": w.Nodes.Suspects} {
		refs, err := list(ctx)
		w.ok(err)
		w.equal(len(refs), 0, "what it "+what)
	}
	w.ok(w.Nodes.Release(ctx))
	nodes, err = w.Nodes.Nodes(ctx)
	w.ok(err)
	w.equal(nodes[0].Alive, false, "after its end")
}
