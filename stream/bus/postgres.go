package bus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/lib/pq"
	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/internal/dsn"
)

const (
	reconnectFirst = 100 * time.Millisecond
	reconnectLast  = 5 * time.Second
	// pingEvery detects a dead connection.
	pingEvery = 15 * time.Second
	// perStatement limits the messages of one statement.
	perStatement = 16
)

// Postgres is the Wire over LISTEN and NOTIFY. URL must lead to the server itself: a pooler in
// transaction mode accepts a LISTEN and never delivers.
type Postgres struct {
	URL string
	Log zerolog.Logger

	listener *pq.Listener
	db       *sql.DB
	stop     context.CancelFunc
	done     sync.WaitGroup

	mu      sync.Mutex
	stopped bool
}

// Start listens, on a connection that is reopened whenever it breaks.
func (p *Postgres) Start(_ context.Context, channels []string, received func(string), missed func()) error {
	if err := p.openSender(); err != nil {
		return err
	}
	p.listener = pq.NewListener(p.URL, reconnectFirst, reconnectLast, p.changed)
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	p.done.Go(func() {
		// Listen blocks until the first connection: a server that starts while the database is
		// unavailable must not hang here.
		for _, channel := range channels {
			if !p.listen(ctx, channel) {
				return
			}
		}
		missed()
		p.receive(ctx, received, missed)
	})
	return nil
}

// listen subscribes to a channel, retrying until it succeeds; it returns false if this node is
// stopped. A server that is currently a standby rejects a LISTEN.
func (p *Postgres) listen(ctx context.Context, channel string) bool {
	for logged := false; ; logged = true {
		err := p.listener.Listen(channel)
		if err == nil || errors.Is(err, pq.ErrChannelAlreadyOpen) {
			return true
		}
		if !logged && ctx.Err() == nil {
			p.Log.Error().Err(err).Str("channel", channel).Msg("this node cannot receive messages from the others yet; it looks at the database instead")
		}
		pause := time.NewTimer(reconnectLast)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return false
		}
	}
}

// openSender opens the sending connection. Its commits do not wait for the disk: a hint is
// worthless after a crash.
func (p *Postgres) openSender() error {
	cfg, err := dsn.Parse(p.URL)
	if err != nil {
		return err
	}
	if cfg.Runtime == nil {
		cfg.Runtime = map[string]string{}
	}
	cfg.Runtime["synchronous_commit"] = "off"
	if cfg.TargetSessionAttrs == "" {
		cfg.TargetSessionAttrs = pq.TargetSessionAttrsPrimary // a standby cannot send
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 10 * time.Second
	}
	connector, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return fmt.Errorf("prepare the connection for notifications: %w", err)
	}
	p.db = sql.OpenDB(dsn.Discreet(connector, cfg.Password))
	p.db.SetMaxOpenConns(1)
	return nil
}

// receive passes on notifications. A nil notification means that the connection was reopened and
// that messages may have been missed meanwhile.
func (p *Postgres) receive(ctx context.Context, received func(string), missed func()) {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case n, open := <-p.listener.Notify:
			switch {
			case !open:
				return
			case n == nil:
				missed()
			default:
				received(n.Extra)
			}
		case <-ping.C:
			// Ping would wait for the very connection whose messages are received here.
			p.done.Go(func() { _ = p.listener.Ping() }) // a dead connection is replaced, and missed is called
		}
	}
}

// changed logs the state of the listener's connection. Its goroutine may outlive Stop by one pause
// between two attempts; events after Stop are ignored.
func (p *Postgres) changed(event pq.ListenerEventType, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	switch event {
	case pq.ListenerEventDisconnected:
		p.Log.Warn().Err(err).Msg("the connection for notifications broke; reconnecting")
	case pq.ListenerEventReconnected:
		p.Log.Info().Msg("the connection for notifications is established again")
	case pq.ListenerEventConnectionAttemptFailed:
		p.Log.Debug().Err(err).Msg("no connection for notifications yet")
	case pq.ListenerEventConnected:
	}
}

// Send sends messages in the given order. Executing a statement twice, because its reply was lost,
// does no harm.
func (p *Postgres) Send(ctx context.Context, parcels []Parcel) error {
	for len(parcels) > 0 {
		n := min(len(parcels), perStatement)
		var query strings.Builder
		args := make([]any, 0, 2*n)
		query.WriteString("SELECT ")
		for i, parcel := range parcels[:n] {
			if i > 0 {
				query.WriteString(", ")
			}
			fmt.Fprintf(&query, "pg_notify($%d, $%d)", 2*i+1, 2*i+2)
			args = append(args, parcel.Channel, parcel.Payload)
		}
		if _, err := p.db.ExecContext(ctx, query.String(), args...); err != nil {
			return fmt.Errorf("notify: %w", err)
		}
		parcels = parcels[n:]
	}
	return nil
}

// Stop closes both connections and waits.
func (p *Postgres) Stop(ctx context.Context) error {
	if p.listener == nil {
		return nil
	}
	p.stop()
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	err := p.listener.Close()
	p.done.Wait()
	p.drain(ctx)
	return errors.Join(err, p.db.Close())
}

// drain discards remaining notifications, so that the listener's own goroutine can end. It does not
// wait for a pause between two connection attempts.
func (p *Postgres) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for {
		select {
		case _, open := <-p.listener.Notify:
			if !open {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
