//go:build !linux

package sqldb

import (
	"syscall"
	"time"
)

// giveUpAfter: other systems notice by their keepalive alone.
func giveUpAfter(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
