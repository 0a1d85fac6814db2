package rounds

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// What is tried again gives way to the same request that was faster: its commit may be on its
// way for as long as those that are committed together with it.
const (
	conflictPause    = 5 * time.Millisecond // doubled with each try
	maxConflictTries = 8
)

// GiveWay does something again for as long as somebody else who did the same was faster, and
// cannot be seen yet.
func RetryOnConflict(ctx context.Context, attempt func() error) error {
	pause := conflictPause
	for try := 1; ; try++ {
		err := attempt()
		if domain.ErrorCode(err) != domain.CodeConflict || try == maxConflictTries {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err() //nolint:wrapcheck // the caller has gone
		case <-timer.C:
		}
		pause *= 2
	}
}
