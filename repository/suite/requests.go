package suite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/requests"
)

func (w *world) begin(s *repository.Store, key, hash string) (domain.RequestState, *requests.StoredResponse) {
	w.Helper()
	state, stored, err := s.Requests.BeginIdempotent(w.Context(), domain.DefaultWorkspace, requests.IdempotentRequest{Key: key, Hash: hash}, w.now)
	w.ok(err)
	return state, stored
}

// requestKeys: a request with a key is carried out once, whatever happens in between.
func requestKeys(w *world) {
	ctx := w.Context()
	w.ok(w.Nodes.Renew(ctx, time.Hour))
	state, _ := w.begin(w.Store, "k", "h")
	w.equal(state, domain.RequestNew, "first")
	state, _ = w.begin(w.Store, "k", "h")
	w.equal(state, domain.RequestRunning, "while it runs")
	state, _ = w.begin(w.Store, "k", "other")
	w.equal(state, domain.RequestMismatch, "another request")

	s := w.session("made under the key")
	c := w.change(s)
	c.Sessions[0].Insert = true
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
	under := requests.WithIdempotencyKey(ctx, domain.DefaultWorkspace, "k")
	w.ok(w.Commit(under, c))
	w.ok(w.Requests.AbandonIdempotent(under, domain.DefaultWorkspace, "k")) // written under it: it stays
	state, stored := w.begin(w.Store, "k", "h")
	w.equal(state, domain.RequestApplied, "applied, its answer lost")
	w.equal(stored, &requests.StoredResponse{Seq: 1, CreatedID: s.ID}, "what it did")

	body := []byte("{\"a\": \"\x00\xff\"}")
	w.ok(w.Requests.FinishIdempotent(under, domain.DefaultWorkspace, "k", 201, body, map[string]string{"Location": "/x"}))
	state, stored = w.begin(w.Store, "k", "h")
	w.equal(state, domain.RequestAnswered, "done")
	w.equal(stored, &requests.StoredResponse{Status: 201, Body: body, Headers: map[string]string{"Location": "/x"}, Seq: 1, CreatedID: s.ID}, "the kept answer")

	state, _ = w.begin(w.Store, "k2", "h")
	w.equal(state, domain.RequestNew, "another key")
	w.ok(w.Requests.AbandonIdempotent(ctx, domain.DefaultWorkspace, "k2"))
	state, _ = w.begin(w.Store, "k2", "h")
	w.equal(state, domain.RequestNew, "given free")
	refused := requests.WithIdempotencyKey(ctx, domain.DefaultWorkspace, "k2")
	_, err := w.Decide(refused, domain.DefaultWorkspace, s.ID, nil, func(context.Context, *domain.View) (*domain.Change, error) {
		return nil, domain.Errorf(domain.CodeWrongPhase, "no")
	})
	w.code(err, domain.CodeWrongPhase)
	w.ok(w.Requests.RefuseIdempotent(refused, domain.DefaultWorkspace, "k2", 409, []byte("{}")))
	state, _ = w.begin(w.Store, "k2", "other")
	w.equal(state, domain.RequestNew, "a refusal that changed nothing leaves no trace")

	state, _ = w.begin(w.Store, "k3", "h")
	w.equal(state, domain.RequestNew, "a third key")
	c = w.change(s)
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
	under = requests.WithIdempotencyKey(ctx, domain.DefaultWorkspace, "k3")
	w.ok(w.Commit(under, c))
	w.ok(w.Requests.RefuseIdempotent(under, domain.DefaultWorkspace, "k3", 409, []byte("{}")))
	state, stored = w.begin(w.Store, "k3", "h")
	w.equal([]any{state, stored.Status, string(stored.Body)}, []any{domain.RequestAnswered, 409, "{}"}, "one that changed something is kept")

	w.pass(25 * time.Hour)
	state, _ = w.begin(w.Store, "k", "other")
	w.equal(state, domain.RequestNew, "after a day")
	w.ok(w.Requests.PruneIdempotency(ctx, w.now))
}

