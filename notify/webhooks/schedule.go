package webhooks

import (
	"math/rand/v2"
	"time"

	"github.com/fermata-dev/fermata/domain/outside"
)

// delays are the delays between the attempts at an event: ten attempts, the last one three days
// after the first.
var delays = [outside.WebhookTries - 1]time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	6 * time.Hour, 12 * time.Hour, 20 * time.Hour, 31*time.Hour + 24*time.Minute,
}

const (
	// maxRetryAfter bounds the Retry-After of a receiver.
	maxRetryAfter = 24 * time.Hour
	// throttled is the pause after a 429 without Retry-After.
	throttled = 30 * time.Second
)

// delay returns the delay after a number of attempts, with 10 % jitter, so that receivers that
// failed together are not retried together.
func delay(tries int) time.Duration {
	d := delays[min(tries, len(delays))-1]
	return d*9/10 + rand.N(d/5)
}
