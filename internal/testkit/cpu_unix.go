//go:build unix

package testkit

import (
	"syscall"
	"testing"
	"time"
)

// CPU is the CPU time of this process. The cost of a pure function is measured in it, because wall time also
// includes the time of other programs.
func CPU(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