// manyKeys: of one owner so many are remembered; those that are stay, others' are not
// touched, and after a day there is room again.
func manyKeys(w *world) {
	ctx := w.Context()
	w.ok(w.Nodes.Renew(ctx, 48*time.Hour))
	begin := func(owner, key string) (domain.RequestState, error) {
		state, _, err := w.Requests.BeginIdempotent(ctx, domain.DefaultWorkspace,
			requests.IdempotentRequest{Key: key, Hash: "h", Owner: owner, MaxKeys: 2}, w.now)
		return state, err
	}
	for _, key := range []string{"a1", "a2"} {
		_, err := begin("a", key)
		w.ok(err)
		w.ok(w.Requests.FinishIdempotent(ctx, domain.DefaultWorkspace, key, 200, []byte("{}"), nil))
	}
	for range 2 {
		_, err := begin("a", "a3")
		w.code(err, domain.CodeTooManyKeys)
	}
	state, err := begin("a", "a1")
	w.ok(err)
	w.equal(state, domain.RequestAnswered, "a key that was acknowledged")
	state, err = begin("b", "b1")
	w.ok(err)
	w.equal(state, domain.RequestNew, "a key of another owner")
	w.pass(25 * time.Hour)
	state, err = begin("a", "a3")
	w.ok(err)
	w.equal(state, domain.RequestNew, "after a day")
}

// formerKeys: a key that an earlier version stored for the whole workspace is found by its owner only.
func formerKeys(w *world) {
	ctx := w.Context()
	w.ok(w.Nodes.Renew(ctx, time.Hour))
	begin := func(key, former, owner string) (domain.RequestState, string) {
		state, stored, err := w.Requests.BeginIdempotent(ctx, domain.DefaultWorkspace,
			requests.IdempotentRequest{Key: key, Former: former, Hash: "h", Owner: owner}, w.now)
		w.ok(err)
		if stored == nil {
			return state, ""
		}
		return state, stored.Key
	}
	state, _ := begin("former", "", "a") // as the earlier version did
	w.equal(state, domain.RequestNew, "the earlier version's")
	state, name := begin("a's", "former", "a")
	w.equal([]any{state, name}, []any{domain.RequestRunning, "former"}, "while it runs")
	w.ok(w.Requests.FinishIdempotent(ctx, domain.DefaultWorkspace, "former", 200, []byte("{}"), nil))
	state, name = begin("a's", "former", "a")
	w.equal([]any{state, name}, []any{domain.RequestAnswered, "former"}, "its answer")
	state, name = begin("b's", "former", "b")
	w.equal([]any{state, name}, []any{domain.RequestNew, ""}, "the same key of another owner")
	w.ok(w.Requests.FinishIdempotent(ctx, domain.DefaultWorkspace, "b's", 200, []byte("{}"), nil))
	state, name = begin("b's", "former", "b")
	w.equal([]any{state, name}, []any{domain.RequestAnswered, ""}, "and its answer")
	w.pass(25 * time.Hour)
	state, name = begin("a's", "former", "a")
	w.equal([]any{state, name}, []any{domain.RequestNew, "former"}, "after a day it is taken over")
	w.ok(w.Requests.AbandonIdempotent(ctx, domain.DefaultWorkspace, "former"))
	state, name = begin("a's", "former", "a")
	w.equal([]any{state, name}, []any{domain.RequestNew, ""}, "and once it is free it is the owner's own")
}

// lostKeys: a key whose process is gone is free again if nothing was applied, and a
// process that has lost its key writes nothing.
func lostKeys(w *world) {
	ctx := w.Context()
	w.ok(w.Nodes.Renew(ctx, time.Hour))
	s := w.stored("first")
	state, _ := w.begin(w.Store, "k", "h")
	w.equal(state, domain.RequestNew, "first")
	var next *repository.Store
	if w.Kind() == "sqlite" {
		w.ok(w.Close())
		next = w.open(w.TB, w.place, w.config("node-1", "second"))
	} else {
		next = w.open(w.TB, w.place, w.config("node-2", "first"))
		state, _ = w.begin(next, "k", "h")
		w.equal(state, domain.RequestRunning, "seen from another node")
		w.ok(w.Nodes.Release(ctx))
	}
	w.ok(next.Nodes.Renew(ctx, time.Hour))
	state, _ = w.begin(next, "k", "h")
	w.equal(state, domain.RequestNew, "after its process is gone")
	if w.Kind() != "sqlite" {
		c := w.change(s)
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
		w.code(w.Commit(requests.WithIdempotencyKey(ctx, domain.DefaultWorkspace, "k"), c), "idempotency_in_progress")
		got, err := next.Sessions.Session(ctx, domain.DefaultWorkspace, s.ID)
		w.ok(err)
		w.equal(got, s, "the session after the refusal")
	}
}

