//go:build !unix

package testkit

import (
	"testing"
	"time"
)

var started = time.Now()

// CPU is the time since the start: nothing better is known here.
func CPU(testing.TB) time.Duration { return time.Since(started) }
