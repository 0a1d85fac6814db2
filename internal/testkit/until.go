package testkit

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
)

const (
	// untilFirst is the first pause. The next ones are longer, up to untilLast: most conditions are requests to a
	// server that shares the processor with the test.
	untilFirst = 4 * time.Millisecond
	untilLast  = 20 * time.Millisecond
	untilMost  = time.Minute
)

// Until waits for a condition, and fails the test if it does not become true: the limit detects hanging, and
// is no performance requirement.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	pause := untilFirst
	for deadline := clock.System().Add(untilMost); !holds(); time.Sleep(pause) {
		if clock.System().After(deadline) {
			t.Fatalf("not within %s: %s", untilMost, what)
		}
		pause = min(pause+pause/4, untilLast)
	}
}
