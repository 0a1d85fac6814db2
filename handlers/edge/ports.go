package edge

import (
	"context"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/auth"
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
	// ActFor returns the identity of the user for whom the caller's program acts, as a body names them at a pointer.
	ActFor(ctx context.Context, id *auth.Identity, user, pointer string) (*auth.Identity, error)
	// Changed drops cached credentials, after a key was created or revoked on this node.
	Changed()
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
