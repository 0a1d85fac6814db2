package rounds

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// A concurrent identical request may have been accepted and not committed yet: commits are grouped,
// so that it takes as long as the others of its group.
const (
	conflictPause    = 5 * time.Millisecond // doubled after each attempt
	maxConflictTries = 8
)

// RetryOnConflict retries while a concurrent identical request is still being committed. It returns
// the error of the last attempt, or that of ctx.
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
			return ctx.Err() //nolint:wrapcheck // the caller has disconnected
		case <-timer.C:
		}
		pause *= 2
	}
}
