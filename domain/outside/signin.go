package outside

import "time"
import "github.com/fermata-dev/fermata/domain"

// ConnectorGrant is a person's sign-in to a connector's server, finished or pending.
type ConnectorGrant struct {
	WorkspaceID string
	ConnectorID string
	// Origin is where it may be sent: what is sealed opens for no other.
	Origin string
	Sealed string
	// StateHash finds a sign-in that was begun, and BegunBy is who did.
	StateHash string
	BegunBy   domain.Author
	UpdatedAt time.Time
	// Version is bumped by every write, and a write is conditional on it. 0: it is not
	// stored yet.
	Version int64
}

// SignIn is a sign-in that has begun: the person opens URL, agrees there, and is sent back.
type SignIn struct {
	URL       string
	ExpiresAt time.Time
	// Bound: only the browser that began the sign-in may finish it.
	Bound bool
}

// SignInBrowser is the browser that begins a sign-in. The zero value is for programs: the person can
// finish the sign-in in any browser, after a page that names the connector and asks for confirmation.
type SignInBrowser struct {
	Host string // under which the browser reaches this server
	Hash string // of the secret in the browser's cookie
}

// SignInOfBrowser is the prefix of the state of a bound sign-in. The hash of the browser's secret follows.
const SignInOfBrowser = "browser-"

// PendingSignIn describes a sign-in that has begun and is not finished, for the confirmation page.
type PendingSignIn struct {
	Connector *Connector
	Server    string // its origin, as the sign-in is bound to it
	BegunBy   domain.Author
}

// SignInAnswer is what the browser returns with. Error is why there is no code.
type SignInAnswer struct {
	State, Code, Issuer, Error string
}
