package connectors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
)

// maxCalls bounds the concurrent calls of one connector in this process.
const maxCalls = 10

// endpoint holds what calls of one connector share in this process: a connection that is opened on
// demand and dropped after a failure, a concurrency limit, a breaker and the known status.
type endpoint struct {
	manager   *Manager
	kind      *Kind
	connector *outside.Connector
	circuit   circuit
	room      chan struct{} // semaphore: one token for each call
	opening   chan struct{} // holds a token while a connection is being opened
	status    atomic.Value  // outside.ConnectorStatus, as stored last

	mu      sync.Mutex
	open    *connection // nil: not connected
	retired bool
	over    bool // ended: no further calls
}

// connection is shared by calls. It is closed when it has been dropped and the last call has
// released it.
type connection struct {
	Connection
	users   int
	dropped bool
	closing sync.Once
}

// shut closes the connection once.
func (c *connection) shut() { c.closing.Do(func() { _ = c.Close() }) }

func newEndpoint(m *Manager, kind *Kind, c *outside.Connector) *endpoint {
	e := &endpoint{
		manager: m, kind: kind, connector: c, circuit: circuit{clock: m.clock},
		room: make(chan struct{}, maxCalls), opening: make(chan struct{}, 1),
	}
	e.status.Store(c.Status)
	return e
}

// connect returns a connection for one call. The caller must release it.
func (e *endpoint) connect(ctx context.Context) (*connection, error) {
	select {
	case e.opening <- struct{}{}:
		defer func() { <-e.opening }()
	case <-ctx.Done():
		return nil, notSent(ctx.Err(), "the connection to %s could not be made in time", e.connector.Name)
	}
	e.mu.Lock()
	if open := e.open; open != nil {
		open.users++
		e.mu.Unlock()
		return open, nil
	}
	e.mu.Unlock()
	made, err := e.manager.dial(ctx, e.kind, e.connector)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		e.manager.closing.Go(func() { _ = made.Close() })
		return nil, notSent(nil, "%s was changed, disabled or deleted", e.connector.Name)
	}
	open := &connection{Connection: made, users: 1, dropped: e.retired}
	if !e.retired {
		e.open = open
	}
	return open, nil
}

// release returns a connection after a call. A broken one is not used again.
func (e *endpoint) release(c *connection, broken bool) {
	e.mu.Lock()
	c.users--
	if broken && !c.dropped {
		c.dropped = true
		if e.open == c {
			e.open = nil
		}
	}
	last := c.dropped && c.users == 0
	e.mu.Unlock()
	if last {
		c.shut()
	}
}

// retire closes the endpoint after the calls in progress have ended.
func (e *endpoint) retire() {
	e.mu.Lock()
	open := e.open
	e.open, e.retired = nil, true
	if open != nil {
		open.dropped, open.users = true, open.users+1
	}
	e.mu.Unlock()
	if open != nil {
		e.release(open, true)
	}
}

// end closes the endpoint immediately and aborts the calls in progress: its connector was deleted,
// disabled or reconfigured, and a program it started must not keep running.
func (e *endpoint) end() {
	e.mu.Lock()
	open := e.open
	e.open, e.retired, e.over = nil, true, true
	if open != nil {
		open.dropped = true
	}
	e.mu.Unlock()
	if open != nil {
		e.manager.closing.Go(open.shut)
	}
}

// replace closes an endpoint that is no longer current. now is the connector as stored now, or nil
// if it was deleted.
func (e *endpoint) replace(now *outside.Connector) {
	was := e.connector
	if now == nil || !now.Enabled || !bytes.Equal(now.Config, was.Config) || now.SecretSealed != was.SecretSealed {
		e.end()
		return
	}
	e.manager.closing.Go(e.retire)
}

// opening returns a stored connector with its secrets revealed.
func (m *Manager) opening(kind *Kind, c *outside.Connector) (Opening, error) {
	origin, err := kind.Origin(c.Config)
	if err != nil {
		return Opening{}, notSent(err, "the configuration of %s cannot be read", c.Name)
	}
	all, err := openSecrets(m.keys, c, origin)
	if err != nil {
		return Opening{}, &outside.Error{Fault: outside.FaultSignIn, Message: fmt.Sprintf("%s: %v", c.Name, errSecrets), Cause: err}
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

// dial opens a connection to a connector.
func (m *Manager) dial(ctx context.Context, kind *Kind, c *outside.Connector) (Connection, error) {
	opening, err := m.opening(kind, c)
	if err != nil {
		return nil, err
	}
	made, err := kind.Open(ctx, opening)
	if _, known := errors.AsType[*outside.Error](err); err != nil && !known {
		return nil, notSent(err, "no connection to %s", c.Name)
	}
	return made, err
}

// notSent is the error of a call that sent nothing.
func notSent(cause error, format string, args ...any) *outside.Error {
	return &outside.Error{
		Fault: outside.FaultNotSent, Temporary: true, Cause: cause, Message: "Nothing was sent: " + fmt.Sprintf(format, args...) + ".",
	}
}
