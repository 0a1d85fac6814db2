package sqldb

import (
	"fmt"
	"strings"
	"syscall"
	"time"
)

// tcpUserTimeout limits how long sent bytes may stay unacknowledged (package syscall has no name
// for it).
const tcpUserTimeout = 0x12

func giveUpAfter(limit time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		var err error
		if control := c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(limit.Milliseconds()))
		}); control != nil {
			return fmt.Errorf("set the connection's timeout: %w", control)
		}
		if err != nil {
			return fmt.Errorf("set the connection's timeout: %w", err)
		}
		return nil
	}
}
