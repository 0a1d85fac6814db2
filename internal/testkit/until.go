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

// Until waits for what becomes true by itself, and fails the test when it does not: the
// bound says that something hangs, never how fast it must be.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := clock.System().Add(untilMost); !holds(); time.Sleep(untilEvery) {
		if clock.System().After(deadline) {
			t.Fatalf("after %s it is still not so: %s", untilMost, what)
		}
	}
}
