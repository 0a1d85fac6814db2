package providers

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/internal/egress"
)

// Timeouts are the timeouts of one call in a provider's config, in seconds; 0: the default. Every
// kind with an HTTP API has them.
type Timeouts struct {
	ConnectSeconds   float64 `json:"connect_timeout_seconds"`
	FirstByteSeconds float64 `json:"first_byte_timeout_seconds"`
	IdleSeconds      float64 `json:"timeout_seconds"`
	TotalSeconds     float64 `json:"total_timeout_seconds"`
}

// TimeoutsSchema has their properties of a config's JSON Schema.
const TimeoutsSchema = `
    "timeout_seconds": {"type": "number", "title": "Seconds without a byte before giving up", "exclusiveMinimum": 0, "maximum": 600, "default": 120},
    "connect_timeout_seconds": {"type": "number", "title": "Seconds to connect", "exclusiveMinimum": 0, "maximum": 10, "default": 10},
    "first_byte_timeout_seconds": {"type": "number", "title": "Seconds to the first byte", "exclusiveMinimum": 0, "maximum": 3600, "description": "If omitted: the timeout without a byte. A call that is not streamed sends nothing until it is complete, and has the timeout of the whole call."},
    "total_timeout_seconds": {"type": "number", "title": "Seconds for a whole call", "exclusiveMinimum": 0, "maximum": 3600, "default": 600}`

const (
	idleTimeout = 2 * time.Minute
	// totalTimeout is the default timeout of one call.
	totalTimeout = 10 * time.Minute
	// modelsTimeout bounds listing the models.
	modelsTimeout = 20 * time.Second
)

// ForModels returns a context with the timeout for listing models.
func ForModels(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, modelsTimeout, Errorf(ClassNetwork, "no list of models within %s", modelsTimeout))
}

func (t Timeouts) connect() time.Duration { return seconds(t.ConnectSeconds, egress.ConnectTimeout) }

func (t Timeouts) idle() time.Duration { return seconds(t.IdleSeconds, idleTimeout) }

func (t Timeouts) total() time.Duration { return seconds(t.TotalSeconds, totalTimeout) }

// firstByte returns the timeout for the first byte. By default it is the idle timeout, or no limit
// for a call that is not streamed, which is silent until it is complete.
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
