package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// Connection is a connection of kind mcp. It connects on first use, and again if its session was
// lost.
type Connection struct {
	config  Config
	options Options
	asked   flights

	greeting chan struct{} // mutex: held while connecting
	mu       sync.Mutex
	current  *session
	closed   bool
	legacy   bool // the server uses a revision before 2026-07-28
}

var (
	_ connectors.Connection = (*Connection)(nil)
	_ connectors.Tasks      = (*Connection)(nil)
)

// Open returns a connection. It does not dial or start anything yet.
func Open(config Config, options Options) *Connection {
	if options.Version == "" {
		options.Version = "dev"
	}
	c := &Connection{config: config, options: options, legacy: options.AsBefore, greeting: make(chan struct{}, 1)}
	c.greeting <- struct{}{}
	return c
}

// List returns the server's current commands.
func (c *Connection) List(ctx context.Context) (connectors.Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, MaxTimeout)
	defer cancel()
	s, err := c.session(ctx)
	if err != nil {
		return connectors.Listing{}, err
	}
	list, err := s.toolList(ctx, true)
	if errors.Is(err, errSessionGone) {
		if s, err = c.session(ctx); err == nil {
			list, err = s.toolList(ctx, true)
		}
	}
	if err != nil {
		return connectors.Listing{}, c.failed(ctx, err)
	}
	return list.listing(), nil
}

// Call performs one call. A person's answer continues the call that asked.
func (c *Connection) Call(ctx context.Context, call connectors.Call) (outside.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeoutOf(call.Definition.Timeout))
	defer cancel()
	if f := c.asked.take(call.ExecutionID); f != nil {
		return c.proceed(ctx, call, f)
	}
	s, t, err := c.prepare(ctx, call.Definition)
	if err != nil {
		return outside.Result{}, c.failed(ctx, err)
	}
	if s.legacy && len(call.Answers) > 0 && call.Definition.Effect == domain.EffectNonIdempotent {
		return outside.Result{}, unknownOutcome("The server's question belonged to a connection that was lost, so it is unknown whether the call had any effect.", nil)
	}
	result, err := c.run(ctx, s, t, call)
	if errors.Is(err, errSessionGone) { // nothing was done: the session was unknown
		if s, t, err = c.prepare(ctx, call.Definition); err == nil {
			result, err = c.run(ctx, s, t, call)
		}
	}
	if err == nil && result.Task != nil && readsAtOnce(&call.Definition) {
		result, err = c.follow(ctx, result.Task)
	}
	return result, c.failed(ctx, err)
}

func timeoutOf(wanted time.Duration) time.Duration {
	if wanted == 0 {
		return domain.CallTimeout
	}
	return max(MinTimeout, min(wanted, MaxTimeout))
}

// prepare finds the command at the server, and rejects one that differs from the reviewed
// definition.
func (c *Connection) prepare(ctx context.Context, wanted outside.ConnectorCommand) (*session, *tool, error) {
	s, err := c.session(ctx)
	if err != nil {
		return nil, nil, err
	}
	list, err := s.toolList(ctx, false)
	if errors.Is(err, errSessionGone) {
		if s, err = c.session(ctx); err == nil {
			list, err = s.toolList(ctx, false)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	remote := wanted.Remote
	if remote == "" {
		remote = wanted.Name
	}
	t := list.named(remote)
	switch {
	case t == nil:
		return nil, nil, notSent("The server no longer offers this command.", nil)
	case wanted.DefinitionHash != "" && wanted.DefinitionHash != t.command.DefinitionHash:
		c.changed()
		return nil, nil, notSent("The server has changed the definition of this command since it was reviewed.", nil)
	}
	return s, t, nil
}

// Probe is not supported by the protocol.
func (c *Connection) Probe(context.Context, connectors.Call) (bool, outside.Result, error) {
	return false, outside.Result{}, outside.ErrNoProbe
}

// Close ends the session, its process and calls waiting for a person.
func (c *Connection) Close() error {
	c.mu.Lock()
	s := c.current
	c.current, c.closed = nil, true
	c.mu.Unlock()
	c.asked.close()
	if s != nil {
		s.close()
	}
	return nil
}

// session returns the current session, or connects. Only one goroutine connects; the others wait
// until their own deadlines.
func (c *Connection) session(ctx context.Context) (*session, error) {
	select {
	case <-c.greeting:
	case <-ctx.Done():
		return nil, notSent("The server could not be reached in time.", ctx.Err())
	}
	defer func() { c.greeting <- struct{}{} }()
	c.mu.Lock()
	s, closed, legacy := c.current, c.closed, c.legacy
	c.mu.Unlock()
	switch {
	case closed:
		return nil, notSent("The connector was closed.", nil)
	case s != nil && !s.link.lost():
		return s, nil
	case s != nil:
		s.close()
	}
	fresh, err := connect(ctx, c.config, c.options, legacy, c.listChanged)
	c.mu.Lock()
	closed = c.closed
	if closed {
		fresh, s = nil, fresh
	}
	c.current, c.legacy = fresh, err == nil && fresh != nil && fresh.legacy
	c.mu.Unlock()
	if err == nil && !closed && c.options.Learned != nil {
		c.options.Learned(fresh.legacy)
	}
	if closed && err == nil {
		s.close()
		return nil, notSent("The connector was closed.", nil)
	}
	return fresh, err
}

// listChanged handles the announcement of a changed list.
func (c *Connection) listChanged() {
	c.mu.Lock()
	s := c.current
	c.mu.Unlock()
	if s != nil {
		s.list.stale()
	}
	c.changed()
}

func (c *Connection) changed() {
	if c.options.Changed != nil {
		c.options.Changed()
	}
}

// failed reports the cause, which may quote the server, to the operator and returns an error for
// people.
func (c *Connection) failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	e := outsideError(ctx, err, true)
	if e.Message == "" {
		e.Message = "The server rejected the request."
	}
	if e.Cause != nil && c.options.Failed != nil {
		c.options.Failed(e.Message, e.Cause)
	}
	return e
}
