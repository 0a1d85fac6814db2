package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// SignInStore stores sign-ins of browsers. SignInByHash returns a not_found error for an unknown hash.
type SignInStore interface {
	InsertSignIn(ctx context.Context, s *people.SignedIn) error
	SignInByHash(ctx context.Context, hash string) (*people.SignedIn, error)
	SignIns(ctx context.Context, workspace, owner string) ([]*people.SignedIn, error)
	EndSignIn(ctx context.Context, workspace, owner, id string) error
	EndSignIns(ctx context.Context, workspace, owner string) error
}

// Issuer vouches for people (package auth/oidc).
type Issuer interface {
	Issuer() string
	// BearerPerson returns the person of a bearer token.
	BearerPerson(ctx context.Context, token string) (*people.IssuerPerson, error)
}

// SignInConfig configures sign-ins of browsers.
type SignInConfig struct {
	Store     SignInStore
	Issuer    Issuer // nil: people sign in with keys alone
	Cookies   Cookies
	PublicURL string
	Idle      time.Duration // a sign-in that is unused for so long ends
	Lifetime  time.Duration // and each ends after this
	NewID     domain.IDSource
}

const cookiePrefix = "fms_"

// Opened is a new sign-in with its cookie, which cannot be read again.
type Opened struct {
	Identity *Identity
	SignIn   *people.SignedIn
	Cookie   string
}

// SignInByKey signs a browser in with a key: its cookie has the rights of the key, as long as the key is valid.
func (a *Authenticator) SignInByKey(r *http.Request, key string) (*Opened, error) {
	sum := sha256.Sum256([]byte(key))
	id := rootIdentity()
	if !a.isRoot(sum) {
		if _, err := Parse(key); err != nil {
			return nil, errBadKey()
		}
		var err error
		if id, err = a.byKey(r.Context(), sum); err != nil {
			return nil, err
		}
	}
	return a.open(r, &people.SignedIn{
		WorkspaceID: id.Home(), Owner: id.Name, Method: people.SignInKey, KeyHash: hex.EncodeToString(sum[:]),
	})
}

// SignInPerson signs in a person whom the issuer has authenticated.
func (a *Authenticator) SignInPerson(r *http.Request, p *people.IssuerPerson) (*Opened, error) {
	return a.open(r, &people.SignedIn{
		WorkspaceID: p.Workspaces[0], Owner: p.ID, Method: people.SignInOIDC, Name: p.Name, Role: p.Role, Workspaces: p.Workspaces,
		Issuer: p.Issuer,
	})
}

// open creates the sign-in, always with a new cookie (session fixation), and ends the browser's previous sign-in.
func (a *Authenticator) open(r *http.Request, s *people.SignedIn) (*Opened, error) {
	if err := a.EndThis(r); err != nil {
		return nil, err
	}
	person, err := a.personSigningIn(r.Context(), s)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // ends the program rather than fail
	cookie := cookiePrefix + encode(secret, secretLength)
	now := a.config.Clock()
	s.ID, s.Hash, s.Browser = a.config.SignIns.NewID(domain.PrefixSignIn), Hash(cookie), browserOf(r)
	s.CreatedAt, s.LastUsedAt, s.ExpiresAt = now, now, now.Add(a.config.SignIns.Lifetime)
	if err = a.config.SignIns.Store.InsertSignIn(r.Context(), s); err != nil {
		return nil, fmt.Errorf("store the sign-in: %w", err)
	}
	id, err := a.bySignIn(r.Context(), sha256.Sum256([]byte(cookie)))
	if err != nil {
		return nil, err
	}
	id.Person = person
	return &Opened{Identity: id, SignIn: s, Cookie: cookie}, nil
}

// personSigningIn is the id of the person of a sign-in. One who is blocked is refused.
func (a *Authenticator) personSigningIn(ctx context.Context, s *people.SignedIn) (string, error) {
	id, err := a.restsOn(ctx, s)
	if err != nil {
		return "", err
	}
	id.Workspace = s.WorkspaceID
	err = a.addPerson(ctx, id)
	return id.Person, err
}

func browserOf(r *http.Request) string {
	const most = 300
	name := strings.ToValidUTF8(r.UserAgent(), "?")
	return strings.ToValidUTF8(name[:min(len(name), most)], "")
}