// configuration: settings, keys and providers.
func configuration(w *world) {
	ctx := w.Context()
	w.code(w.Workspaces.CreateWorkspace(ctx, &domain.Workspace{ID: "other", CreatedAt: T0}), domain.CodeConflict)
	all, err := w.Workspaces.Workspaces(ctx)
	w.ok(err)
	w.equal(len(all), 2, "workspaces")
	many := make([]string, 201) // one more than a workspace may have
	for i := range many {
		many[i] = fmt.Sprintf(`"%d":{"input":1,"output":1}`, i)
	}
	change := people.SettingsPatch{Fields: []byte(`{"language":"fr","prices":{` + strings.Join(many, ",") + `}}`)}
	_, err = w.Workspaces.UpdateSettings(ctx, "other", change)
	w.code(err, domain.CodeInvalid)
	other, err := w.Workspaces.Workspace(ctx, "other")
	w.ok(err)
	w.equal(other.Settings, domain.DefaultSettings(), "settings after a refusal")

	none, err := w.Providers.DefaultProvider(ctx, "other")
	w.ok(err)
	if none != nil {
		w.Fatalf("a default provider where there is none: %v", none)
	}
	first := &outside.Provider{ID: "prv_1", WorkspaceID: "other", Name: "one", Kind: "demo", Config: []byte(`{ "model":"m"}`), SecretSealed: "s", SecretMask: "…", IsDefault: true, CreatedAt: T0, UpdatedAt: T0}
	second := &outside.Provider{ID: "prv_2", WorkspaceID: "other", Name: "two", Kind: "demo", IsDefault: true, CreatedAt: T0.Add(1000), UpdatedAt: T0}
	w.ok(w.Providers.InsertProvider(ctx, first))
	read, err := w.Providers.Provider(ctx, "other", "prv_1")
	w.ok(err)
	w.equal(read, first, "the provider")
	w.ok(w.Providers.InsertProvider(ctx, second))
	now, err := w.Providers.DefaultProvider(ctx, "other")
	w.ok(err)
	w.equal(now.ID, "prv_2", "the new default")
	if err := w.Providers.UpdateProvider(ctx, first); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("a stale provider gave %v", err)
	}
	second.Name = "renamed"
	w.ok(w.Providers.UpdateProvider(ctx, second))
	w.ok(w.Providers.DeleteProvider(ctx, "other", "prv_1"))
	list, err := w.Providers.Providers(ctx, "other")
	w.ok(err)
	w.equal(list, []*outside.Provider{second}, "what is left")
	w.code(w.Providers.DeleteProvider(ctx, "other", "prv_1"), domain.CodeNotFound)
}

// pruning: old events are deleted except those of sessions that have not ended, and the bounds show readers from
// where the log is complete.
func pruning(w *world) {
	ctx := w.Context()
	oldest, newest, err := w.Events.EventBounds(ctx, "other")
	w.ok(err)
	w.equal([]int64{oldest, newest}, []int64{0, 0}, "bounds of an empty log")
	living := w.stored("lives")
	ended := w.stored("ends")
	c := w.change(ended)
	w.move(c, ended, domain.Completed, "StopRequested")
	w.ok(w.Commit(ctx, c))
	c = w.change(living)
	c.At = T0.Add(10 * 24 * time.Hour)
	c.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
	w.ok(w.Commit(ctx, c))
	w.ok(w.Events.PruneEvents(ctx, T0.Add(24*time.Hour)))
	left, _, err := w.Events.Events(ctx, domain.DefaultWorkspace, "", 0, domain.PageSize{Rows: 1000})
	w.ok(err)
	w.equal(idsOf(left, func(e *domain.LogEvent) string { return string(e.Type) }), []string{"session.created", "queue.changed"}, "what is left")
	oldest, newest, err = w.Events.EventBounds(ctx, domain.DefaultWorkspace)
	w.ok(err)
	w.equal([]int64{oldest, newest}, []int64{4, 4}, "bounds after pruning")
	oldest, _, err = w.Events.SessionEventBounds(ctx, domain.DefaultWorkspace, living.ID)
	w.ok(err)
	w.equal(oldest, int64(1), "oldest for a session that lives: all of it is there")
	oldest, _, err = w.Events.SessionEventBounds(ctx, domain.DefaultWorkspace, ended.ID)
	w.ok(err)
	w.equal(oldest, int64(4), "oldest for a session that has ended")

	c = w.change(living)
	w.move(c, living, domain.Completed, "StopRequested")
	w.ok(w.Commit(ctx, c))
	w.ok(w.Events.PruneEvents(ctx, T0.Add(20*24*time.Hour)))
	left, _, err = w.Events.Events(ctx, domain.DefaultWorkspace, "", 0, domain.PageSize{Rows: 1000})
	w.ok(err)
	w.equal(len(left), 0, "events when all are old and everybody has ended")
	oldest, newest, err = w.Events.EventBounds(ctx, domain.DefaultWorkspace)
	w.ok(err)
	w.equal([]int64{oldest, newest}, []int64{6, 5}, "bounds of a log that was pruned whole")
	w.sound()
}
