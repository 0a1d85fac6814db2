package connectors

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/breaker"
)

// lease is the right to make one request over an endpoint's shared connection: a place among its concurrent calls, the
// permission of its breaker, the connection, and the time for the request. It must be released.
type lease struct {
	endpoint   *endpoint
	permission breaker.Permission // of the circuit breaker
	connection *connection
	ctx        context.Context // of the request: ends when its time is over
	cancel     context.CancelFunc
}

// errUnfinished is the result of a request that panicked. Nothing is known of the server then.
var errUnfinished = errors.New("the request did not end")

// acquire waits for a place and for a connection, as a part of the time for the request.
func (e *endpoint) acquire(ctx context.Context, within time.Duration) (*lease, error) {
	l := &lease{endpoint: e}
	l.ctx, l.cancel = context.WithTimeout(ctx, within)
	var err error
	if l.permission, err = e.enter(l.ctx); err != nil {
		l.cancel()
		return nil, err
	}
	err = errUnfinished
	defer func() {
		if l.connection == nil {
			l.Release(err)
		}
	}()
	if l.connection, err = e.connect(l.ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// enter takes a place among the concurrent calls, if the breaker permits one.
func (e *endpoint) enter(ctx context.Context) (as breaker.Permission, err error) {
	select {
	case e.room <- struct{}{}:
		defer func() {
			if err != nil {
				<-e.room
			}
		}()
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // also if a place became free at the same instant: it is too late for a call
		return as, notSent(ctx.Err(), "%d calls of %s are already in progress, and none ended in time", maxCalls, e.connector.Name)
	}
	return e.circuit.enter()
}

// Release ends the request with its result. A connection that may be broken is not used again, and the breaker notes
// what the result shows of the server.
func (l *lease) Release(err error) {
	if l.connection != nil {
		fault := outside.FaultOf(err)
		broken := err != nil && !errors.Is(err, outside.ErrNoProbe) && (fault == outside.FaultUnknown || fault == outside.FaultNotSent)
		l.endpoint.release(l.connection, broken)
	}
	l.endpoint.circuit.leave(l.permission, err)
	<-l.endpoint.room
	l.cancel()
}

// call sends a call, and releases the lease.
func (l *lease) call(call Call) (result outside.Result, err error) {
	err = errUnfinished
	defer func() { l.Release(err) }()
	return l.connection.Call(l.ctx, call)
}

// probe asks about an earlier call, and releases the lease.
func (l *lease) probe(call Call) (done bool, result outside.Result, err error) {
	err = errUnfinished
	defer func() { l.Release(err) }()
	return l.connection.Probe(l.ctx, call)
}
