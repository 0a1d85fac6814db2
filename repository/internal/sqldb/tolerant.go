package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/lib/pq"
)

// Connection settings that a pooler may not support: PgBouncer rejects connections with them unless
// its ignore_startup_parameters lists them.
const (
	idleSetting     = "idle_in_transaction_session_timeout"
	readOnlySetting = "default_transaction_read_only"
	lockSetting     = "lock_timeout"
)

// tolerant connects with these settings, and without them if a pooler rejects them: they limit the
// damage of an error, but correctness does not depend on them.
type tolerant struct {
	full, plain driver.Connector
	refused     atomic.Bool
}

// poolable returns a connector without the settings that a pooler rejects.
func poolable(cfg pq.Config) (driver.Connector, error) {
	own := cfg.Clone()
	delete(own.Runtime, idleSetting)
	delete(own.Runtime, readOnlySetting)
	delete(own.Runtime, lockSetting)
	connector, err := pq.NewConnectorConfig(own)
	if err != nil {
		return nil, fmt.Errorf("prepare the connection: %w", err)
	}
	connector.Dialer(dialer{})
	return connector, nil
}

// errStandby means that the address leads to a standby server.
var errStandby = errors.New("this PostgreSQL server is a standby; the primary is needed")

func (c *tolerant) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.connect(ctx)
	if err != nil && strings.Contains(err.Error(), "server is in hot standby mode") { // the driver has no code for it
		err = fmt.Errorf("%w: %w", errStandby, err)
	}
	return conn, err
}

func (c *tolerant) connect(ctx context.Context) (driver.Conn, error) {
	if !c.refused.Load() {
		conn, err := c.full.Connect(ctx)
		if e := pq.As(err); e == nil || !strings.Contains(e.Message, "unsupported startup parameter") {
			return conn, err
		}
		c.refused.Store(true)
	}
	return c.plain.Connect(ctx)
}

func (c *tolerant) Driver() driver.Driver { return c.full.Driver() }
