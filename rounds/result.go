package rounds

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// progressEvents are the events after which the progress of a round or a run may have changed.
var progressEvents = []string{
	string(domain.LogSessionPhase), string(domain.LogSessionStatus), string(domain.LogSessionEnded),
	string(domain.LogApprovalRequested), string(domain.LogApprovalSettled), string(domain.LogAnswersChanged),
	string(domain.LogMessageCreated), string(domain.LogMessageUpdated), string(domain.LogMessageDeleted),
}

// Patience is how long a caller waits for the result of a round.
type Patience struct {
	Limit time.Duration
	// Beat is called at an interval meanwhile, so that the caller and proxies do not time out.
	Beat     func()
	Interval time.Duration
}

// Result follows a round or a run whose events are not written, until it is over, waits for a person, or the
// caller stops waiting, and returns its progress.
func (r *Round) Result(ctx context.Context, p Patience) (*Progress, error) {
	end := time.NewTimer(p.Limit)
	defer end.Stop()
	beats := time.NewTicker(p.Interval)
	defer beats.Stop()
	begun, err := r.Start(ctx)
	if err != nil || begun.State != Working {
		return begun, err
	}
	for {
		if err := r.passEvents(ctx, Unwritten{}); err != nil {
			return nil, err
		}
		if at, err := r.check(ctx); at != nil || err != nil {
			return at, err
		}
		select {
		case <-ctx.Done():
			return begun, nil // the caller has gone
		case <-end.C:
			return r.Progress(ctx)
		case <-beats.C:
			if err := r.StillAllowed(ctx, r.Caller); err != nil {
				return nil, err
			}
			p.Beat()
		case <-r.reader.Ready():
		}
	}
}

// Unwritten is the output of a round whose events are not written.
type Unwritten struct{}

// Event writes nothing.
func (Unwritten) Event(*api.Event) {}

// Flush sends nothing.
func (Unwritten) Flush() error { return nil }

// WriteHeartbeat writes nothing: the response has not begun.
func (Unwritten) WriteHeartbeat() error { return nil }
