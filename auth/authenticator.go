package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/clock"
)

// KeyStore finds keys. KeyByHash returns a not_found error, or nil, for a hash that
// it does not know; a revoked key comes with RevokedAt set, or not at all. AnyKey says
// whether a key was ever made, revoked or not.
type KeyStore interface {
	KeyByHash(ctx context.Context, hash string) (*people.Key, error)
	AnyKey(ctx context.Context) (bool, error)
}

// WorkspaceStore knows which workspaces there are.
type WorkspaceStore interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// Config of an Authenticator.
type Config struct {
	RootKey string // empty: none
	// Loopback: the server listens on loopback addresses only.
	Loopback bool
	// Public: others reach the server all the same, through a proxy (its public URL is not
	// a loopback one). It is never open then.
	Public bool
	// Origins of pages that may use the API beside the server's own. Optional.
	Origins Origins
	// Nodes: other processes on the same database make keys too.
	Nodes      bool
	Keys       KeyStore
	Workspaces WorkspaceStore
	People     personStore // optional: without it identities have no Person
	Uses       *Uses       // optional
	SignIns    SignInConfig
	Clock      clock.Clock
}

const (
	minRootKey      = 32
	minRootKeyChars = 10 // different ones: 32 random hexadecimal digits practically always have them
)

// CheckRootKey rejects a root key that could be guessed. The empty key, which means none, is accepted.
func CheckRootKey(key string) error {
	const hint = "make one with `openssl rand -hex 32`"
	if key == "" {
		return nil
	}
	if len(key) < minRootKey {
		return fmt.Errorf("the root key (FERMATA_ROOT_KEY) has %d characters, and needs at least %d: %s", len(key), minRootKey, hint)
	}
	different := map[rune]struct{}{}
	for _, c := range key {
		different[c] = struct{}{}
	}
	if len(different) < minRootKeyChars {
		return fmt.Errorf(
			"the root key (FERMATA_ROOT_KEY) is made of only %d different characters, and could be guessed: %s",
			len(different),
			hint,
		)
	}
	return nil
}

// WorkspaceHeader chooses the workspace where the credential does not.
const WorkspaceHeader = "Fermata-Workspace"

// Authenticator says who makes a request.
type Authenticator struct {
	config Config
	root   [sha256.Size]byte // hash of the root key
	cache  *credentials
}

// New refuses a root key that could be guessed.
func New(c Config) (*Authenticator, error) {
	if err := CheckRootKey(c.RootKey); err != nil {
		return nil, err
	}
	if c.Clock == nil {
		c.Clock = clock.System
	}
	return &Authenticator{config: c, root: sha256.Sum256([]byte(c.RootKey)), cache: newCredentials(c.Clock, c.Nodes)}, nil
}

// CheckStart refuses to open a server to others that would let everybody in.
func (a *Authenticator) CheckStart(ctx context.Context) error {
	if a.config.RootKey != "" || a.config.SignIns.Issuer != nil || a.config.Loopback && !a.config.Public {
		return nil
	}
	made, err := a.cache.anyKey(ctx, a.config.Keys, time.Time{})
	if err != nil || made {
		return err
	}
	if a.config.Loopback {
		return errors.New(
			"FERMATA_PUBLIC_URL says that others reach this server, and no credentials are configured: set FERMATA_ROOT_KEY to a secret of 32 characters or more, or leave FERMATA_PUBLIC_URL out",
		)
	}
	return errors.New(
		"this address can be reached from the network, and no credentials are configured: set FERMATA_ROOT_KEY to a secret of 32 characters or more, or listen on 127.0.0.1",
	)
}

// Open reports whether programs on this machine need no credentials now: the server listens on loopback only, is not
// public, has neither root key nor issuer, and never had a key.
func (a *Authenticator) Open(ctx context.Context) (bool, error) {
	return a.openAt(ctx, time.Time{})
}

// OpenCached is Open for frequent, informational calls: the first key of another node may be seen five seconds late.
// It returns false on an error.
func (a *Authenticator) OpenCached(ctx context.Context) bool {
	open, err := a.openAt(ctx, a.config.Clock())
	return open && err == nil
}

