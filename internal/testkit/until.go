package testkit

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
)

const (
	untilEvery = 5 * time.Millisecond
	untilMost  = time.Minute
)

// Until waits for a condition, and fails the test if it does not become true: the limit detects hanging, and
// is no performance requirement.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := clock.System().Add(untilMost); !holds(); time.Sleep(untilEvery) {
		if clock.System().After(deadline) {
			t.Fatalf("not within %s: %s", untilMost, what)
		}
	}
}
