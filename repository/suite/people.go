package suite

import (
	"fmt"
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

// peopleListed: pages of people with the sessions that are theirs and what those spent, changes, and what one page shows of none.
func peopleListed(w *world) {
	ctx := w.Context()
	var all []*people.Person
	for _, name := range []string{"Ada", "Bea", "Cleo"} {
		p, err := w.People.FindOrCreate(ctx, &people.Person{
			WorkspaceID: domain.DefaultWorkspace, Kind: people.PersonOIDC, Identity: "usr_" + name, Name: name, Role: domain.RoleMember,
			CreatedAt: T0, LastSeenAt: T0,
		})
		w.ok(err)
		all = append(all, p)
	}
	for i, owner := range []string{all[0].ID, all[0].ID, all[1].ID, ""} {
		s := w.stored("a chat", func(s *domain.Session) { s.Owner = owner })
		if i < 2 {
			call := w.call(s, i, T0.Add(time.Duration(i)*time.Hour))
			call.Usage.Cost = new(0.25)
			w.ok(w.Commit(ctx, &domain.Change{WorkspaceID: s.WorkspaceID, At: T0, Roundtrips: []*domain.Roundtrip{call}}))
		}
	}
	names := func(page []*people.PersonSummary) (out []string) {
		for _, p := range page {
			out = append(out, p.Name)
		}
		return out
	}
	first, next, err := w.People.People(ctx, domain.DefaultWorkspace, 2, "", T0)
	w.ok(err)
	second, end, err := w.People.People(ctx, domain.DefaultWorkspace, 2, next, T0)
	w.ok(err)
	w.equal([]any{names(first), names(second), end}, []any{[]string{"Cleo", "Bea"}, []string{"Ada"}, ""}, "pages of people")
	w.equal([]any{second[0].Sessions, second[0].SpentThisMonth, first[0].Sessions, first[0].SpentThisMonth}, []any{2, 0.5, 0, nil}, "what they sum up to")
	since, err := w.People.Summary(ctx, domain.DefaultWorkspace, all[0].ID, T0.Add(time.Minute))
	w.ok(err)
	w.equal([]any{since.Sessions, since.SpentThisMonth}, []any{2, 0.25}, "what was spent since a later instant")
	_, _, err = w.People.People(ctx, domain.DefaultWorkspace, 2, "nonsense", T0)
	w.code(err, domain.CodeInvalid)
	_, err = w.People.Summary(ctx, "other", all[0].ID, T0)
	w.code(err, domain.CodeNotFound)

	theirs, _, err := w.Sessions.Sessions(ctx, domain.DefaultWorkspace, domain.SessionFilter{Owner: all[0].ID, Limit: 10})
	w.ok(err)
	w.equal(len(theirs), 2, "the sessions of a person")

	change := func(patch people.PersonPatch) *people.Person {
		w.Helper()
		p, err := w.People.UpdatePerson(ctx, domain.DefaultWorkspace, all[0].ID, patch, func(*people.Person) error { return nil })
		w.ok(err)
		stored, err := w.People.Person(ctx, domain.DefaultWorkspace, all[0].ID)
		w.ok(err)
		w.equal(stored, p, "what was stored")
		return p
	}
	p := change(people.PersonPatch{Renamed: new("Countess"), Blocked: new(true)})
	w.equal([]any{p.DisplayName(), p.BlockedAt != nil}, []any{"Countess", true}, "named and blocked")
	p = change(people.PersonPatch{Renamed: new(""), Blocked: new(false)})
	w.equal([]any{p.DisplayName(), p.BlockedAt}, []any{"Ada", nil}, "neither")
	refused := domain.Errorf(domain.CodePersonProtected, "no")
	_, err = w.People.UpdatePerson(ctx, domain.DefaultWorkspace, all[0].ID, people.PersonPatch{Renamed: new("X")}, func(*people.Person) error { return refused })
	w.code(err, domain.CodePersonProtected)
	_, err = w.People.UpdatePerson(ctx, "other", all[0].ID, people.PersonPatch{}, func(*people.Person) error { return nil })
	w.code(err, domain.CodeNotFound)
}

// tokensOfPeople: a token is found by its hash until it is revoked, and expired ones are removed with the next.
func tokensOfPeople(w *world) {
	ctx := w.Context()
	p, err := w.People.FindOrCreate(ctx, &people.Person{
		WorkspaceID: "other", Kind: people.PersonActedFor, Identity: people.ActedFor("key_1", "ada"), Name: "ada", Role: domain.RoleMember, CreatedAt: T0, LastSeenAt: T0,
	})
	w.ok(err)
	token := &people.Token{WorkspaceID: "other", Hash: "h1", PersonID: p.ID, KeyHash: "k", CreatedAt: T0, ExpiresAt: T0.Add(time.Minute)}
	w.ok(w.People.InsertToken(ctx, token))
	found, err := w.People.TokenByHash(ctx, "h1")
	w.ok(err)
	w.equal(found, token, "the token")
	w.pass(time.Hour)
	// A token of anyone removes those that have expired: a person who does not come back leaves none.
	w.ok(w.People.InsertToken(ctx, &people.Token{WorkspaceID: "other", Hash: "h0", PersonID: "per_else", KeyHash: "k", CreatedAt: T0, ExpiresAt: T0.Add(1000 * time.Hour)}))
	_, err = w.People.TokenByHash(ctx, "h1")
	w.code(err, domain.CodeNotFound)
	w.ok(w.People.InsertToken(ctx, &people.Token{WorkspaceID: "other", Hash: "h2", PersonID: p.ID, KeyHash: "k", CreatedAt: T0, ExpiresAt: T0.Add(1000 * time.Hour)}))
	for i := range 99 {
		w.ok(w.People.InsertToken(ctx, &people.Token{
			WorkspaceID: "other", Hash: fmt.Sprint("more", i), PersonID: p.ID, KeyHash: "k", CreatedAt: T0, ExpiresAt: T0.Add(1000 * time.Hour),
		}))
	}
	w.code(w.People.InsertToken(ctx, &people.Token{
		WorkspaceID: "other", Hash: "h3", PersonID: p.ID, KeyHash: "k", CreatedAt: T0, ExpiresAt: T0.Add(1000 * time.Hour),
	}), domain.CodeTooMany)
	w.code(w.People.RevokeTokens(ctx, domain.DefaultWorkspace, p.ID), domain.CodeNotFound)
	w.ok(w.People.RevokeTokens(ctx, "other", p.ID))
	_, err = w.People.TokenByHash(ctx, "h2")
	w.code(err, domain.CodeNotFound)
}
