package suite

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// keys come back as they were; that one was ever made stays known.
func keys(w *world) {
	ctx := w.Context()
	made := func() bool {
		found, err := w.Keys.AnyKey(ctx)
		w.ok(err)
		return found
	}
	w.equal(made(), false, "a key where there is none")
	refused := errors.New("refused")
	key := &people.Key{
		ID: "key_1", WorkspaceID: "other", Name: "n", Role: domain.RoleMember, Prefix: "fmt_ab", Hash: "abc", CreatedAt: T0, ExpiresAt: new(T0.Add(time.Hour)),
	}
	if err := w.Keys.InsertKey(ctx, key, func(bool) error { return refused }); !errors.Is(err, refused) {
		w.Errorf("a key that may not be made: %v", err)
	}
	w.equal(made(), false, "a key after a refusal")
	var firsts []bool
	note := func(first bool) error { firsts = append(firsts, first); return nil }
	w.ok(w.Keys.InsertKey(ctx, key, note))
	w.ok(w.Keys.InsertKey(ctx, &people.Key{ID: "key_2", WorkspaceID: domain.DefaultWorkspace, Hash: "def", CreatedAt: T0}, note))
	w.equal(firsts, []bool{true, false}, "the first of any workspace")
	got, err := w.Keys.KeyByHash(ctx, "abc")
	w.ok(err)
	w.equal(got, key, "the key")

	use := func(at time.Time) {
		w.ok(w.Keys.KeysUsed(ctx, []people.KeyUse{{WorkspaceID: "other", KeyID: "key_1", At: at}, {WorkspaceID: "other", KeyID: "gone", At: at}}))
	}
	use(T0.Add(2 * time.Minute))
	use(T0.Add(time.Minute)) // another node is late
	got, err = w.Keys.KeyByHash(ctx, "abc")
	w.ok(err)
	w.equal(got.LastUsedAt, new(T0.Add(2*time.Minute)), "used last")

	w.code(w.Keys.RevokeKey(ctx, domain.DefaultWorkspace, "key_1", nil), domain.CodeNotFound)
	w.ok(w.Keys.RevokeKey(ctx, "other", "key_1", nil))
	w.ok(w.Keys.RevokeKey(ctx, domain.DefaultWorkspace, "key_2", nil))
	_, err = w.Keys.KeyByHash(ctx, "abc")
	w.code(err, domain.CodeNotFound)
	w.equal(made(), true, "a key was made, though all are revoked")
	listed, err := w.Keys.Keys(ctx, "other")
	w.ok(err)
	w.equal(len(listed), 1, "keys that are listed, revoked or not")
}

// lastKey: of many who revoke the last keys at once, one is refused.
func lastKey(w *world) {
	ctx, ids := w.Context(), []string{"key_1", "key_2", "key_3", "key_4"}
	for _, id := range ids {
		w.ok(w.Keys.InsertKey(ctx, &people.Key{ID: id, WorkspaceID: "other", Role: domain.RoleAdmin, Hash: id, CreatedAt: T0}, nil))
	}
	var all sync.WaitGroup
	var refused atomic.Int32
	for _, id := range ids {
		all.Go(func() {
			err := w.Keys.RevokeKey(ctx, "other", id, func(all []*people.Key) error { return people.MayRevoke(id, all, T0) })
			if domain.ErrorCode(err) == domain.CodeLastAdminKey {
				refused.Add(1)
			} else if err != nil {
				w.Errorf("revoke %s: %v", id, err)
			}
		})
	}
	all.Wait()
	w.equal(refused.Load(), int32(1), "refused")
}
