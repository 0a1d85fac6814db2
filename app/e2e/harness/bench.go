package harness

import (
	"net/http"
	"syscall"
	"testing"
	"time"
)

// Must ends a benchmark that went wrong.
func Must(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// BenchClient keeps as many connections as a benchmark opens.
var BenchClient = &http.Client{Transport: &http.Transport{MaxIdleConns: 1024, MaxIdleConnsPerHost: 1024, DisableCompression: true}}

// ProcessTime is the processor time that this process has used.
func ProcessTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
