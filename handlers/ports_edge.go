package handlers

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/stream"
)

// Authenticator says who makes a request (package auth). A request without valid
// credentials is a domain error with code unauthenticated.
type Authenticator interface {
	Authenticate(r *http.Request) (*auth.Identity, error)
	// Redeemed looks whether the holder of a ticket may still come, and in this way.
	Redeemed(r *http.Request, id *auth.Identity) error
	// LocalPeer says whether a program on this machine asks, directly.
	LocalPeer(r *http.Request) bool
	// Still says whether an identity holds now: streams that live for long ask again.
	Still(ctx context.Context, id *auth.Identity) error
	// Changed drops cached credentials, after a key was created or revoked on this node.
	Changed()
}

// SignIns lets people's browsers in, and out (package auth).
type SignIns interface {
	SignInByKey(r *http.Request, key string) (*auth.Opened, error)
	SignInPerson(r *http.Request, p *people.Person) (*auth.Opened, error)
	SignInsOf(ctx context.Context, id *auth.Identity) ([]*people.SignedIn, error)
	// EndSignIn ends one of the caller's; all of them with the id "".
	EndSignIn(ctx context.Context, id *auth.Identity, signIn string) error
	// EndThis ends what the browser is signed in with, if it is.
	EndThis(r *http.Request) error
}

// Issuer is where people sign in (package auth/oidc).
type Issuer interface {
	Issuer() string
	// Begin gives the address at the issuer, and what the browser has to remember.
	Begin(ctx context.Context, returnTo string) (to, cookie string, err error)
	// Finish reads what the issuer sent the browser back with.
	Finish(ctx context.Context, cookie string, query url.Values) (person *people.Person, returnTo string, err error)
}

// Streams is the broker of live events (package stream), as the handlers use it.
type Streams interface {
	Reader(log stream.Log, f stream.Filter) *stream.Reader
	Heartbeat(sessions []string, now time.Time)
	Load() stream.Load
}

// Metrics counts what passes. Optional.
type Metrics interface {
	// Request is called once for each request that is over; route is the pattern of the
	// route ("/v1/sessions/{id}"), never the path.
	Request(route, method string, status int, took time.Duration)
	// Stream is called with +1 and -1 as event streams open and close.
	Stream(delta int)
	// SignIn is called for each attempt of a person: by "oidc" or "key"; outcome is "ok" or the
	// code of the problem.
	SignIn(method, outcome string)
	// StreamReset is called when a cursor was of no use.
	StreamReset()
}

// Health says whether the server can do its work.
type Health interface {
	Ping(ctx context.Context) error
}

// VersionInfo is what GET /version says.
type VersionInfo struct {
	Version string
	Commit  string
	BuiltAt string // RFC 3339; empty: unknown
}
