//go:build unix

package testkit

import (
	"syscall"
	"testing"
	"time"
)

// CPU is the time that this process has spent computing. What a pure function may cost
// is measured in it: a clock on the wall also runs while other programs have the machine.
func CPU(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
