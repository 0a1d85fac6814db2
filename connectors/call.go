package connectors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/traces"
)

// CallReport describes one finished call for metrics and the process log. It contains no request or
// response data.
type CallReport struct {
	WorkspaceID string
	SessionID   string
	ExecutionID string
	ConnectorID string
	Command     string // its name in the catalogue, with the connector's prefix
	Kind        outside.ConnectorKind
	Effect      domain.CommandEffect
	Outcome     string // one of Outcomes
	Took        time.Duration
	TraceParent string
	Err         error
}

// Outcomes are the possible values of CallReport.Outcome.
var Outcomes = []string{"ok", "failed", "task", "question", "refused", "sign_in", "not_sent", "doubt", "cancelled"}

// Call sends one call, once. It returns an *domain.OutsideError or the error of ctx.
func (m *Manager) Call(ctx context.Context, call domain.OutsideCall) (domain.OutsideResult, error) {
	var result domain.OutsideResult
	err := m.with(ctx, call, func(ctx context.Context, c *connection, own Call) (r domain.OutsideResult, err error) {
		result, err = c.Call(ctx, own)
		return result, err
	})
	return result, err
}

// Probe checks whether a call with an unknown outcome was carried out. It returns domain.ErrNoProbe
// if the command has no probe.
func (m *Manager) Probe(ctx context.Context, call domain.OutsideCall) (done bool, result domain.OutsideResult, err error) {
	err = m.with(ctx, call, func(ctx context.Context, c *connection, own Call) (r domain.OutsideResult, err error) {
		done, result, err = c.Probe(ctx, own)
		return result, err
	})
	return done, result, err
}

// with performs one request of a command within its timeout, the connector's concurrency limit and
// its breaker.
func (m *Manager) with(
	ctx context.Context, call domain.OutsideCall, do func(context.Context, *connection, Call) (domain.OutsideResult, error),
) error {
	w, err := m.workspace(ctx, call.WorkspaceID)
	if err != nil {
		return notSent(err, "the connectors of the workspace cannot be read")
	}
	offered := w.byName[call.Command]
	if offered == nil {
		return &domain.OutsideError{
			Fault: domain.FaultNotSent, Message: fmt.Sprintf("Nothing was sent: %s is no longer offered.", call.Command),
		}
	}
	e, begun := offered.endpoint, m.clock()
	within, cancel := context.WithTimeout(traces.With(ctx, call.TraceParent), timeoutOf(&offered.command))
	defer cancel()
	result, err := e.call(within, func(c *connection) (domain.OutsideResult, error) {
		return do(within, c, Call{OutsideCall: call, Definition: offered.command})
	})
	if errors.Is(err, domain.ErrNoProbe) {
		return err
	}
	m.called(CallReport{
		WorkspaceID: call.WorkspaceID, SessionID: call.SessionID, ExecutionID: call.ExecutionID, ConnectorID: e.connector.ID,
		Command: offered.command.Name, Kind: e.connector.Kind,
		Effect: offered.command.Effect, Outcome: outcomeOf(ctx, result, err), Took: m.clock().Sub(begun),
		TraceParent: call.TraceParent, Err: err,
	})
	if ctx.Err() == nil {
		m.note(ctx, e, err)
	}
	return err
}

// call makes one request over the endpoint's shared connection.
func (e *endpoint) call(ctx context.Context, do func(*connection) (domain.OutsideResult, error)) (domain.OutsideResult, error) {
	select {
	case e.room <- struct{}{}:
		defer func() { <-e.room }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // also if a token became free at the same instant: it is too late for a call
		return domain.OutsideResult{}, notSent(ctx.Err(),
			"%d calls of %s are already in progress, and none ended in time", maxCalls, e.connector.Name)
	}
	if err := e.breaker.enter(); err != nil {
		return domain.OutsideResult{}, err
	}
	left := false
	defer func() {
		if !left { // the connection panicked
			e.breaker.leave(context.Canceled)
		}
	}()
	c, err := e.acquire(ctx)
	var result domain.OutsideResult
	if err == nil {
		result, err = e.do(c, do)
	}
	left = true
	e.breaker.leave(err)
	return result, err
}

// do releases the connection even if the call panics.
func (e *endpoint) do(c *connection, do func(*connection) (domain.OutsideResult, error)) (result domain.OutsideResult, err error) {
	broken := true
	defer func() { e.release(c, broken) }()
	result, err = do(c)
	fault := domain.FaultOf(err)
	broken = err != nil && !errors.Is(err, domain.ErrNoProbe) && (fault == domain.FaultUnknown || fault == domain.FaultNotSent)
	return result, err
}

func outcomeOf(ctx context.Context, result domain.OutsideResult, err error) string {
	switch {
	case err != nil && ctx.Err() != nil:
		return "cancelled"
	case err != nil:
		return map[domain.Fault]string{
			domain.FaultUnknown: "doubt", domain.FaultNotSent: "not_sent", domain.FaultRefused: "refused", domain.FaultSignIn: "sign_in",
		}[domain.FaultOf(err)]
	case result.Task != nil:
		return "task"
	case result.Question != nil:
		return "question"
	case result.Failed:
		return "failed"
	}
	return "ok"
}

// noteTime bounds how long a call waits for the status of its connector to be stored.
const noteTime = 2 * time.Second

// note stores the status of a connector if it has changed.
func (m *Manager) note(ctx context.Context, e *endpoint, err error) {
	status, detail, known := found(err)
	if !known || e.status.Swap(status) == status {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	if m.rows.SetConnectorStatus(ctx, e.connector.WorkspaceID, e.connector.ID, status, detail) != nil {
		e.status.Store(outside.ConnectorStatus("")) // the next call stores it
	}
}

// found derives a connector's status from the result of a call.
func found(err error) (status outside.ConnectorStatus, detail string, known bool) {
	if err != nil && domain.FaultOf(err) == domain.FaultSignIn {
		return outside.ConnectorNeedsSignIn, err.Error(), true
	}
	switch failed, known := verdict(err); {
	case !known:
		return "", "", false
	case failed == nil || failed.Fault == domain.FaultRefused:
		return outside.ConnectorReady, "", true
	default:
		return outside.ConnectorUnreachable, failed.Message, true
	}
}
