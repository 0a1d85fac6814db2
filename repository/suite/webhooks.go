package suite

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

func webhook(workspace, id string) *outside.Webhook {
	return &outside.Webhook{
		ID: id, WorkspaceID: workspace, URL: "https://receiver.example/" + id, Types: []domain.LogType{domain.LogNotice, domain.LogSessionEnded},
		Kind: outside.WebhookHTTP, Enabled: true, Secret: "v2.00000000.sealed", CreatedAt: T0, UpdatedAt: T0,
	}
}

// noted writes events of the workspace alone, and of sessions, one change each.
func (w *world) noted(of ...*domain.Session) {
	for _, s := range of {
		c := &domain.Change{WorkspaceID: domain.DefaultWorkspace, At: T0}
		e := domain.LogEvent{Type: domain.LogNotice, Notice: &domain.Notice{Text: "x"}}
		if s != nil {
			c = w.change(s)
			e.SessionID = s.ID
		}
		c.Emit(e)
		w.ok(w.Commit(w.Context(), c))
	}
}

// webhooks come back as they were, are changed on condition of their version, and there are
// not too many.
func webhooks(w *world) {
	ctx := w.Context()
	w.noted(nil, nil)
	h := webhook(us, "whk_1")
	w.ok(w.Webhooks.InsertWebhook(ctx, h))
	w.equal([]int64{h.SentTo, h.Version}, []int64{2, 1}, "it starts at the current end of the log")
	got, err := w.Webhooks.Webhook(ctx, us, "whk_1")
	w.ok(err)
	w.equal(got, h, "the webhook")

	keep := func(*outside.Webhook, int64) (*outside.WebhookDelivery, error) { return nil, nil }
	_, err = w.Webhooks.ChangeWebhook(ctx, us, "whk_1", 7, keep)
	w.code(err, domain.CodePreconditionFailed)
	changed, err := w.Webhooks.ChangeWebhook(ctx, us, "whk_1", 1, func(h *outside.Webhook, newest int64) (*outside.WebhookDelivery, error) {
		w.equal(newest, int64(2), "newest")
		h.URL, h.Types, h.Enabled, h.DisabledReason = "https://other.example", []domain.LogType{domain.LogQueueChanged}, false, outside.WebhookGone
		h.OldSecret, h.OldSecretUntil, h.FailingSince = h.Secret, new(T0.Add(time.Hour)), new(T0)
		return nil, nil
	})
	w.ok(err)
	w.equal([]int64{changed.Version, changed.Epoch}, []int64{2, 1}, "its version and epoch")
	got, err = w.Webhooks.Webhook(ctx, us, "whk_1")
	w.ok(err)
	w.equal(got, changed, "the webhook that was changed")
	refused := domain.Invalid("/url", "bad", "no")
	_, err = w.Webhooks.ChangeWebhook(ctx, us, "whk_1", 2, func(h *outside.Webhook, _ int64) (*outside.WebhookDelivery, error) {
		h.URL = "changed and refused"
		return nil, refused
	})
	w.code(err, domain.CodeInvalid)

	for i := 2; i <= outside.MaxWebhooks; i++ {
		w.ok(w.Webhooks.InsertWebhook(ctx, webhook(us, fmt.Sprintf("whk_%02d", i))))
	}
	w.code(w.Webhooks.InsertWebhook(ctx, webhook(us, "whk_99")), domain.CodeTooMany)
	w.ok(w.Webhooks.InsertWebhook(ctx, webhook("other", "whk_1")))
	w.code(w.Webhooks.DeleteWebhook(ctx, us, "whk_1", 1), domain.CodePreconditionFailed)
	w.ok(w.Webhooks.DeleteWebhook(ctx, us, "whk_1", 2))
	all, err := w.Webhooks.Webhooks(ctx, us)
	w.ok(err)
	w.equal([]any{len(all), all[0].ID}, []any{outside.MaxWebhooks - 1, "whk_02"}, "what is left")
	sealed, err := w.Secrets.SealedWith(ctx, 11)
	w.ok(err)
	w.equal(sealed, map[string]int{"v2.00000000": outside.MaxWebhooks}, "secrets at rest")
}

