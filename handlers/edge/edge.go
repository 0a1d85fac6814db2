package edge

import "github.com/fermata-dev/fermata/auth"

// Edge is what all handlers share: how a request comes in and an answer goes out, and
// what is kept between requests about who makes them.
type Edge struct {
	Config
	StreamTickets *auth.Tickets
	keys          *limiter
	Failures      *limiter
	SignInReturns *limiter // sign-ins that come back from the issuer, and fail
	Hooks         hookRates
	Refusals      *refusals
	Ledger        *ledger // answers that are not read yet
	OpenStreams   *tally  // event streams
	Limits        RateLimits
	protocols     doors
	PublicPath    publicPath
	deep          chan struct{} // a place for each who works aside
}

func New(c Config, protocols []ProtocolRoute) *Edge {
	limits, refused := c.RateLimits.orDefault(), &refusals{}
	return &Edge{
		Config:        c,
		StreamTickets: auth.NewTickets(c.Clock, c.Tickets),
		keys:          newLimiter(c.Clock, limits.PerSecond, limits.Burst),
		Failures:      newLimiter(c.Clock, limits.FailuresPerSecond, limits.FailuresBurst),
		SignInReturns: newLimiter(c.Clock, limits.FailuresPerSecond, min(limits.FailuresBurst, maxCallbacks)),
		Hooks:         newHookRates(c.Clock, limits, refused),
		Refusals:      refused,
		Ledger:        newLedger(),
		OpenStreams:   &tally{open: map[string]int{}},
		Limits:        limits,
		protocols:     doorsOf(protocols),
		PublicPath:    publicPathOf(c.PublicURL),
		deep:          make(chan struct{}, asideAtOnce),
	}
}
