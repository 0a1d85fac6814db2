package suite

import (
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/people"
)

func push(workspace, person, id string) *outside.Webhook {
	return &outside.Webhook{
		ID: id, WorkspaceID: workspace, Kind: outside.WebhookPush, URL: "https://push.example/" + id, Types: []domain.LogType{domain.LogApprovalRequested},
		Enabled: true, Person: person, Label: "phone", Language: "fr", SignIn: "sgn_" + id, HoldsUntil: new(T0.Add(time.Hour)),
		Secret: "v2.00000000.sealed", CreatedAt: T0, UpdatedAt: T0,
	}
}

func (w *world) saves(h *outside.Webhook, made bool) *outside.Webhook {
	w.Helper()
	got, err := w.Pushes.SavePush(w.Context(), h)
	w.ok(err)
	w.equal(got, made, "made")
	return h
}

func (w *world) pushesOf(workspace, person string) (ids []string) {
	w.Helper()
	all, err := w.Pushes.Pushes(w.Context(), workspace, person)
	w.ok(err)
	for _, p := range all {
		ids = append(ids, p.ID)
	}
	return ids
}

// pushes are read as they were written, by their owner alone; an endpoint belongs to the last person who registered
// it; their number is limited; and lists of webhooks do not contain them.
func pushes(w *world) {
	ctx := w.Context()
	w.noted(nil, nil)
	h := w.saves(push(us, "ada", "psh_1"), true)
	w.equal([]int64{h.SentTo, h.Version}, []int64{2, 1}, "it starts at the current end of the log")
	got, err := w.Pushes.Push(ctx, us, "ada", "psh_1")
	w.ok(err)
	w.equal(got, &outside.Push{Webhook: *h}, "the subscription")
	for _, foreign := range [][3]string{{us, "grace", "psh_1"}, {"other", "ada", "psh_1"}, {us, "ada", "psh_2"}} {
		_, err := w.Pushes.Push(ctx, foreign[0], foreign[1], foreign[2])
		w.code(err, domain.CodeNotFound)
		w.code(w.Pushes.DeletePush(ctx, foreign[0], foreign[1], foreign[2]), domain.CodeNotFound)
	}
	_, err = w.Webhooks.Webhook(ctx, us, "psh_1")
	w.code(err, domain.CodeNotFound)
	listed, err := w.Webhooks.Webhooks(ctx, us)
	w.ok(err)
	w.equal(len(listed), 0, "webhooks")

	double := push(us, "ada", "psh_x")
	double.URL = h.URL
	_, err = w.Pushes.SavePush(ctx, double)
	w.stale(err)
	again := push(us, "ada", "psh_1")
	again.URL, again.Label, again.HoldsUntil = h.URL, "telephone", new(T0.Add(2*time.Hour))
	w.saves(again, false)
	w.equal([]any{again.ID, again.Epoch}, []any{"psh_1", int64(0)}, "in the place of the one before")
	again.Secret = "v2.00000000.other"
	w.saves(again, false)
	at, err := w.Pushes.PushAt(ctx, us, h.URL)
	w.ok(err)
	w.equal([]any{at.Label, at.Secret, at.Epoch, at.CreatedAt, *at.HoldsUntil}, []any{"telephone", "v2.00000000.other", int64(1), T0, T0.Add(2 * time.Hour)}, "renewed")
	theirs := push(us, "grace", "psh_2")
	theirs.URL = h.URL
	w.saves(theirs, true)
	w.equal([]any{w.pushesOf(us, "ada"), w.pushesOf(us, "grace")}, []any{[]string(nil), []string{"psh_2"}}, "whose browser it is")

	for i := range outside.MaxPushes {
		w.saves(push(us, "ada", fmt.Sprintf("psh_a%02d", i)), true)
	}
	_, err = w.Pushes.SavePush(ctx, push(us, "ada", "psh_b"))
	w.code(err, domain.CodeTooMany)
	w.saves(push(us, "ada", "psh_a03"), false)
	w.saves(push("other", "ada", "psh_1"), true)
	sealed, err := w.Secrets.SealedWith(ctx, 11)
	w.ok(err)
	w.equal(sealed, map[string]int{"v2.00000000": outside.MaxPushes + 2}, "secrets at rest")
	w.ok(w.Webhooks.InsertWebhook(ctx, webhook(us, "whk_1")))
	look, err := w.Webhooks.LookAtWebhooks(ctx, T0)
	w.ok(err)
	w.equal([]int{len(look.Enabled), len(look.People)}, []int{outside.MaxPushes + 3, outside.MaxPushes + 2}, "the recipients")
	w.sound()
}

