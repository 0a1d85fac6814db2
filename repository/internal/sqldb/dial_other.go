//go:build !linux

package sqldb

import (
	"syscall"
	"time"
)

// giveUpAfter returns nil: other systems rely on keepalive alone.
func giveUpAfter(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
