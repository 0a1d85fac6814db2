package sqldb

import (
	"context"
	"net"
	"time"
)

// silence is how long a server may leave what was sent to it without any sign of
// life. Then the connection is given up, and with it what was asked on it: a commit
// in that state is looked up on a fresh one.
const silence = 15 * time.Second

// dialer connects to PostgreSQL so that a peer that has gone without a word is
// noticed: by the system's own rules that can take a quarter of an hour.
type dialer struct{}

func (dialer) connect() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 3, Interval: silence / 3, Count: 2},
		Control:         giveUpAfter(silence),
	}
}

// Dial, DialTimeout and DialContext are what the driver asks of a dialer.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return d.connect().Dial(network, address)
}

func (d dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	own := d.connect()
	own.Timeout = timeout
	return own.Dial(network, address)
}

func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d.connect().DialContext(ctx, network, address)
}
