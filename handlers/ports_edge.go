package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Authenticator says who makes a request: for which workspace, with which role, and
// under which name (the key's id, or "local"). A request without valid credentials is
// a domain error with code unauthenticated.
type Authenticator interface {
	Authenticate(r *http.Request) (workspace string, role domain.Role, name string, err error)
}

// IdempotencyStore keeps the answers to requests that carried an Idempotency-Key.
type IdempotencyStore interface{}

// Streams is the broker of live events, as the streams use it.
type Streams interface{}

// Metrics counts what passes. Optional.
type Metrics interface {
	// Request is called once for each request that is over; route is the pattern of the
	// route ("/v1/sessions/{id}"), never the path.
	Request(route, method string, status int, took time.Duration)
	// Stream is called with +1 and -1 as event streams open and close.
	Stream(delta int)
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
