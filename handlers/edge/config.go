package edge

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Config is what every request passes: who calls, what is repeated, what is measured.
type Config struct {
	Auth        Authenticator
	Idempotency IdempotencyStore
	Tickets     auth.TicketStore
	Metrics     Metrics // optional
	Log         zerolog.Logger
	Clock       clock.Clock
	// Draining says that the server is shutting down: not ready, no new work. Optional.
	Draining func() bool
	// Origins of pages that may use the API beside the server's own. Optional.
	Origins auth.Origins
	// RateLimits bound what one caller may ask. Optional: see there for what holds then.
	RateLimits RateLimits
	Cookies    auth.Cookies
	// PublicURL is where browsers reach the server, without a / at the end; empty: the address
	// that the request came to.
	PublicURL string
	// Language is that of a workspace, for callers who prefer none; "": it could not be read. Optional.
	Language func(ctx context.Context, workspace string) string
}
