package testkit

import (
	"testing"
	"time"
)

const (
	untilEvery = 5 * time.Millisecond
	untilMost  = 30 * time.Second
)

// Until waits for what becomes true by itself, and fails the test when it does not: the
// bound says that something hangs, never how fast it must be.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(untilMost); !holds(); time.Sleep(untilEvery) {
		if time.Now().After(deadline) {
			t.Fatalf("after %s it is still not so: %s", untilMost, what)
		}
	}
}