// pushEnds: a subscription ends with its time, its sign-in or its key, or when its browser is gone,
// with what it was sent; and not because of what was decided before it was renewed.
func pushEnds(w *world) {
	ctx := w.Context()
	w.noted(nil, nil, nil)
	sent := func(h *outside.Webhook) {
		done := outside.WebhookDelivery{Seq: 3, Type: domain.LogNotice, State: outside.DeliveryDone, Tries: 1, At: T0, FirstAt: T0, LastAt: T0.Add(time.Minute), Status: 201}
		settled := outside.WebhookDelivery{Seq: 4, Type: domain.LogNotice, State: outside.DeliveryDone, Tries: 1, At: T0, FirstAt: T0, LastAt: T0.Add(time.Hour)}
		w.ok(w.Webhooks.RecordWebhook(ctx, h, &outside.WebhookProgress{SentTo: 3, Lanes: []outside.WebhookLane{{DueAt: T0}}, Deliveries: []outside.WebhookDelivery{done, settled}}))
	}
	gone := w.saves(push(us, "ada", "psh_gone"), true)
	sent(gone)
	got, err := w.Pushes.Push(ctx, us, "ada", "psh_gone")
	w.ok(err)
	w.equal(got.LastDeliveredAt, new(T0.Add(time.Minute)), "what was taken last")
	before := *gone
	gone.Language = "en"
	w.saves(gone, false)
	w.stale(w.Webhooks.DisableWebhook(ctx, &before, nil, outside.WebhookGone, domain.Notice{}))
	w.ok(w.Webhooks.DisableWebhook(ctx, gone, nil, outside.WebhookGone, domain.Notice{}))
	w.equal([]any{len(w.pushesOf(us, "ada")), len(w.sent(""))}, []any{0, 3}, "gone, without a notice")
	sent(w.saves(push(us, "ada", "psh_off"), true))
	w.ok(w.Pushes.DeletePush(ctx, us, "ada", "psh_off"))
	w.equal(len(w.pushesOf(us, "ada")), 0, "taken off by its owner")

	for i, person := range []string{"ada", "grace", "key_1", "usr_1", "usr_1"} {
		sent(w.saves(push([]string{us, "other"}[i%2], person, fmt.Sprintf("psh_%d", i)), true))
	}
	w.ok(w.SignIns.InsertSignIn(ctx, &people.SignedIn{ID: "sgn_psh_1", WorkspaceID: us, Owner: "grace", Hash: "h1", CreatedAt: T0, LastUsedAt: T0, ExpiresAt: T0}))
	w.ok(w.SignIns.InsertSignIn(ctx, &people.SignedIn{ID: "sgn_psh_3", WorkspaceID: us, Owner: "usr_1", Hash: "h2", CreatedAt: T0, LastUsedAt: T0, ExpiresAt: T0}))
	w.ok(w.SignIns.EndSignIn(ctx, us, "grace", "sgn_psh_1")) // made in a workspace, used in another
	w.equal(len(w.pushesOf("other", "grace")), 0, "after the sign-in")
	w.ok(w.SignIns.EndSignIns(ctx, us, "usr_1"))
	w.equal([]any{w.pushesOf("other", "usr_1"), w.pushesOf(us, "usr_1")}, []any{[]string(nil), []string{"psh_4"}}, "after all sign-ins of one")
	w.ok(w.Keys.InsertKey(ctx, &people.Key{ID: "key_1", WorkspaceID: us, Hash: "h", CreatedAt: T0}, nil))
	w.ok(w.Keys.RevokeKey(ctx, us, "key_1", nil))
	w.equal(len(w.pushesOf(us, "key_1")), 0, "after the key")

	w.pass(2 * time.Hour)
	w.equal(len(w.pushesOf(us, "ada")), 0, "after its time")
	w.ok(w.Pushes.PrunePushes(ctx, T0.Add(2*time.Hour)))
	look, err := w.Webhooks.LookAtWebhooks(ctx, T0)
	w.ok(err)
	w.equal(len(look.Enabled), 0, "all are gone")
	w.sound()
}
