package sqldb

import (
	"context"
	"net"
	"time"
)

// silence is how long sent data may stay without any reply before the connection is closed. A
// commit in that state is looked up on a new connection.
const silence = 15 * time.Second

// dialer connects to PostgreSQL with timeouts that detect a vanished peer: with the system's
// defaults that can take a quarter of an hour.
type dialer struct{}

func (dialer) connect() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 3, Interval: silence / 3, Count: 2},
		Control:         giveUpAfter(silence),
	}
}

// Dial, DialTimeout and DialContext implement the driver's interface.
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
