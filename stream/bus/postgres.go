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
	// pingEvery finds out that a connection has died without a word.
	pingEvery = 15 * time.Second
	// perStatement bounds the messages of one statement.
	perStatement = 16
)

// Postgres is the Wire over LISTEN and NOTIFY. URL must lead to the server itself: a
// pooler in transaction mode takes a LISTEN and never delivers.
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

// Start listens, on a connection that is made anew whenever it breaks.
func (p *Postgres) Start(_ context.Context, channels []string, heard func(string), missed func()) error {
	if err := p.openSender(); err != nil {
		return err
	}
	p.listener = pq.NewListener(p.URL, reconnectFirst, reconnectLast, p.changed)
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	p.done.Go(func() {
		// Listen waits for the first connection: a server that starts while the database is
		// away must not hang here.
		for _, channel := range channels {
			if !p.listen(ctx, channel) {
				return
			}
		}
		missed()
		p.hear(ctx, heard, missed)
	})
	return nil
}

// listen asks for a channel until it is given; false: this node is told to stop. A server that is
// a standby at that moment refuses it.
func (p *Postgres) listen(ctx context.Context, channel string) bool {
	for told := false; ; told = true {
		err := p.listener.Listen(channel)
		if err == nil || errors.Is(err, pq.ErrChannelAlreadyOpen) {
			return true
		}
		if !told && ctx.Err() == nil {
			p.Log.Error().Err(err).Str("channel", channel).Msg("this node cannot hear the others yet; it looks at the database instead")
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

// openSender prepares the one connection that sends. Its commits wait for no disk: a
// hint is worth nothing after a crash.
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
		cfg.TargetSessionAttrs = pq.TargetSessionAttrsPrimary // a standby sends nothing
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

// hear passes on what comes. A nil notification says that the connection was made anew
// and that something may have been missed meanwhile.
func (p *Postgres) hear(ctx context.Context, heard func(string), missed func()) {
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
				heard(n.Extra)
			}
		case <-ping.C:
			// It would wait for the very connection whose messages are taken here.
			p.done.Go(func() { _ = p.listener.Ping() }) // a dead one is replaced, and missed is called
		}
	}
}

// changed tells the log how the listener's connection is. Its goroutine may outlive Stop by a
// pause between two attempts; what it finds then is nobody's any more.
func (p *Postgres) changed(event pq.ListenerEventType, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	switch event {
	case pq.ListenerEventDisconnected:
		p.Log.Warn().Err(err).Msg("the connection for notifications broke; it is made anew")
	case pq.ListenerEventReconnected:
		p.Log.Info().Msg("the connection for notifications stands again")
	case pq.ListenerEventConnectionAttemptFailed:
		p.Log.Debug().Err(err).Msg("no connection for notifications yet")
	case pq.ListenerEventConnected:
	}
}

// Send notifies, each message in the order given. A statement that is carried out twice
// because its reply was lost does no harm here.
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

// drain takes what still comes, so that the listener's own goroutine can end. One that
// is just pausing between two attempts to connect is not waited for.
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
