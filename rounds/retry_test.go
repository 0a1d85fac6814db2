package rounds

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Conflicts are retried, a limited number of times; another error, or a caller who has disconnected,
// is returned at once.
func TestGiveWay(t *testing.T) {
	conflict := domain.Errorf(domain.CodeConflict, "it is there")
	synctest.Test(t, func(t *testing.T) {
		tries, begun := 0, clock.System()
		err := RetryOnConflict(t.Context(), func() error {
			if tries++; tries < 4 {
				return conflict
			}
			return nil
		})
		if took := clock.System().Sub(begun); err != nil || tries != 4 || took != 35*time.Millisecond {
			t.Errorf("%d tries in %v: %v", tries, took, err)
		}
		tries = 0
		if err := RetryOnConflict(t.Context(), func() error { tries++; return conflict }); domain.ErrorCode(err) != domain.CodeConflict || tries != 8 {
			t.Errorf("%d tries: %v", tries, err)
		}
		other := errors.New("other")
		if err := RetryOnConflict(t.Context(), func() error { return other }); !errors.Is(err, other) {
			t.Errorf("another error: %v", err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := RetryOnConflict(gone, func() error { return conflict }); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who has gone: %v", err)
		}
	})
}
