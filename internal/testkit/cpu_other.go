//go:build !unix

package testkit

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
)

var started = clock.System()

// CPU is the time since the start: CPU time is not available here.
func CPU(testing.TB) time.Duration { return clock.System().Sub(started) }
