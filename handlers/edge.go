package handlers

import "github.com/fermata-dev/fermata/auth"

// edge is what all handlers share: how a request comes in and an answer goes out, and
// what is kept between requests about who makes them.
type edge struct {
	Edge
	tickets   *auth.Tickets
	keys      *limiter
	failures  *limiter
	callbacks *limiter // sign-ins that come back from the issuer, and fail
	hooks     hookRates
	refused   *refusals
	unread    *ledger // answers that are not read yet
	open      *tally  // event streams
	limits    RateLimits
	protocols doors
	path      publicPath
	deep      chan struct{} // a place for each who works aside
}

func newEdge(c Edge, protocols []ProtocolRoute) *edge {
	limits, refused := c.RateLimits.orDefault(), &refusals{}
	return &edge{
		Edge:      c,
		tickets:   auth.NewTickets(c.Clock, c.Tickets),
		keys:      newLimiter(c.Clock, limits.PerSecond, limits.Burst),
		failures:  newLimiter(c.Clock, limits.FailuresPerSecond, limits.FailuresBurst),
		callbacks: newLimiter(c.Clock, limits.FailuresPerSecond, min(limits.FailuresBurst, maxCallbacks)),
		hooks:     newHookRates(c.Clock, limits, refused),
		refused:   refused,
		unread:    newLedger(),
		open:      &tally{open: map[string]int{}},
		limits:    limits,
		protocols: doorsOf(protocols),
		path:      publicPathOf(c.PublicURL),
		deep:      make(chan struct{}, asideAtOnce),
	}
}
