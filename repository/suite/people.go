package suite

import (
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// peopleMet: a person is created once for each workspace, also by many requests at once; the name and the role
// follow the credentials; and an earlier time of being seen never replaces a later one.
func peopleMet(w *world) {
	ctx := w.Context()
	asks := func(workspace, identity, name string, role domain.Role) *people.Person {
		w.Helper()
		p, err := w.People.FindOrCreate(ctx, &people.Person{
			WorkspaceID: workspace, Kind: people.PersonOIDC, Identity: identity, Name: name, Role: role, CreatedAt: T0, LastSeenAt: T0,
		})
		w.ok(err)
		return p
	}
	ada := asks("other", "usr_a", "Ada", domain.RoleMember)
	w.equal([]any{ada.ID != "", ada.Kind, ada.Identity, ada.Name, ada.Role, ada.CreatedAt, ada.LastSeenAt, ada.BlockedAt, ada.Caps},
		[]any{true, people.PersonOIDC, "usr_a", "Ada", domain.RoleMember, T0, T0, nil, people.Caps{}}, "the person")
	w.equal(asks("other", "usr_a", "Ada", domain.RoleMember), ada, "the same person again")
	w.equal(asks(domain.DefaultWorkspace, "usr_a", "Ada", domain.RoleMember).ID == ada.ID, false, "one row in two workspaces")

	renamed := asks("other", "usr_a", "Ada L.", domain.RoleAdmin)
	w.equal([]any{renamed.ID, renamed.Name, renamed.Role}, []any{ada.ID, "Ada L.", domain.RoleAdmin}, "with new credentials")
	w.equal(asks("other", "usr_a", "Ada L.", domain.RoleAdmin), renamed, "what was stored of them")

	ids, meets := make([]string, 8), sync.WaitGroup{}
	for i := range ids {
		meets.Go(func() { ids[i] = asks("other", "usr_b", "Bea", domain.RoleMember).ID })
	}
	meets.Wait()
	for _, id := range ids {
		w.equal(id, ids[0], "of eight requests at once, the person of each")
	}

	seen := func(at time.Time) {
		w.ok(w.People.PeopleSeen(ctx, []people.PersonSeen{
			{WorkspaceID: "other", PersonID: ada.ID, At: at}, {WorkspaceID: "other", PersonID: "gone", At: at},
		}))
	}
	seen(T0.Add(2 * time.Minute))
	seen(T0.Add(time.Minute)) // another node is late
	w.equal(asks("other", "usr_a", "Ada L.", domain.RoleAdmin).LastSeenAt, T0.Add(2*time.Minute), "last seen")
}