// webhookOwners: of many who claim a webhook one gets it, keeps it while it lives, and what
// it decided before it lost it is not recorded.
func webhookOwners(w *world) {
	ctx, ref := w.Context(), outside.WebhookRef{WorkspaceID: us, ID: "whk_1"}
	w.ok(w.Nodes.Renew(ctx, time.Hour))
	w.ok(w.Webhooks.InsertWebhook(ctx, webhook(us, "whk_1")))
	w.ok(w.Webhooks.InsertWebhook(ctx, webhook("other", "whk_2")))
	seen, err := w.Webhooks.StandingOf(ctx, ref)
	w.ok(err)
	w.equal([]bool{seen.Mine, seen.OwnerAlive}, []bool{false, false}, "without an owner")
	var all sync.WaitGroup
	var got atomic.Int32
	for range 4 {
		all.Go(func() {
			mine := *seen
			if w.Webhooks.ClaimWebhook(ctx, &mine) == nil {
				got.Add(1)
			}
		})
	}
	all.Wait()
	w.equal(got.Load(), int32(1), "of four claims")
	mine, err := w.Webhooks.StandingOf(ctx, ref)
	w.ok(err)
	w.equal([]any{mine.Mine, mine.OwnerAlive, mine.Epoch}, []any{true, true, int64(1)}, "its owner")
	if err := w.Webhooks.ClaimWebhook(ctx, mine); domain.ErrorCode(err) == "" {
		w.Error("a webhook was claimed whose owner lives")
	}

	w.noted(nil)
	look, err := w.Webhooks.LookAtWebhooks(ctx, T0)
	w.ok(err)
	w.equal([]any{len(look.Enabled), look.Behind}, []any{2, []outside.WebhookRef{ref}}, "one is behind")
	w.ok(w.Nodes.Release(ctx)) // as if it had died
	gone, err := w.Webhooks.StandingOf(ctx, ref)
	w.ok(err)
	w.equal([]bool{gone.Mine, gone.OwnerAlive}, []bool{true, false}, "after its death")
	taken := *gone
	w.ok(w.Webhooks.ClaimWebhook(ctx, &taken))
	err = w.Webhooks.RecordWebhook(ctx, &gone.Webhook, &outside.WebhookProgress{SentTo: 1})
	w.stale(err)
	w.stale(w.Webhooks.DisableWebhook(ctx, &gone.Webhook, &outside.WebhookProgress{}, outside.WebhookGone, domain.Notice{}))
	w.ok(w.Webhooks.RecordWebhook(ctx, &taken.Webhook, &outside.WebhookProgress{SentTo: 1}))
	w.equal(len(w.sent("")), 1, "events: no notice of what was not done")
}

// webhookProgress: the progress of sending is stored as written; a replay resets it.
func webhookProgress(w *world) {
	ctx, ref := w.Context(), outside.WebhookRef{WorkspaceID: us, ID: "whk_1"}
	h := webhook(us, "whk_1")
	w.ok(w.Webhooks.InsertWebhook(ctx, h))
	w.noted(nil, nil, nil)
	lanes := []outside.WebhookLane{{SentTo: 1, Tries: 1, Since: T0, DueAt: T0.Add(time.Second)}, {SessionID: "ses_1", DueAt: T0}}
	done := outside.WebhookDelivery{Seq: 1, Type: domain.LogNotice, State: outside.DeliveryDone, Tries: 1, At: T0, FirstAt: T0, LastAt: T0, Status: 204, Took: 7 * time.Millisecond}
	tried := done
	tried.Seq, tried.State, tried.Status, tried.Detail, tried.NextAt = 2, outside.DeliveryRetrying, 500, "status 500", new(T0.Add(time.Second))
	p := &outside.WebhookProgress{SentTo: 3, FailingSince: new(T0), PausedUntil: new(T0.Add(time.Minute)), Lanes: lanes, Deliveries: []outside.WebhookDelivery{done, tried}}
	w.ok(w.Webhooks.RecordWebhook(ctx, h, p))
	got, err := w.Webhooks.WebhookLanes(ctx, ref)
	w.ok(err)
	w.equal(got, []outside.WebhookLane{lanes[1], lanes[0]}, "lanes, the first due first")
	again := tried
	again.State, again.Tries, again.NextAt, again.Status, again.Detail = outside.DeliveryDone, 2, nil, 200, ""
	w.ok(w.Webhooks.RecordWebhook(ctx, h, &outside.WebhookProgress{SentTo: 3, CaughtUp: []string{"ses_1"}, Deliveries: []outside.WebhookDelivery{tried, again}}))
	list, next, err := w.Webhooks.Deliveries(ctx, us, "whk_1", "", "", 1)
	w.ok(err)
	w.equal(list, []*outside.WebhookDelivery{&again}, "the latest delivery")
	list, next, err = w.Webhooks.Deliveries(ctx, us, "whk_1", "", next, 1)
	w.ok(err)
	w.equal([]any{list, next}, []any{[]*outside.WebhookDelivery{&done}, ""}, "the one before")
	list, _, err = w.Webhooks.Deliveries(ctx, us, "whk_1", outside.DeliveryRetrying, "", 5)
	w.ok(err)
	w.equal(len(list), 0, "deliveries that are tried again")
	for _, enabled := range []bool{false, true} {
		_, err := w.Webhooks.ChangeWebhook(ctx, us, "whk_1", 0, func(h *outside.Webhook, _ int64) (*outside.WebhookDelivery, error) {
			h.Enabled = enabled
			return nil, nil
		})
		w.ok(err)
	}
	got, err = w.Webhooks.WebhookLanes(ctx, ref)
	w.ok(err)
	w.equal(got, []outside.WebhookLane{{SentTo: 1, Tries: 1, Since: T0, DueAt: T0}}, "what it is behind with, once it is on again")

	skipped := outside.WebhookDelivery{Seq: 3, State: outside.DeliverySkipped, At: T0, FirstAt: T0, LastAt: T0, Detail: "not sent"}
	back, err := w.Webhooks.ChangeWebhook(ctx, us, "whk_1", 0, func(h *outside.Webhook, _ int64) (*outside.WebhookDelivery, error) {
		h.SentTo = 1
		return &skipped, nil
	})
	w.ok(err)
	got, err = w.Webhooks.WebhookLanes(ctx, ref)
	w.ok(err)
	w.equal([]any{back.SentTo, len(got)}, []any{int64(1), 0}, "after a replay")
	w.stale(w.Webhooks.RecordWebhook(ctx, h, p))

	w.ok(w.Webhooks.DisableWebhook(ctx, back, &outside.WebhookProgress{SentTo: 2}, outside.WebhookFailing, domain.Notice{Code: "webhook_disabled"}))
	off, err := w.Webhooks.Webhook(ctx, us, "whk_1")
	w.ok(err)
	w.equal([]any{off.Enabled, off.DisabledReason, off.SentTo}, []any{false, outside.WebhookFailing, int64(2)}, "disabled")
	w.equal(len(w.sent("")), 4, "events, with the notice")
	w.stale(w.Webhooks.RecordWebhook(ctx, off, &outside.WebhookProgress{}))
	w.sound()
}