// openAt is Open. at is when a cached value must still be valid; with zero, cached values are used for own keys only.
func (a *Authenticator) openAt(ctx context.Context, at time.Time) (bool, error) {
	if a.config.RootKey != "" || a.config.SignIns.Issuer != nil || !a.config.Loopback || a.config.Public {
		return false, nil
	}
	made, err := a.cache.anyKey(ctx, a.config.Keys, at)
	return !made && err == nil, err
}

// Changed makes this process forget what it remembers of keys, after one was made or
// revoked here. Other nodes remember for five seconds at most.
func (a *Authenticator) Changed() { a.cache.clear() }

// Authenticate says who makes the request. Its errors are domain errors:
// unauthenticated, forbidden (a workspace that the credential is not for, or a web
// page at the open door), person_blocked and not_found (no such workspace).
func (a *Authenticator) Authenticate(r *http.Request) (*Identity, error) {
	id, err := a.identify(r)
	if err == nil {
		err = a.actForHeader(r, id)
	}
	if err == nil {
		err = a.addPerson(r.Context(), id)
	}
	if err != nil {
		return nil, err
	}
	return id, nil
}

func (a *Authenticator) identify(r *http.Request) (*Identity, error) {
	token, given, err := bearer(r)
	if err != nil {
		return nil, err
	}
	if given {
		return a.byToken(r, token)
	}
	id, refused := a.byCookie(r)
	if id != nil || refused != nil && domain.ErrorCode(refused) != domain.CodeUnauthenticated {
		return id, refused
	}
	open, err := a.Open(r.Context())
	switch {
	case err != nil:
		return nil, err
	case !open && refused != nil:
		return nil, refused
	case !open:
		return nil, domain.Errorf(domain.CodeUnauthenticated, "Send a key of this server: Authorization: Bearer fmt_…%s", a.wayBack())
	}
	if err := a.localRequest(r); err != nil {
		return nil, err
	}
	return a.choose(r, &Identity{Role: domain.RoleRoot, Name: NameLocal, Method: MethodLocal})
}

// wayBack is the hint for the owner of the machine if all keys are lost.
func (a *Authenticator) wayBack() string {
	if a.config.RootKey != "" || !a.config.Loopback {
		return ""
	}
	return " If all keys are lost, set FERMATA_ROOT_KEY and start the server again."
}

func (a *Authenticator) byToken(r *http.Request, token string) (*Identity, error) {
	// Hashes are compared, never secrets: the time reveals nothing, not even the length of the root key.
	sum := sha256.Sum256([]byte(token))
	if a.isRoot(sum) {
		return a.choose(r, rootIdentity())
	}
	if isPersonToken(token) {
		id, err := a.byPersonToken(r.Context(), sum)
		if err != nil {
			return nil, err
		}
		return a.within(r, id)
	}
	if _, err := Parse(token); err == nil {
		id, err := a.byKey(r.Context(), sum)
		if err != nil {
			return nil, err
		}
		return a.within(r, id)
	}
	if a.config.SignIns.Issuer == nil || strings.Count(token, ".") != 2 {
		return nil, errBadKey()
	}
	person, err := a.config.SignIns.Issuer.BearerPerson(r.Context(), token)
	if err != nil {
		return nil, fmt.Errorf("a token of the issuer: %w", err)
	}
	return a.within(r, &Identity{
		Workspace: person.Workspaces[0], Role: person.Role, Name: person.ID, Title: person.Name, Method: MethodOIDC,
		workspaces: person.Workspaces, holder: people.HolderToken, until: person.Until,
	})
}

func (a *Authenticator) isRoot(sum [sha256.Size]byte) bool {
	return a.config.RootKey != "" && same(sum, a.root)
}

func rootIdentity() *Identity {
	return &Identity{Role: domain.RoleRoot, Name: NameRoot, Method: MethodRoot}
}

func (a *Authenticator) byKey(ctx context.Context, sum [sha256.Size]byte) (*Identity, error) {
	key, err := a.cache.key(ctx, a.config.Keys, sum)
	if err != nil {
		return nil, err
	}
	if err := a.holds(key); err != nil {
		return nil, err
	}
	return &Identity{
		Workspace: key.WorkspaceID, Role: key.Role, Name: key.ID, Title: key.Name, Method: MethodKey, Key: key, hash: sum,
	}, nil
}

