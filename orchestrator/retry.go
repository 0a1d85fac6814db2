package orchestrator

import (
	"math/rand/v2"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// RetryDelay returns the delays of a network retry: those of the settings, the last of which repeats, each
// with up to 20 % jitter, so that sessions that failed together do not return together.
func RetryDelay(retry domain.NetworkRetry) func(attempt int) time.Duration {
	return func(attempt int) time.Duration {
		if len(retry.Delays) == 0 {
			return 30 * time.Second
		}
		delay := time.Duration(retry.Delays[min(max(attempt, 1), len(retry.Delays))-1])
		return delay + time.Duration(rand.Int64N(int64(delay)/5+1))
	}
}
