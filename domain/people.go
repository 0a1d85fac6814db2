package domain

import "time"

// Person is who an issuer of OpenID Connect says somebody is, and what that admits to.
type Person struct {
	ID         string // made of issuer and subject: the same at each sign-in
	Issuer     string
	Name       string
	Role       Role
	Workspaces []string  // those that are open to the person; the first is where they come in
	Until      time.Time // of the token that said so
}

// SignInMethod is how somebody signed in.
type SignInMethod string

const (
	SignInOIDC SignInMethod = "oidc"
	SignInKey  SignInMethod = "key"
)

// SignedIn is a browser that somebody signed in with. Only the hash of its cookie is kept.
type SignedIn struct {
	ID          string
	WorkspaceID string // where the person comes in
	Owner       string // the person's id, the key's, or that of the root key
	Hash        string // hex SHA-256 of the cookie
	Method      SignInMethod
	// Name, Role, Workspaces and Issuer are what the issuer said. Who signed in with a key
	// has what the key has, each time.
	Name       string
	Role       Role
	Workspaces []string
	Issuer     string
	KeyHash    string // of the key; the sign-in holds as long as it does
	Browser    string // what it calls itself
	CreatedAt  time.Time
	LastUsedAt time.Time // to the minute
	ExpiresAt  time.Time
}

// MaxSignIns bounds the browsers that one person, or key, is signed in with: one more ends
// the one that was used longest ago.
const MaxSignIns = 50

// Over says whether the sign-in has ended by itself: it is too old, or was not used for too
// long.
func (s *SignedIn) Over(now time.Time, idle time.Duration) bool {
	return !now.Before(s.ExpiresAt) || !now.Before(s.LastUsedAt.Add(idle))
}

// SignInUse says when a sign-in was used last.
type SignInUse struct {
	WorkspaceID string
	SignInID    string
	At          time.Time
}