// within rejects a request for a workspace of others; only root may choose any.
func (a *Authenticator) within(r *http.Request, id *Identity) (*Identity, error) {
	asked := r.Header.Get(WorkspaceHeader)
	if asked == "" || asked == id.Workspace {
		return id, nil
	}
	if id.Key != nil {
		return nil, domain.Errorf(
			domain.CodeForbidden,
			"This key is for another workspace. Leave the header %s out, or use a key of that workspace.",
			WorkspaceHeader,
		)
	}
	if !slices.Contains(id.workspaces, asked) {
		return nil, domain.Errorf(domain.CodeForbidden, "This workspace is not one of yours. GET /v1/me lists those that are.")
	}
	return a.choose(r, id)
}

// choose takes the workspace from the header.
func (a *Authenticator) choose(r *http.Request, id *Identity) (*Identity, error) {
	id.Workspace = r.Header.Get(WorkspaceHeader)
	if id.Workspace == "" {
		id.Workspace = domain.DefaultWorkspace
	}
	if err := a.cache.workspace(r.Context(), a.config.Workspaces, id.Workspace); err != nil {
		return nil, err
	}
	return id, nil
}

// holds rejects a key that is unknown, revoked or expired. The error for an expired key may be specific, since only
// its owner can have it.
func (a *Authenticator) holds(key *people.Key) error {
	if key == nil {
		return errBadKey()
	}
	if key.Expired(a.config.Clock()) {
		return domain.Errorf(
			domain.CodeUnauthenticated,
			"This key expired on %s. Ask an admin of the workspace for a new one.",
			key.ExpiresAt.UTC().Format("2 January 2006 at 15:04 UTC"),
		)
	}
	a.config.Uses.note(useName{key.WorkspaceID, key.ID, usedKey})
	return nil
}

// Redeemed looks whether who got a ticket may still come, and in this way.
func (a *Authenticator) Redeemed(r *http.Request, id *Identity) error {
	if err := a.stillHolds(r.Context(), id); err != nil {
		return err
	}
	if id.Name == NameLocal && id.holder == people.HolderKey {
		if err := a.localRequest(r); err != nil {
			return err
		}
	}
	return a.addPerson(r.Context(), id)
}

// Still says whether an identity holds now: a stream that lives for hours asks again.
func (a *Authenticator) Still(ctx context.Context, id *Identity) error {
	if err := a.stillHolds(ctx, id); err != nil || id.Person == "" || a.config.People == nil {
		return err
	}
	_, err := a.personOf(ctx, id)
	return err
}

// stillHolds is Still for the credentials alone.
func (a *Authenticator) stillHolds(ctx context.Context, id *Identity) error {
	switch id.holder {
	case people.HolderSignIn:
		_, err := a.bySignIn(ctx, id.hash)
		return err
	case people.HolderPerson:
		_, err := a.byPersonToken(ctx, id.hash)
		return err
	case people.HolderToken:
		if !a.config.Clock().Before(id.until) {
			return domain.Errorf(domain.CodeTokenExpired, "The issuer's token has ended. Come with a new one.")
		}
		return nil
	}
	switch id.Name {
	case NameLocal:
		open, err := a.Open(ctx)
		if err == nil && !open {
			return domain.Errorf(domain.CodeUnauthenticated, "This server asks for a key now.")
		}
		return err
	case NameRoot:
		return nil // as long as the process lives
	}
	key, err := a.cache.key(ctx, a.config.Keys, id.hash)
	if err != nil {
		return err
	}
	if key != nil && key.WorkspaceID != id.Workspace {
		return errBadKey()
	}
	return a.holds(key)
}

func errBadKey() error {
	return domain.Errorf(domain.CodeUnauthenticated, "This key is not known, or was revoked.")
}

// bearer takes the token from the Authorization header.
func bearer(r *http.Request) (token string, given bool, err error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return "", false, nil
	}
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", true, domain.Errorf(domain.CodeUnauthenticated, "The Authorization header must read: Bearer, a space, and a key.")
	}
	return token, true, nil
}
