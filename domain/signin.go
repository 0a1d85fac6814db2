package domain

import "time"

// ConnectorGrant is what came of a person's sign-in to the server of a connector, or of one
// that is not finished.
type ConnectorGrant struct {
	WorkspaceID string
	ConnectorID string
	// Origin is where it may be sent: what is sealed opens for no other.
	Origin string
	Sealed string
	// StateHash finds a sign-in that was begun, and BegunBy is who did.
	StateHash string
	BegunBy   Author
	UpdatedAt time.Time
	// Version is bumped by every write, and a write is conditional on it. 0: it is not
	// stored yet.
	Version int64
}

// SignIn is a sign-in that was begun: a person opens URL, agrees there, and comes back.
type SignIn struct {
	URL       string
	Redirect  string // where they come back to
	ExpiresAt time.Time
}

// SignInOfBrowser begins the state of a sign-in that a browser began: no other one may finish it.
const SignInOfBrowser = "browser-"

// SignInAnswer is what a person comes back with. Error is why they do not bring a code.
type SignInAnswer struct {
	State, Code, Issuer, Error string
}
