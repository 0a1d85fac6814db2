package repository_test

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/requests"
)

// TestKeysThatWereLeft: a request ends while the database is away, or begins at the moment in
// which it goes. Its key is not taken for ever: it is free again soon after the database is back.
// One under which something was written stays.
func TestKeysThatWereLeft(t *testing.T) {
	w := newCutWorld(t)
	ctx := t.Context()
	w.must(w.store.Nodes.Renew(ctx, time.Hour))
	begin := func(s *repository.Store, key string) (domain.RequestState, error) {
		state, _, err := s.Requests.BeginIdempotent(ctx, ws, requests.IdempotentRequest{Key: key, Hash: "h"}, w.at)
		return state, err
	}
	is := func(key string, want domain.RequestState) {
		t.Helper()
		if state, err := begin(w.direct, key); err != nil || state != want {
			t.Errorf("%s is %s (%v), want %s", key, state, err, want)
		}
	}
	for _, key := range []string{"ended", "applied"} {
		if state, err := begin(w.store, key); err != nil || state != domain.RequestNew {
			t.Fatal(state, err)
		}
	}
	w.must(w.store.Commit(requests.WithIdempotencyKey(ctx, ws, "applied"), w.plain(w.fresh(), true)))

	w.proxy.LoseReplyForGood(1)
	for _, key := range []string{"ended", "applied"} {
		if err := w.store.Requests.AbandonIdempotent(ctx, ws, key); err == nil {
			t.Fatal("the database was not away")
		}
	}
	w.proxy.LoseReply(0)
	is("ended", domain.RequestRunning)
	w.begunAndLost(begin)
	w.must(w.store.Requests.ReleaseLeft(ctx))
	is("ended", domain.RequestNew)
	is("begun", domain.RequestNew)
	is("applied", domain.RequestApplied)
	w.must(w.store.Requests.ReleaseLeft(ctx)) // what is another's by now stays
	is("ended", domain.RequestRunning)
}

// begunAndLost: the key is taken, and the server is gone before it can say so, or be asked.
func (w *cutWorld) begunAndLost(begin func(s *repository.Store, key string) (domain.RequestState, error)) {
	w.t.Helper()
	store := w.narrow()
	w.must(store.Nodes.Renew(w.t.Context(), time.Hour))
	for n := 1; ; n++ {
		w.proxy.LoseReplyForGood(n)
		_, err := begin(store, "begun")
		cut := w.proxy.Cut()
		w.proxy.LoseReply(0)
		if cut != "COMMIT" {
			w.must(store.Requests.ReleaseLeft(w.t.Context()))
			continue
		}
		if domain.ErrorCode(err) != domain.CodeOutcomeUnknown {
			w.t.Fatalf("error %v", err)
		}
		break
	}
	if state, err := begin(w.direct, "begun"); err != nil || state != domain.RequestRunning {
		w.t.Errorf("the key that was lost is %s (%v)", state, err)
	}
	w.must(store.Requests.ReleaseLeft(w.t.Context()))
}
