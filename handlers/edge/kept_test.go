package edge_test

import (
	"context"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestKeptRequestsAreAsTheStoreIs runs the same test suite against the real store of requests and its fake.
func TestKeptRequestsAreAsTheStoreIs(t *testing.T) {
	w, kept := servertest.NewWorld(t), edgetest.NewKeptRequests()
	create := func(ctx context.Context) {
		s := &domain.Session{
			ID: "ses_new", WorkspaceID: domain.DefaultWorkspace, Type: domain.Chat, Phase: domain.Idle,
			CreatedAt: servertest.WorldTime, UpdatedAt: servertest.WorldTime, LastEventTime: servertest.WorldTime,
		}
		c := &domain.Change{WorkspaceID: s.WorkspaceID, At: servertest.WorldTime, Sessions: []domain.SessionWrite{{Session: s, Insert: true}}}
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
		if err := w.Store.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	for name, x := range map[string]struct {
		store edge.IdempotencyStore
		apply func(context.Context)
	}{
		"the store": {w.Config.Edge.Idempotency, create},
		"kept":      {kept, func(ctx context.Context) { kept.Apply(ctx, "ses_new", 7) }},
	} {
		t.Run(name, func(t *testing.T) { requestStory(t, x.store, x.apply) })
	}
}

func requestStory(t *testing.T, store edge.IdempotencyStore, apply func(context.Context)) {
	const ws = domain.DefaultWorkspace
	claim := func(key, fingerprint string, want domain.RequestState) (context.Context, *edge.KeyClaim) {
		t.Helper()
		ctx, got, err := store.ClaimKey(t.Context(), ws, edge.KeyRequest{Name: key, Fingerprint: fingerprint, Owner: "key_a", MaxKeys: 100})
		if err != nil {
			t.Fatal(err)
		}
		servertest.Equal(t, "the state of "+key, got.State, want)
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
	servertest.Equal(t, "its answer", string(got.Answer), "yes")
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
	servertest.Equal(t, "what was made", []any{got.CreatedID, got.Seq > 0}, []any{"ses_new", true})
	must(store.KeepRefusal(t.Context(), ws, "applied", []byte("look again")))
	_, got = claim("applied", "f", domain.RequestAnswered)
	servertest.Equal(t, "a refusal that changed something", string(got.Answer), "look again")
}
