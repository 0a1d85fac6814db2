package handlers

import (
	"context"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestKeptRequestsAreAsTheStoreIs runs the same test suite against the real store of requests and its fake.
func TestKeptRequestsAreAsTheStoreIs(t *testing.T) {
	w, kept := newWorld(t), newKeptRequests()
	create := func(ctx context.Context) {
		s := &domain.Session{
			ID: "ses_new", WorkspaceID: domain.DefaultWorkspace, Type: domain.Chat, Phase: domain.Idle,
			CreatedAt: worldTime, UpdatedAt: worldTime, LastEventTime: worldTime,
		}
		c := &domain.Change{WorkspaceID: s.WorkspaceID, At: worldTime, Sessions: []domain.SessionWrite{{Session: s, Insert: true}}}
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
		if err := w.Store.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	for name, x := range map[string]struct {
		store IdempotencyStore
		apply func(context.Context)
	}{
		"the store": {w.config.Edge.Idempotency, create},
		"kept":      {kept, func(ctx context.Context) { kept.apply(ctx, "ses_new", 7) }},
	} {
		t.Run(name, func(t *testing.T) { requestStory(t, x.store, x.apply) })
	}
}

func requestStory(t *testing.T, store IdempotencyStore, apply func(context.Context)) {
	const ws = domain.DefaultWorkspace
	claim := func(key, fingerprint string, want domain.RequestState) (context.Context, *KeyClaim) {
		t.Helper()
		ctx, got, err := store.ClaimKey(t.Context(), ws, KeyRequest{Name: key, Fingerprint: fingerprint, Owner: "key_a", MaxKeys: 100})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the state of "+key, got.State, want)
		return ctx, got
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	claim("answered", "f", domain.RequestNew)
	claim("answered", "f", domain.RequestRunning)
	claim("answered", "other", domain.RequestMismatch)
	must(store.KeepAnswer(t.Context(), ws, "answered", []byte("yes")))
	must(store.ReleaseKey(t.Context(), ws, "answered"))
	_, got := claim("answered", "f", domain.RequestAnswered)
	equal(t, "its answer", string(got.Answer), "yes")
	claim("answered", "other", domain.RequestMismatch)

	claim("released", "f", domain.RequestNew)
	must(store.ReleaseKey(t.Context(), ws, "released"))
	claim("released", "other", domain.RequestNew)

	claim("refused", "f", domain.RequestNew)
	must(store.KeepRefusal(t.Context(), ws, "refused", []byte("no")))
	claim("refused", "f", domain.RequestNew)

	ctx, _ := claim("applied", "f", domain.RequestNew)
	apply(ctx)
	must(store.ReleaseKey(t.Context(), ws, "applied"))
	_, got = claim("applied", "f", domain.RequestApplied)
	equal(t, "what was made", []any{got.CreatedID, got.Seq > 0}, []any{"ses_new", true})
	must(store.KeepRefusal(t.Context(), ws, "applied", []byte("look again")))
	_, got = claim("applied", "f", domain.RequestAnswered)
	equal(t, "a refusal that changed something", string(got.Answer), "look again")
}
