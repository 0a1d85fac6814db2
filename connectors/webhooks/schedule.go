package webhooks

import (
	"math/rand/v2"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// delays are the waits between the tries of an event: ten tries, the last one three days
// after the first.
var delays = [domain.WebhookTries - 1]time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	6 * time.Hour, 12 * time.Hour, 20 * time.Hour, 31*time.Hour + 24*time.Minute,
}

const (
	// maxRetryAfter is the longest that a receiver is left alone because it asked for it.
	maxRetryAfter = 24 * time.Hour
	// throttled is how long it is left alone where it did not say for how long.
	throttled = 30 * time.Second
)

// delay is the wait after so many tries, give or take a tenth: receivers that failed
// together are not tried together.
func delay(tries int) time.Duration {
	d := delays[min(tries, len(delays))-1]
	return d*9/10 + rand.N(d/5)
}
