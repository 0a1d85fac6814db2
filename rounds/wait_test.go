package rounds

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

// An answer that is waited for has a heartbeat, of those who may still listen; a caller who has gone has none.
func TestWaitingHasAHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := stream.New(stream.Config{}).Reader(nil, stream.Filter{Workspace: "w"})
		defer reader.Close()
		for range len(reader.Ready()) {
			<-reader.Ready() // there may be something from before
		}
		var did []string
		may := error(nil)
		wait := func(ctx context.Context) (time.Duration, error) {
			did = nil
			begun := clock.System()
			err := waitForEvents(ctx, reader, func() error { did = append(did, "asked"); return may }, func() error { did = append(did, "beat"); return nil })
			return clock.System().Sub(begun), err
		}
		if took, err := wait(t.Context()); err != nil || took != heartbeat || !slices.Equal(did, []string{"asked", "beat"}) {
			t.Errorf("after %v it %q: %v", took, did, err)
		}
		may = errors.New("not any more")
		if _, err := wait(t.Context()); !errors.Is(err, may) || !slices.Equal(did, []string{"asked"}) {
			t.Errorf("of who may not it %q: %v", did, err)
		}
		gone, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if took, err := wait(gone); !errors.Is(err, context.DeadlineExceeded) || took != time.Second || did != nil {
			t.Errorf("of who has gone, after %v, it %q: %v", took, did, err)
		}
	})
}
