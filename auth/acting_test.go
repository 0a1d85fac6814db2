package auth

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// program is a server with people, and an admin's key that may act for its users.
func program(t *testing.T) (a *Authenticator, s *stores, r *rows, key string, k *people.Key) {
	t.Helper()
	a, s, r, _ = withPeople(t, rootKey)
	key, k = s.mint("acme", domain.RoleAdmin)
	k.ActsFor = people.ActsForAny
	return a, s, r, key, k
}

// by is a request with a key, for users.
func by(key string, users ...string) *http.Request {
	r := request("localhost", "Bearer "+key, "")
	for _, user := range users {
		r.Header[personHeader] = append(r.Header[personHeader], user)
	}
	return r
}

// TestAProgramActsForItsUsers: each user is a person of their own, with the role member at most, whom the header or a body names.
func TestAProgramActsForItsUsers(t *testing.T) {
	a, _, r, key, k := program(t)
	ada, err := a.Authenticate(by(key, "Ada, customer 4711"))
	if err != nil {
		t.Fatal(err)
	}
	p := r.all["acme "+k.ID+"/Ada, customer 4711"]
	if p == nil || p.Kind != people.PersonActedFor || p.Name != "Ada, customer 4711" || p.Role != domain.RoleMember {
		t.Fatalf("the person is %+v", p)
	}
	if ada.Role != domain.RoleMember || ada.Person != p.ID || ada.Name != p.ID || ada.Title != p.Name {
		t.Errorf("the identity is %+v", ada)
	}
	own, err := a.Authenticate(by(key))
	if err != nil || own.Person == p.ID || own.Role != domain.RoleAdmin {
		t.Fatalf("the program itself: %+v, %v", own, err)
	}
	if same, err := a.ActFor(t.Context(), own, "Ada, customer 4711", "/user"); err != nil || same.Person != p.ID || own.Person == p.ID {
		t.Errorf("by the body: %+v, %v", same, err)
	}
	if same, err := a.ActFor(t.Context(), ada, "Ada, customer 4711", "/user"); err != nil || same != ada {
		t.Errorf("by both: %+v, %v", same, err)
	}
	if _, err := a.ActFor(t.Context(), ada, "Bea", "/user"); domain.ErrorCode(err) != domain.CodeInvalid {
		t.Errorf("two different users: %v", err)
	}
	if err := a.Still(t.Context(), ada); err != nil {
		t.Errorf("what lasts: %v", err)
	}
}