// webhookEvents: wherever a reader begins, and however long its pages are, it is given each
// event of its types once and in order.
func webhookEvents(w *world) {
	sessions := []*domain.Session{w.stored("first"), w.stored("second"), w.stored("third")}
	w.mixed(sessions, 20)
	all, _, err := w.Events.Events(w.Context(), us, "", 0, domain.PageSize{Rows: 10_000, Bytes: 64 << 20})
	w.ok(err)
	newest := all[len(all)-1].Seq
	types := []domain.LogType{domain.LogNotice, domain.LogSessionCreated, domain.LogSessionEnded, domain.LogApprovalRequested, domain.LogSessionPhase}
	for _, session := range []*string{nil, new(""), &sessions[0].ID, &sessions[1].ID} {
		for _, types := range [][]domain.LogType{types[:1], types, {domain.LogQueueChanged}, {domain.LogDataChanged}} {
			for _, size := range []domain.PageSize{{Rows: 1}, {Rows: 3}, {Rows: 100, Bytes: 20_000}} {
				for _, span := range [][2]int64{{0, newest}, {newest / 3, newest - 5}, {newest, newest}} {
					w.eventsOf(all, session, types, span[0], span[1], size)
				}
			}
		}
	}
}

func (w *world) eventsOf(all []*domain.LogEvent, session *string, types []domain.LogType, after, to int64, size domain.PageSize) {
	w.Helper()
	var want, got []int64
	for _, e := range all {
		if e.Seq > after && e.Seq <= to && slices.Contains(types, e.Type) && (session == nil || *session == e.SessionID) {
			want = append(want, e.Seq)
		}
	}
	for at := after; at < to; {
		page, scanned, err := w.Events.EventsOfTypes(w.Context(), us, session, types, at, to, size)
		w.ok(err)
		if scanned <= at || scanned > to {
			w.Fatalf("read from %d to %d, and came to %d", at, to, scanned)
		}
		for _, e := range page {
			got = append(got, e.Seq)
		}
		at = scanned
	}
	w.equal(got, want, fmt.Sprintf("%v after %d to %d in pages of %+v", types, after, to, size))
}

// webhookPruning: old deliveries go, but for those that are still tried.
func webhookPruning(w *world) {
	ctx, h := w.Context(), webhook(us, "whk_1")
	w.ok(w.Webhooks.InsertWebhook(ctx, h))
	p := &outside.WebhookProgress{}
	for i := range int64(6) {
		d := outside.WebhookDelivery{Seq: i, State: outside.DeliveryDone, At: T0, FirstAt: T0, LastAt: T0.Add(time.Duration(i) * time.Hour)}
		if i == 1 {
			d.State = outside.DeliveryRetrying
		}
		p.Deliveries = append(p.Deliveries, d)
	}
	w.ok(w.Webhooks.RecordWebhook(ctx, h, p))
	w.ok(w.Webhooks.PruneDeliveries(ctx, T0.Add(4*time.Hour)))
	list, _, err := w.Webhooks.Deliveries(ctx, us, "whk_1", "", "", 10)
	w.ok(err)
	var left []int64
	for _, d := range list {
		left = append(left, d.Seq)
	}
	w.equal(left, []int64{5, 4, 1}, "what is left")
}

func (w *world) stale(err error) {
	w.Helper()
	if !errors.Is(err, domain.ErrStale) {
		w.Fatalf("got %v, want a stale write", err)
	}
}
