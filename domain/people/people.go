package people

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// IssuerPerson is a person as identified by an OpenID Connect issuer, with their access.
type IssuerPerson struct {
	ID         string // made of issuer and subject: the same at each sign-in
	Issuer     string
	Name       string
	Role       domain.Role
	Workspaces []string  // those that are open to the person; the first is where they come in
	Until      time.Time // of the token that said so
}

// SignInMethod is how a person signed in.
type SignInMethod string

const (
	SignInOIDC SignInMethod = "oidc"
	SignInKey  SignInMethod = "key"
)

// SignedIn is a browser with a sign-in. Only the hash of its cookie is stored.
type SignedIn struct {
	ID          string
	WorkspaceID string // where the person comes in
	Owner       string // the person's id, the key's, or that of the root key
	Hash        string // hex SHA-256 of the cookie
	Method      SignInMethod
	// Name, Role, Workspaces and Issuer are what the issuer said. Who signed in with a key
	// has what the key has, each time.
	Name       string
	Role       domain.Role
	Workspaces []string
	Issuer     string
	KeyHash    string // of the key; the sign-in holds as long as it does
	Browser    string // the browser's own name
	CreatedAt  time.Time
	LastUsedAt time.Time // to the minute
	ExpiresAt  time.Time
}

// MaxSignIns bounds the browsers that one person, or key, is signed in with: one more ends
// the one that was used longest ago.
const MaxSignIns = 50

// Over reports whether the sign-in has expired: it is too old, or was unused for too long.
func (s *SignedIn) Over(now time.Time, idle time.Duration) bool {
	return !now.Before(s.ExpiresAt) || !now.Before(s.LastUsedAt.Add(idle))
}

// SignInUse is the last use of a sign-in.
type SignInUse struct {
	WorkspaceID string
	SignInID    string
	At          time.Time
}
