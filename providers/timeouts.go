package providers

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/internal/egress"
)

// Timeouts are the limits of one call as they stand in a provider's config, in seconds;
// 0: the default. Every kind that calls over HTTP has them.
type Timeouts struct {
	ConnectSeconds   float64 `json:"connect_timeout_seconds"`
	FirstByteSeconds float64 `json:"first_byte_timeout_seconds"`
	IdleSeconds      float64 `json:"timeout_seconds"`
	TotalSeconds     float64 `json:"total_timeout_seconds"`
}

// TimeoutsSchema are their properties in a config's schema.
const TimeoutsSchema = `
    "timeout_seconds": {"type": "number", "title": "Seconds without a byte before giving up", "exclusiveMinimum": 0, "maximum": 600, "default": 120},
    "connect_timeout_seconds": {"type": "number", "title": "Seconds to connect", "exclusiveMinimum": 0, "maximum": 10, "default": 10},
    "first_byte_timeout_seconds": {"type": "number", "title": "Seconds to the first byte", "exclusiveMinimum": 0, "maximum": 3600, "description": "Left out: as long as without a byte later on; but a call that is made whole says nothing until all is ready, and has the time of the whole call."},
    "total_timeout_seconds": {"type": "number", "title": "Seconds for a whole call", "exclusiveMinimum": 0, "maximum": 3600, "default": 600}`

const (
	idleTimeout = 2 * time.Minute
	// TotalTimeout is the most that one call may take, unless its config says otherwise.
	TotalTimeout = 10 * time.Minute
	// modelsTimeout is the most that a list of models may take.
	modelsTimeout = 20 * time.Second
)

// ForModels is ctx for as long as a list of models may take.
func ForModels(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, modelsTimeout, Errorf(ClassNetwork, "no list of models within %s", modelsTimeout))
}

func (t Timeouts) connect() time.Duration { return seconds(t.ConnectSeconds, egress.ConnectTimeout) }

func (t Timeouts) idle() time.Duration { return seconds(t.IdleSeconds, idleTimeout) }

func (t Timeouts) total() time.Duration { return seconds(t.TotalSeconds, TotalTimeout) }

// firstByte is as long as any silence may be, if nothing else is said. A call made whole
// is silent until all is ready: what nobody has set does not cut it.
func (t Timeouts) firstByte(streamed bool) time.Duration {
	if !streamed && t.IdleSeconds <= 0 {
		return seconds(t.FirstByteSeconds, t.total())
	}
	return seconds(t.FirstByteSeconds, t.idle())
}

func seconds(s float64, otherwise time.Duration) time.Duration {
	if s <= 0 {
		return otherwise
	}
	return time.Duration(s * float64(time.Second))
}
