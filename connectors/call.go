package connectors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/traces"
)

// CallReport is how one call went, for metrics and the process log. It holds nothing that
// was sent or answered.
type CallReport struct {
	WorkspaceID string
	SessionID   string
	ExecutionID string
	ConnectorID string
	Kind        domain.ConnectorKind
	Effect      domain.CommandEffect
	Outcome     string // one of Outcomes
	Took        time.Duration
	TraceParent string
	Err         error
}

// Outcomes are how a call can end.
var Outcomes = []string{"ok", "failed", "task", "question", "refused", "sign_in", "not_sent", "doubt", "cancelled"}

// Call sends one call, once. Its error is an *domain.OutsideError, or that of ctx.
func (m *Manager) Call(ctx context.Context, call domain.OutsideCall) (domain.OutsideResult, error) {
	var result domain.OutsideResult
	err := m.with(ctx, call, func(ctx context.Context, c *connection, own Call) (r domain.OutsideResult, err error) {
		result, err = c.Call(ctx, own)
		return result, err
	})
	return result, err
}

// Probe asks whether a call of unknown outcome was carried out; domain.ErrNoProbe where that
// cannot be asked.
func (m *Manager) Probe(ctx context.Context, call domain.OutsideCall) (done bool, result domain.OutsideResult, err error) {
	err = m.with(ctx, call, func(ctx context.Context, c *connection, own Call) (r domain.OutsideResult, err error) {
		done, result, err = c.Probe(ctx, own)
		return result, err
	})
	return done, result, err
}

// with carries out one request of a command: within its time, its connector's room and its
// breaker.
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
			Fault: domain.FaultNotSent, Message: fmt.Sprintf("Nothing was sent: %s is not offered any more.", call.Command),
		}
	}
	l, begun := offered.line, m.clock()
	within, cancel := context.WithTimeout(traces.With(ctx, call.TraceParent), timeoutOf(&offered.command))
	defer cancel()
	result, err := l.call(within, func(c *connection) (domain.OutsideResult, error) {
		return do(within, c, Call{OutsideCall: call, Definition: offered.command})
	})
	if errors.Is(err, domain.ErrNoProbe) {
		return err
	}
	m.called(CallReport{
		WorkspaceID: call.WorkspaceID, SessionID: call.SessionID, ExecutionID: call.ExecutionID, ConnectorID: l.connector.ID,
		Kind: l.connector.Kind, Effect: offered.command.Effect, Outcome: outcomeOf(ctx, result, err), Took: m.clock().Sub(begun),
		TraceParent: call.TraceParent, Err: err,
	})
	if ctx.Err() == nil {
		m.note(ctx, l, err)
	}
	return err
}

// call makes one request over the line.
func (l *line) call(ctx context.Context, do func(*connection) (domain.OutsideResult, error)) (domain.OutsideResult, error) {
	select {
	case l.room <- struct{}{}:
		defer func() { <-l.room }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // also where room came at the same instant: it is too late for a call
		return domain.OutsideResult{}, notSent(ctx.Err(),
			"%d calls of %s are under way already, and none ended in time", maxCalls, l.connector.Name)
	}
	if err := l.breaker.enter(); err != nil {
		return domain.OutsideResult{}, err
	}
	left := false
	defer func() {
		if !left { // a panic of a connection
			l.breaker.leave(context.Canceled)
		}
	}()
	c, err := l.take(ctx)
	var result domain.OutsideResult
	if err == nil {
		result, err = l.do(c, do)
	}
	left = true
	l.breaker.leave(err)
	return result, err
}

// do gives the connection back, whatever happens to the call.
func (l *line) do(c *connection, do func(*connection) (domain.OutsideResult, error)) (result domain.OutsideResult, err error) {
	broken := true
	defer func() { l.give(c, broken) }()
	result, err = do(c)
	fault := domain.FaultOf(err)
	broken = err != nil && !errors.Is(err, domain.ErrNoProbe) && (fault == domain.FaultDoubt || fault == domain.FaultNotSent)
	return result, err
}

func outcomeOf(ctx context.Context, result domain.OutsideResult, err error) string {
	switch {
	case err != nil && ctx.Err() != nil:
		return "cancelled"
	case err != nil:
		return map[domain.Fault]string{
			domain.FaultDoubt: "doubt", domain.FaultNotSent: "not_sent", domain.FaultRefused: "refused", domain.FaultSignIn: "sign_in",
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

// noteTime bounds how long a call waits until it is stored how its connector is.
const noteTime = 2 * time.Second

// note stores how a connector was found to be, if that is news.
func (m *Manager) note(ctx context.Context, l *line, err error) {
	status, detail, known := found(err)
	if !known || l.status.Swap(status) == status {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	if m.rows.SetConnectorStatus(ctx, l.connector.WorkspaceID, l.connector.ID, status, detail) != nil {
		l.status.Store(domain.ConnectorStatus("")) // the next call says it
	}
}

// found is what the end of a call says of its connector.
func found(err error) (status domain.ConnectorStatus, detail string, known bool) {
	if err != nil && domain.FaultOf(err) == domain.FaultSignIn {
		return domain.ConnectorNeedsSignIn, err.Error(), true
	}
	switch failed, known := verdict(err); {
	case !known:
		return "", "", false
	case failed == nil || failed.Fault == domain.FaultRefused:
		return domain.ConnectorReady, "", true
	default:
		return domain.ConnectorUnreachable, failed.Message, true
	}
}
