package connectors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/egress"
)

// maxCalls is how many calls of one connector go on at a time, in this process.
const maxCalls = 10

// line is the way to one connector: its connection, opened when it is needed and thrown
// away when it failed, how many use it, and what is known of the server.
type line struct {
	manager   *Manager
	kind      *Kind
	connector *domain.Connector
	breaker   breaker
	room      chan struct{} // holds a token for each call
	opening   chan struct{} // holds one while a connection is being opened
	status    atomic.Value  // domain.ConnectorStatus, as it was stored last

	mu      sync.Mutex
	open    *connection // nil: none
	retired bool
	over    bool // it was ended: no call is made over it any more
}

// connection is one that calls share. It is closed when it was dropped and the last call
// gave it back.
type connection struct {
	Connection
	users   int
	dropped bool
	closing sync.Once
}

// shut closes it, once.
func (c *connection) shut() { c.closing.Do(func() { _ = c.Close() }) }

func newLine(m *Manager, kind *Kind, c *domain.Connector) *line {
	l := &line{
		manager: m, kind: kind, connector: c, breaker: breaker{clock: m.clock},
		room: make(chan struct{}, maxCalls), opening: make(chan struct{}, 1),
	}
	l.status.Store(c.Status)
	return l
}

// take gives a connection for one call, which must give it back.
func (l *line) take(ctx context.Context) (*connection, error) {
	select {
	case l.opening <- struct{}{}:
		defer func() { <-l.opening }()
	case <-ctx.Done():
		return nil, notSent(ctx.Err(), "the connection to %s could not be made in time", l.connector.Name)
	}
	l.mu.Lock()
	if open := l.open; open != nil {
		open.users++
		l.mu.Unlock()
		return open, nil
	}
	l.mu.Unlock()
	made, err := l.manager.dial(ctx, l.kind, l.connector)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		l.manager.closing.Go(func() { _ = made.Close() })
		return nil, notSent(nil, "%s was changed, disabled or deleted", l.connector.Name)
	}
	open := &connection{Connection: made, users: 1, dropped: l.retired}
	if !l.retired {
		l.open = open
	}
	return open, nil
}

// give takes a connection back; one that is broken is not used again.
func (l *line) give(c *connection, broken bool) {
	l.mu.Lock()
	c.users--
	if broken && !c.dropped {
		c.dropped = true
		if l.open == c {
			l.open = nil
		}
	}
	last := c.dropped && c.users == 0
	l.mu.Unlock()
	if last {
		c.shut() // nobody uses it any more
	}
}

// retire closes the line: calls that are under way end, and then it is gone.
func (l *line) retire() {
	l.mu.Lock()
	open := l.open
	l.open, l.retired = nil, true
	if open != nil {
		open.dropped, open.users = true, open.users+1
	}
	l.mu.Unlock()
	if open != nil {
		l.give(open, true)
	}
}

// end closes the line at once: its connector is gone, disabled or configured otherwise, and a
// program of it must not go on. Calls that are under way break off.
func (l *line) end() {
	l.mu.Lock()
	open := l.open
	l.open, l.retired, l.over = nil, true, true
	if open != nil {
		open.dropped = true
	}
	l.mu.Unlock()
	if open != nil {
		l.manager.closing.Go(open.shut)
	}
}

// replace takes the place of a line that is no longer the connector's; now is that connector as
// it is now, nil: it is gone.
func (l *line) replace(now *domain.Connector) {
	was := l.connector
	if now == nil || !now.Enabled || !bytes.Equal(now.Config, was.Config) || now.SecretSealed != was.SecretSealed {
		l.end()
		return
	}
	l.manager.closing.Go(l.retire)
}

// opening is a connector as it is stored, with its secrets.
func (m *Manager) opening(kind *Kind, c *domain.Connector) (Opening, error) {
	origin, err := kind.Origin(c.Config)
	if err != nil {
		return Opening{}, notSent(err, "the configuration of %s cannot be read", c.Name)
	}
	all, err := openSecrets(m.keys, c, origin)
	if err != nil {
		return Opening{}, &domain.OutsideError{Fault: domain.FaultSignIn, Message: fmt.Sprintf("%s: %v", c.Name, errSecrets), Cause: err}
	}
	own := *c
	if own.Config, err = all.reveal(c.Config); err != nil {
		return Opening{}, notSent(err, "the configuration of %s cannot be read", c.Name)
	}
	o := Opening{Connector: &own, Client: egress.Of(m.client, c.WorkspaceID)}
	if m.grants != nil {
		o.Grants = m.grants(c, origin, domain.Author{})
	}
	return o, nil
}

// dial makes a connection to a connector.
func (m *Manager) dial(ctx context.Context, kind *Kind, c *domain.Connector) (Connection, error) {
	opening, err := m.opening(kind, c)
	if err != nil {
		return nil, err
	}
	made, err := kind.Open(ctx, opening)
	if _, told := errors.AsType[*domain.OutsideError](err); err != nil && !told {
		return nil, notSent(err, "no connection to %s", c.Name)
	}
	return made, err
}

// notSent is the error of a call of which nothing left.
func notSent(cause error, format string, args ...any) *domain.OutsideError {
	return &domain.OutsideError{
		Fault: domain.FaultNotSent, Temporary: true, Cause: cause, Message: "Nothing was sent: " + fmt.Sprintf(format, args...) + ".",
	}
}
