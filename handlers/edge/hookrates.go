package edge

import (
	"net/http"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// hookRates bound the calls of webhooks. Behind a proxy everybody has one address, so a
// call with a good token counts for its automation alone, and only those without one for
// the address: forged calls, however many, keep no genuine one out.
type hookRates struct {
	Genuine *limiter // by automation
	Forged  *limiter // by address
	refused *refusals
}

func newHookRates(now clock.Clock, limits RateLimits, refused *refusals) hookRates {
	return hookRates{
		Genuine: newLimiter(now, limits.HooksPerSecond, limits.HooksBurst),
		Forged:  newLimiter(now, limits.HooksPerSecond, limits.HooksBurst),
		refused: refused,
	}
}

// Admit applies the rate limits to a call of an automation's webhook, given the result of the check of its token.
// It returns the error for the caller, or nil if the call may proceed.
func (h hookRates) Admit(w http.ResponseWriter, r *http.Request, automation string, outcome error) error {
	bucket, name := h.Genuine, automation
	switch {
	case domain.ErrorCode(outcome) == domain.CodeNotFound:
		bucket, name = h.Forged, LimitKey(r)
	case outcome != nil:
		return outcome
	}
	if wait, ok := bucket.Take(name); !ok {
		return h.refused.TooMany(w, r, wait)
	}
	return outcome
}