// byCookie returns the identity of the cookie; nil without a cookie.
func (a *Authenticator) byCookie(r *http.Request) (*Identity, error) {
	if a.config.SignIns.Store == nil {
		return nil, nil
	}
	cookie, several := a.config.SignIns.Cookies.one(r, signInCookie)
	switch {
	case several:
		return nil, domain.Errorf(domain.CodeUnauthenticated, "The browser sent several cookies of the same name. Delete this site's cookies and sign in again.")
	case cookie == "":
		return nil, nil
	case !isCookie(cookie):
		return nil, errSignedOut()
	}
	if err := a.checkOrigin(r); err != nil {
		return nil, err
	}
	id, err := a.bySignIn(r.Context(), sha256.Sum256([]byte(cookie)))
	if err != nil {
		return nil, err
	}
	if id.Role == domain.RoleRoot {
		return a.choose(r, id)
	}
	return a.within(r, id)
}

func isCookie(text string) bool {
	secret, ok := strings.CutPrefix(text, cookiePrefix)
	return ok && len(secret) == secretLength && plain(secret)
}

func errSignedOut() error {
	return domain.Errorf(domain.CodeUnauthenticated, "Your sign-in has ended. Sign in again; unsaved text is kept.")
}

// bySignIn returns the identity of a cookie, if the sign-in and its key or issuer are still valid.
func (a *Authenticator) bySignIn(ctx context.Context, sum [sha256.Size]byte) (*Identity, error) {
	s, err := a.cache.signIn(ctx, a.config.SignIns.Store, sum)
	if err != nil {
		return nil, err
	}
	if s == nil || s.Over(a.config.Clock(), a.config.SignIns.Idle) {
		return nil, errSignedOut()
	}
	id, err := a.restsOn(ctx, s)
	if err != nil {
		return nil, err
	}
	id.SignIn, id.holder, id.hash = s, people.HolderSignIn, sum
	a.config.Uses.note(useName{s.WorkspaceID, s.ID, usedSignIn})
	return id, nil
}

// restsOn returns the identity that a sign-in represents: that of its key, or the person, as long as this server
// trusts the issuer.
func (a *Authenticator) restsOn(ctx context.Context, s *people.SignedIn) (*Identity, error) {
	if s.Method == people.SignInOIDC {
		if a.config.SignIns.Issuer == nil || a.config.SignIns.Issuer.Issuer() != s.Issuer || len(s.Workspaces) == 0 {
			return nil, errSignedOut()
		}
		return &Identity{
			Workspace: s.WorkspaceID, Role: s.Role, Name: s.Owner, Title: s.Name, Method: MethodOIDC, workspaces: s.Workspaces,
		}, nil
	}
	var sum [sha256.Size]byte
	raw, err := hex.DecodeString(s.KeyHash)
	if err != nil || copy(sum[:], raw) != len(sum) {
		return nil, errSignedOut()
	}
	if s.Owner == NameRoot {
		if !a.isRoot(sum) {
			return nil, errSignedOut()
		}
		return rootIdentity(), nil
	}
	return a.byKey(ctx, sum)
}

// SignInsOf lists the caller's sign-ins.
func (a *Authenticator) SignInsOf(ctx context.Context, id *Identity) ([]*people.SignedIn, error) {
	all, err := a.config.SignIns.Store.SignIns(ctx, id.Home(), id.Name)
	if err != nil {
		return nil, fmt.Errorf("list the sign-ins: %w", err)
	}
	now, open := a.config.Clock(), all[:0]
	for _, s := range all {
		if !s.Over(now, a.config.SignIns.Idle) {
			open = append(open, s)
		}
	}
	return open, nil
}

// EndSignIn ends one of the caller's; all of them with the id "".
func (a *Authenticator) EndSignIn(ctx context.Context, id *Identity, signIn string) error {
	defer a.Changed()
	store := a.config.SignIns.Store
	if signIn == "" {
		return store.EndSignIns(ctx, id.Home(), id.Name) //nolint:wrapcheck // the store's own words
	}
	return store.EndSignIn(ctx, id.Home(), id.Name, signIn) //nolint:wrapcheck // the store's own words
}

// EndThis ends the browser's sign-in, if there is one.
func (a *Authenticator) EndThis(r *http.Request) error {
	cookie, _ := a.config.SignIns.Cookies.one(r, signInCookie)
	if !isCookie(cookie) {
		return nil
	}
	s, err := a.cache.signIn(r.Context(), a.config.SignIns.Store, sha256.Sum256([]byte(cookie)))
	if err != nil || s == nil {
		return err
	}
	defer a.Changed()
	err = a.config.SignIns.Store.EndSignIn(r.Context(), s.WorkspaceID, s.Owner, s.ID)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil // it ended in the meantime
	}
	return err //nolint:wrapcheck // the store's own words
}
