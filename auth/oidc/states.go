package oidc

import (
	"sync"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
)

// maxStates bounds what is remembered of sign-ins that have ended.
const maxStates = 20_000

// usedStates remembers which sign-ins have ended, for as long as they could be ended again. On
// other nodes it is the issuer that takes no code twice.
type usedStates struct {
	clock clock.Clock
	mu    sync.Mutex
	until map[string]time.Time
}

func (u *usedStates) first(state string) bool {
	now := u.clock()
	u.mu.Lock()
	defer u.mu.Unlock()
	if until, ok := u.until[state]; ok && now.Before(until) {
		return false
	}
	if len(u.until) >= maxStates {
		for other, until := range u.until {
			if !now.Before(until) {
				delete(u.until, other)
			}
		}
		if len(u.until) >= maxStates {
			clear(u.until)
		}
	}
	u.until[state] = now.Add(2 * BeginsFor)
	return true
}
