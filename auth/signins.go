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
)

// SignInStore keeps the browsers that people signed in with. SignInByHash returns a not_found
// error for a hash that it does not know.
type SignInStore interface {
	InsertSignIn(ctx context.Context, s *domain.SignedIn) error
	SignInByHash(ctx context.Context, hash string) (*domain.SignedIn, error)
	SignIns(ctx context.Context, workspace, owner string) ([]*domain.SignedIn, error)
	EndSignIn(ctx context.Context, workspace, owner, id string) error
	EndSignIns(ctx context.Context, workspace, owner string) error
}

// Issuer vouches for people (package auth/oidc).
type Issuer interface {
	Issuer() string
	// BearerPerson is whom a token in a header stands for.
	BearerPerson(ctx context.Context, token string) (*domain.Person, error)
}

// SignInConfig is about people in browsers.
type SignInConfig struct {
	Store     SignInStore
	Issuer    Issuer // nil: people sign in with keys alone
	Cookies   Cookies
	PublicURL string
	Idle      time.Duration // a sign-in that is not used for so long ends
	Lifetime  time.Duration // and each ends after this
	NewID     domain.IDSource
}

const cookiePrefix = "fms_"

// Opened is a sign-in as it was made, with its cookie, this once.
type Opened struct {
	Identity *Identity
	SignIn   *domain.SignedIn
	Cookie   string
}

// SignInByKey lets a browser in with a key, typed once: it gets a cookie that is worth as much
// as the key, as long as the key is.
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
	return a.open(r, &domain.SignedIn{
		WorkspaceID: id.Home(), Owner: id.Name, Method: domain.SignInKey, KeyHash: hex.EncodeToString(sum[:]),
	})
}

// SignInPerson lets somebody in whom the issuer vouches for.
func (a *Authenticator) SignInPerson(r *http.Request, p *domain.Person) (*Opened, error) {
	return a.open(r, &domain.SignedIn{
		WorkspaceID: p.Workspaces[0], Owner: p.ID, Method: domain.SignInOIDC, Name: p.Name, Role: p.Role, Workspaces: p.Workspaces,
		Issuer: p.Issuer,
	})
}

// open makes the cookie: always a new one, so that a cookie that somebody else put into the
// browser is worth nothing. What the browser had before ends.
func (a *Authenticator) open(r *http.Request, s *domain.SignedIn) (*Opened, error) {
	if err := a.EndThis(r); err != nil {
		return nil, err
	}
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // ends the program rather than fail
	cookie := cookiePrefix + encode(secret, secretLength)
	now := a.config.Clock()
	s.ID, s.Hash, s.Browser = a.config.SignIns.NewID(domain.PrefixSignIn), Hash(cookie), browserOf(r)
	s.CreatedAt, s.LastUsedAt, s.ExpiresAt = now, now, now.Add(a.config.SignIns.Lifetime)
	if err := a.config.SignIns.Store.InsertSignIn(r.Context(), s); err != nil {
		return nil, fmt.Errorf("keep the sign-in: %w", err)
	}
	id, err := a.bySignIn(r.Context(), sha256.Sum256([]byte(cookie)))
	if err != nil {
		return nil, err
	}
	return &Opened{Identity: id, SignIn: s, Cookie: cookie}, nil
}

func browserOf(r *http.Request) string {
	const most = 300
	name := strings.ToValidUTF8(r.UserAgent(), "?")
	return strings.ToValidUTF8(name[:min(len(name), most)], "")
}

// byCookie is nil for a request without a cookie.
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
	if err := a.ownPage(r); err != nil {
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
	return domain.Errorf(domain.CodeUnauthenticated, "This browser is not signed in any more. Sign in again; what you have written is kept.")
}

// bySignIn is who has a cookie, as long as the sign-in holds, and what it rests on.
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
	id.SignIn, id.holder, id.hash = s, domain.HolderSignIn, sum
	a.config.Uses.note(useName{s.WorkspaceID, s.ID, true})
	return id, nil
}

// restsOn is whom a sign-in stands for: its key, or the person whom the issuer vouched for, as
// long as this server trusts that issuer.
func (a *Authenticator) restsOn(ctx context.Context, s *domain.SignedIn) (*Identity, error) {
	if s.Method == domain.SignInOIDC {
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

// SignInsOf lists the caller's.
func (a *Authenticator) SignInsOf(ctx context.Context, id *Identity) ([]*domain.SignedIn, error) {
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

// EndThis ends what the browser is signed in with, if it is.
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