// TestUsersThatCannotBe: each bad header has an error of its own, and creates no person.
func TestUsersThatCannotBe(t *testing.T) {
	a, s, r, key, _ := program(t)
	plainKey, _ := s.mint("acme", domain.RoleMember)
	for name, c := range map[string]struct {
		r    *http.Request
		want domain.Code
	}{
		"without the right":          {by(plainKey, "ada"), domain.CodeMayNotActFor},
		"the root key":               {by(rootKey, "ada"), domain.CodeMayNotActFor},
		"empty":                      {by(key, ""), domain.CodeInvalid},
		"a control character":        {by(key, "a\tb"), domain.CodeInvalid},
		"an invisible character":     {by(key, "a\u200bb"), domain.CodeInvalid},
		"no UTF-8":                   {by(key, "a\xff"), domain.CodeInvalid},
		"257 characters":             {by(key, strings.Repeat("é", 257)), domain.CodeInvalid},
		"10,000 characters":          {by(key, strings.Repeat("x", 10_000)), domain.CodeInvalid},
		"the id of another person":   {by(key, "per_0197c0ffee"), domain.CodeInvalid},
		"two of them":                {by(key, "ada", "bea"), domain.CodeInvalid},
		"in another workspace":       {request("localhost", "Bearer "+key, "default"), domain.CodeForbidden},
		"256 characters (it can be)": {by(key, strings.Repeat("é", 256)), ""},
	} {
		if _, err := a.Authenticate(c.r); domain.ErrorCode(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(r.all) != 1 {
		t.Errorf("%d people were created", len(r.all))
	}
}

// TestATokenOfAPerson: a browser calls with it as that person, until it expires, is revoked, or its key no longer holds.
func TestATokenOfAPerson(t *testing.T) {
	a, s, r, key, k := program(t)
	own, err := a.Authenticate(by(key))
	if err != nil {
		t.Fatal(err)
	}
	issue := func() *IssuedToken {
		t.Helper()
		token, err := a.IssueToken(t.Context(), own, "ada", TokenLife)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	refused := func(what, text string, want domain.Code) {
		t.Helper()
		if _, err := a.Authenticate(by(text)); domain.ErrorCode(err) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
	token := issue()
	id, err := a.Authenticate(by(token.Text))
	if err != nil || id.Person != token.Person || id.Name != token.Person || id.Role != domain.RoleMember || id.Workspace != "acme" {
		t.Fatalf("the identity is %+v, %v", id, err)
	}
	if ends := id.TokenEnds(); ends == nil || !ends.Equal(s.now.Add(TokenLife)) || own.TokenEnds() != nil {
		t.Errorf("the token ends at %v", ends)
	}
	if acting, err := a.Authenticate(by(key, "ada")); err != nil || acting.Person != id.Person {
		t.Errorf("the same user by the header: %+v, %v", acting, err)
	}
	if ws := id.Workspaces(); len(ws) != 1 || ws[0] != "acme" {
		t.Errorf("its workspaces are %v", ws)
	}
	refused("altered", token.Text[:len(token.Text)-1]+"!", domain.CodeUnauthenticated)
	refused("unknown", tokenPrefix+strings.Repeat("A", secretLength), domain.CodeUnauthenticated)
	if _, err := a.Authenticate(by(token.Text, "bea")); domain.ErrorCode(err) != domain.CodeMayNotActFor {
		t.Errorf("a token that acts for others: %v", err)
	}
	if _, err := a.IssueToken(t.Context(), id, "bea", TokenLife); domain.ErrorCode(err) != domain.CodeMayNotActFor {
		t.Errorf("a token that issues tokens: %v", err)
	}

	s.now = s.now.Add(TokenLife)
	refused("expired", token.Text, domain.CodeTokenExpired)
	if err := a.Still(t.Context(), id); domain.ErrorCode(err) != domain.CodeTokenExpired {
		t.Errorf("what lasts, with an expired token: %v", err)
	}

	token = issue()
	if err := a.RevokeTokens(t.Context(), own, token.Person); err != nil {
		t.Fatal(err)
	}
	refused("revoked", token.Text, domain.CodeUnauthenticated)

	token = issue()
	p := *r.all["acme "+k.ID+"/ada"]
	p.BlockedAt = &s.now
	r.all["acme "+k.ID+"/ada"] = &p
	a.Changed()
	refused("of a blocked person", token.Text, domain.CodePersonBlocked)
	if _, err := a.IssueToken(t.Context(), own, "ada", TokenLife); domain.ErrorCode(err) != domain.CodePersonBlocked {
		t.Errorf("a new token for a blocked person: %v", err)
	}
	p.BlockedAt = nil
	a.Changed()

	k.RevokedAt = &s.now
	a.Changed()
	refused("of a key that was revoked", token.Text, domain.CodeUnauthenticated)
}

// TestWhoRevokesTokens: an admin those of all, a program those of its own users, and others none.
func TestWhoRevokesTokens(t *testing.T) {
	a, s, r, key, _ := program(t)
	otherKey, other := s.mint("acme", domain.RoleMember)
	other.ActsFor = people.ActsForAny
	memberKey, _ := s.mint("acme", domain.RoleMember)
	ids := map[string]*Identity{}
	for _, text := range []string{key, otherKey, memberKey} {
		id, err := a.Authenticate(by(text))
		if err != nil {
			t.Fatal(err)
		}
		ids[text] = id
	}
	token, err := a.IssueToken(t.Context(), ids[key], "ada", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.RevokeTokens(t.Context(), ids[memberKey], token.Person); domain.ErrorCode(err) != domain.CodeMayNotActFor {
		t.Errorf("a member: %v", err)
	}
	if err := a.RevokeTokens(t.Context(), ids[otherKey], token.Person); domain.ErrorCode(err) != domain.CodeNotFound || len(r.tokens) != 1 {
		t.Errorf("another program: %v, %d tokens are left", err, len(r.tokens))
	}
	if err := a.RevokeTokens(t.Context(), ids[key], token.Person); err != nil || len(r.tokens) != 0 {
		t.Errorf("the program: %v, %d tokens are left", err, len(r.tokens))
	}
}
