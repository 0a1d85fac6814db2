package auth

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// browsers are sign-ins in memory.
type browsers map[string]*people.SignedIn

func (b browsers) InsertSignIn(_ context.Context, s *people.SignedIn) error {
	b[s.Hash] = s
	return nil
}

func (b browsers) SignInByHash(_ context.Context, hash string) (*people.SignedIn, error) {
	if s := b[hash]; s != nil {
		one := *s
		return &one, nil
	}
	return nil, domain.NotFound("sign-in")
}

func (b browsers) SignIns(_ context.Context, workspace, owner string) (all []*people.SignedIn, err error) {
	for _, s := range b {
		if s.WorkspaceID == workspace && s.Owner == owner {
			all = append(all, s)
		}
	}
	return all, nil
}

func (b browsers) EndSignIn(_ context.Context, workspace, owner, id string) error {
	for hash, s := range b {
		if s.WorkspaceID == workspace && s.Owner == owner && s.ID == id {
			delete(b, hash)
			return nil
		}
	}
	return domain.NotFound("sign-in")
}

func (b browsers) EndSignIns(ctx context.Context, workspace, owner string) error {
	all, err := b.SignIns(ctx, workspace, owner)
	for _, s := range all {
		delete(b, s.Hash)
	}
	return err
}

// trusted is an issuer that supports no operation but its name.
type trusted string

func (i trusted) Issuer() string { return string(i) }

func (i trusted) BearerPerson(context.Context, string) (*people.IssuerPerson, error) {
	return nil, domain.Errorf(domain.CodeTokenInvalid, "no")
}

func peopleSetUp(t *testing.T, issuer Issuer) (*Authenticator, *stores, browsers) {
	t.Helper()
	s, kept := &stores{keys: map[string]*people.Key{}, now: time.Unix(1_800_000_000, 0)}, browsers{}
	n := 0
	a, err := New(Config{
		Keys: s, Workspaces: s, Clock: func() time.Time { return s.now }, Loopback: true,
		SignIns: SignInConfig{
			Store: kept, Issuer: issuer, Idle: time.Hour, Lifetime: 3 * time.Hour,
			NewID: func(prefix string) string { n++; return prefix + "_" + string(rune('0'+n)) },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, s, kept
}

// fromPage is a request of the page itself, with a cookie.
func fromPage(cookie string) *http.Request {
	r := request("localhost", "", "")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if cookie != "" {
		r.AddCookie(&http.Cookie{Name: signInCookie, Value: cookie})
	}
	return r
}

var ada = &people.IssuerPerson{
	ID: "usr_1", Issuer: "https://issuer", Name: "Ada", Role: domain.RoleAdmin, Workspaces: []string{"acme", "default"},
}

// TestASignInEnds verifies that a sign-in ends when it is unused, when it is too old, and when its issuer is no
// longer trusted; its streams end too.
func TestASignInEnds(t *testing.T) {
	a, s, kept := peopleSetUp(t, trusted("https://issuer"))
	open := func() (string, *Identity) {
		t.Helper()
		opened, err := a.SignInPerson(fromPage(""), ada)
		if err != nil {
			t.Fatal(err)
		}
		id, err := a.Authenticate(fromPage(opened.Cookie))
		if err != nil || id.Name != "usr_1" || id.Workspace != "acme" || id.Role != domain.RoleAdmin {
			t.Fatalf("%+v, %v", id, err)
		}
		return opened.Cookie, id
	}
	gone := func(what, cookie string, id *Identity) {
		t.Helper()
		if _, err := a.Authenticate(fromPage(cookie)); domain.ErrorCode(err) != domain.CodeUnauthenticated {
			t.Errorf("%s: %v", what, err)
		}
		if err := a.Still(t.Context(), id); domain.ErrorCode(err) != domain.CodeUnauthenticated {
			t.Errorf("%s, its stream: %v", what, err)
		}
	}
	cookie, id := open()
	if _, secret := kept[cookie]; secret || kept[Hash(cookie)] == nil {
		t.Error("the cookie itself is kept, or nothing of it")
	}
	s.now = s.now.Add(time.Hour)
	gone("not used", cookie, id)

	cookie, id = open()
	for range 5 { // used all the time
		s.now = s.now.Add(30 * time.Minute)
		kept[Hash(cookie)].LastUsedAt = s.now
		if _, err := a.Authenticate(fromPage(cookie)); err != nil {
			t.Fatalf("in use: %v", err)
		}
	}
	s.now = s.now.Add(30 * time.Minute)
	kept[Hash(cookie)].LastUsedAt = s.now
	gone("too old", cookie, id)

	cookie, id = open()
	if err := a.EndSignIn(t.Context(), id, ""); err != nil {
		t.Fatal(err)
	}
	gone("ended everywhere", cookie, id)

	cookie, id = open()
	a.config.SignIns.Issuer = trusted("https://another")
	gone("of another issuer", cookie, id)
	a.config.SignIns.Issuer = nil
	if err := a.Still(t.Context(), id); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("without an issuer: %v", err)
	}
}

// TestAPersonsWorkspaces: those that the issuer named, and no others.
func TestAPersonsWorkspaces(t *testing.T) {
	a, _, _ := peopleSetUp(t, trusted("https://issuer"))
	opened, err := a.SignInPerson(fromPage(""), ada)
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]domain.Code{"": "", "acme": "", "default": "", "other": domain.CodeForbidden, "../acme": domain.CodeForbidden} {
		r := fromPage(opened.Cookie)
		r.Header.Set(WorkspaceHeader, asked)
		id, err := a.Authenticate(r)
		if err != nil && domain.ErrorCode(err) != want || err == nil && want != "" || err == nil && asked != "" && id.Workspace != asked || err == nil && id.Home() != "acme" {
			t.Errorf("%q: %+v, %v", asked, id, err)
		}
	}
}

// TestAServerWithAnIssuerIsNotOpen verifies that no request is treated as the machine's owner on a server with
// sign-in, and that an invalid cookie does not block access to an open server.
func TestAServerWithAnIssuerIsNotOpen(t *testing.T) {
	a, _, _ := peopleSetUp(t, trusted("https://issuer"))
	if _, err := a.Authenticate(fromPage("")); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("without credentials: %v", err)
	}
	a, _, _ = peopleSetUp(t, nil)
	for _, cookie := range []string{"", "fms_old", "x"} {
		if id, err := a.Authenticate(fromPage(cookie)); err != nil || id.Method != MethodLocal {
			t.Errorf("%q on an open server: %+v, %v", cookie, id, err)
		}
	}
}

// TestATicketOfACookie holds as long as the sign-in does.
func TestATicketOfACookie(t *testing.T) {
	a, s, _ := peopleSetUp(t, trusted("https://issuer"))
	opened, err := a.SignInPerson(fromPage(""), ada)
	if err != nil {
		t.Fatal(err)
	}
	tickets := NewTickets(func() time.Time { return s.now }, kept{})
	text, _, err := tickets.Issue(t.Context(), opened.Identity)
	if err != nil {
		t.Fatal(err)
	}
	id, err := tickets.Redeem(t.Context(), text)
	if err != nil || a.Redeemed(fromPage(""), id) != nil {
		t.Fatalf("%+v, %v", id, err)
	}
	if err := a.EndSignIn(t.Context(), opened.Identity, opened.SignIn.ID); err != nil {
		t.Fatal(err)
	}
	if err := a.Redeemed(fromPage(""), id); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("after the sign-in ended: %v", err)
	}
}
