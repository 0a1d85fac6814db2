package auth

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// rows are people in memory, by workspace and identity, with their tokens.
type rows struct {
	all    map[string]*people.Person
	tokens map[string]*people.Token
	looks  int
}

func (s *rows) Person(_ context.Context, workspace, id string) (*people.Person, error) {
	for _, p := range s.all {
		if p.WorkspaceID == workspace && p.ID == id {
			return p, nil
		}
	}
	return nil, domain.NotFound("person")
}

func (s *rows) InsertToken(_ context.Context, token *people.Token) error {
	if s.tokens == nil {
		s.tokens = map[string]*people.Token{}
	}
	s.tokens[token.Hash] = token
	return nil
}

func (s *rows) TokenByHash(_ context.Context, hash string) (*people.Token, error) {
	if token := s.tokens[hash]; token != nil {
		return token, nil
	}
	return nil, domain.NotFound("token")
}

func (s *rows) RevokeTokens(_ context.Context, _, person string) error {
	maps.DeleteFunc(s.tokens, func(_ string, token *people.Token) bool { return token.PersonID == person })
	return nil
}

func (s *rows) FindOrCreate(_ context.Context, p *people.Person) (*people.Person, error) {
	s.looks++
	if s.all == nil {
		s.all = map[string]*people.Person{}
	}
	name := p.WorkspaceID + " " + p.Identity
	if s.all[name] == nil {
		created := *p
		created.ID = "per_" + strings.ReplaceAll(name, " ", "_")
		s.all[name] = &created
	}
	return s.all[name], nil
}

// withPeople is a server with people, and a key of the workspace acme.
func withPeople(t *testing.T, root string) (a *Authenticator, s *stores, r *rows, key string) {
	t.Helper()
	s, r = &stores{keys: map[string]*people.Key{}, now: time.Unix(1_800_000_000, 0)}, &rows{}
	a, err := New(Config{RootKey: root, Loopback: true, Keys: s, Workspaces: s, People: r, Clock: func() time.Time { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	if root != "" {
		key, _ = s.mint("acme", domain.RoleMember)
	}
	return a, s, r, key
}

// TestEveryCallerIsAPerson: each way of authentication leads to a person of the chosen workspace.
func TestEveryCallerIsAPerson(t *testing.T) {
	open, _, opened, _ := withPeople(t, "")
	closed, _, closedRows, key := withPeople(t, rootKey)
	for name, c := range map[string]struct {
		a      *Authenticator
		rows   *rows
		r      *http.Request
		kind   people.PersonKind
		prefix string
	}{
		"local":              {open, opened, request("localhost", "", ""), people.PersonLocal, "per_default_local"},
		"local, a workspace": {open, opened, request("localhost", "", "acme"), people.PersonLocal, "per_acme_local"},
		"root":               {closed, closedRows, request("localhost", "Bearer "+rootKey, "acme"), people.PersonRoot, "per_acme_root"},
		"key":                {closed, closedRows, request("localhost", "Bearer "+key, ""), people.PersonKey, "per_acme_key_"},
	} {
		id, err := c.a.Authenticate(c.r)
		if err != nil || !strings.HasPrefix(id.Person, c.prefix) {
			t.Errorf("%s: %+v, %v", name, id, err)
			continue
		}
		if p := c.rows.all[id.Workspace+" "+id.Name]; p.Kind != c.kind || p.Role != id.Role || id.Author().Person != p.ID {
			t.Errorf("%s: the person is %+v", name, p)
		}
	}
}

// TestAPersonIsCached: of many requests one looks a person up, and after a few seconds another.
func TestAPersonIsCached(t *testing.T) {
	a, s, r, key := withPeople(t, rootKey)
	come := func() {
		t.Helper()
		if _, err := a.Authenticate(request("localhost", "Bearer "+key, "")); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		come()
	}
	if r.looks != 1 {
		t.Errorf("%d look-ups of five requests", r.looks)
	}
	s.now = s.now.Add(cacheTTL)
	if come(); r.looks != 2 {
		t.Errorf("%d look-ups when the cached person had expired", r.looks)
	}
}

// TestABlockedPersonIsRefused: requests, a sign-in and what lasts, as soon as the cached person has expired.
func TestABlockedPersonIsRefused(t *testing.T) {
	a, s, r, key := withPeople(t, rootKey)
	kept := browsers{}
	a.config.SignIns = SignInConfig{Store: kept, Idle: time.Hour, Lifetime: time.Hour, NewID: func(prefix string) string { return prefix + "_1" }}
	id, err := a.Authenticate(request("localhost", "Bearer "+key, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Still(t.Context(), id); err != nil {
		t.Errorf("before: %v", err)
	}
	blocked := *r.all["acme "+id.Name]
	blocked.BlockedAt = &s.now
	r.all["acme "+id.Name] = &blocked
	a.Changed()
	refused := func(what string, err error) {
		t.Helper()
		if domain.ErrorCode(err) != domain.CodePersonBlocked {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = a.Authenticate(request("localhost", "Bearer "+key, ""))
	refused("a request", err)
	refused("what lasts", a.Still(t.Context(), id))
	refused("a ticket", a.Redeemed(request("localhost", "", ""), id))
	_, err = a.SignInByKey(fromPage(""), key)
	refused("a sign-in", err)
	if len(kept) != 0 {
		t.Error("the sign-in was stored")
	}
}
