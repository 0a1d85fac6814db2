package suite

import (
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// signIns: they come back as they were, to their owner alone; one too many ends the one that
// was used longest ago; what is over goes.
func signIns(w *world) {
	ctx := w.Context()
	one := &people.SignedIn{
		ID: "sgn_1", WorkspaceID: "other", Owner: "usr_a", Hash: "h1", Method: people.SignInOIDC, Name: "Ada", Role: domain.RoleAdmin,
		Workspaces: []string{"other", domain.DefaultWorkspace}, Issuer: "https://issuer", Browser: "b", CreatedAt: T0, LastUsedAt: T0,
		ExpiresAt: T0.Add(time.Hour),
	}
	w.ok(w.SignIns.InsertSignIn(ctx, one))
	byKey := &people.SignedIn{
		ID: "sgn_2", WorkspaceID: "other", Owner: "key_1", Hash: "h2", Method: people.SignInKey, KeyHash: "k", CreatedAt: T0, LastUsedAt: T0,
		ExpiresAt: T0.Add(2 * time.Hour),
	}
	w.ok(w.SignIns.InsertSignIn(ctx, byKey))
	got, err := w.SignIns.SignInByHash(ctx, "h1")
	w.ok(err)
	w.equal(got, one, "the sign-in")
	listed := func(workspace, owner string) (ids []string) {
		all, err := w.SignIns.SignIns(ctx, workspace, owner)
		w.ok(err)
		for _, s := range all {
			ids = append(ids, s.ID)
		}
		return ids
	}
	w.equal(listed("other", "usr_a"), []string{"sgn_1"}, "those of one owner")
	w.equal(len(listed(domain.DefaultWorkspace, "usr_a")), 0, "those of another workspace")

	used := func(at time.Time) {
		w.ok(w.SignIns.SignInsUsed(ctx, []people.SignInUse{{WorkspaceID: "other", SignInID: "sgn_2", At: at}, {WorkspaceID: "other", SignInID: "gone", At: at}}))
	}
	used(T0.Add(2 * time.Minute))
	used(T0.Add(time.Minute)) // another node is late
	got, err = w.SignIns.SignInByHash(ctx, "h2")
	w.ok(err)
	w.equal(got.LastUsedAt, T0.Add(2*time.Minute), "used last")

	w.code(w.SignIns.EndSignIn(ctx, "other", "usr_a", "sgn_2"), domain.CodeNotFound) // another person's
	w.code(w.SignIns.EndSignIn(ctx, domain.DefaultWorkspace, "usr_a", "sgn_1"), domain.CodeNotFound)
	w.ok(w.SignIns.EndSignIn(ctx, "other", "usr_a", "sgn_1"))
	_, err = w.SignIns.SignInByHash(ctx, "h1")
	w.code(err, domain.CodeNotFound)

	for i := range people.MaxSignIns + 5 {
		more := *one
		more.ID, more.Hash, more.LastUsedAt = fmt.Sprintf("sgn_m%02d", i), fmt.Sprintf("m%d", i), T0.Add(time.Duration(i)*time.Second)
		w.ok(w.SignIns.InsertSignIn(ctx, &more))
	}
	ids := listed("other", "usr_a")
	w.equal(len(ids), people.MaxSignIns, "as many as may be")
	w.equal(ids[len(ids)-1], "sgn_m05", "the one that was used longest ago")

	w.ok(w.SignIns.PruneSignIns(ctx, T0.Add(time.Hour), T0.Add(-time.Hour))) // usr_a's are over
	w.equal(len(listed("other", "usr_a")), 0, "those whose time is over")
	w.equal(listed("other", "key_1"), []string{"sgn_2"}, "those that go on")
	w.ok(w.SignIns.PruneSignIns(ctx, T0, T0.Add(2*time.Minute)))
	w.equal(len(listed("other", "key_1")), 0, "those that were not used")
	w.ok(w.SignIns.InsertSignIn(ctx, one))
	w.ok(w.SignIns.EndSignIns(ctx, "other", "usr_a"))
	w.equal(len(listed("other", "usr_a")), 0, "after all were ended")
}
