// Package repeatable has a clock and ids that are the same in every run of a test.
package repeatable

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
)

// Clock returns a clock that always shows the same time.
func Clock(t time.Time) clock.Clock {
	return func() time.Time { return t.UTC().Truncate(time.Microsecond) }
}

// IDs returns a generator of ids: "msg_1", "msg_2", …
func IDs() func(prefix string) string {
	var n atomic.Int64
	return func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, n.Add(1)) }
}
