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

// Call sends one call, once. It returns an *outside.Error or the error of ctx.
func (m *Manager) Call(ctx context.Context, call outside.Call) (result outside.Result, err error) {
	offered, err := m.offer(ctx, call)
	if err != nil {
		return result, err
	}
	begun := m.clock()
	l, err := offered.acquire(ctx, call)
	if err == nil {
		result, err = l.call(Call{Call: call, Definition: offered.command})
	}
	m.ended(ctx, offered, call, begun, result, err)
	return result, err
}

// Probe checks whether a call with an unknown outcome was carried out. It returns outside.ErrNoProbe
// if the command has no probe.
func (m *Manager) Probe(ctx context.Context, call outside.Call) (done bool, result outside.Result, err error) {
	offered, err := m.offer(ctx, call)
	if err != nil {
		return false, result, err
	}
	begun := m.clock()
	l, err := offered.acquire(ctx, call)
	if err == nil {
		done, result, err = l.probe(Call{Call: call, Definition: offered.command})
	}
	if !errors.Is(err, outside.ErrNoProbe) {
		m.ended(ctx, offered, call, begun, result, err)
	}
	return done, result, err
}

// offer finds the command of a call.
func (m *Manager) offer(ctx context.Context, call outside.Call) (*offer, error) {
	w, err := m.workspace(ctx, call.WorkspaceID)
	if err != nil {
		return nil, notSent(err, "the connectors of the workspace cannot be read")
	}
	if offered := w.byName[call.Command]; offered != nil {
		return offered, nil
	}
	return nil, &outside.Error{
		Fault: outside.FaultNotSent, Message: fmt.Sprintf("Nothing was sent: %s is no longer offered.", call.Command),
	}
}

// acquire takes a lease for one request of a command, within the command's timeout.
func (o *offer) acquire(ctx context.Context, call outside.Call) (*lease, error) {
	return o.endpoint.acquire(traces.With(ctx, call.TraceParent), timeoutOf(&o.command))
}

// ended reports a request, and stores what it shows about its connector.
func (m *Manager) ended(
	ctx context.Context, o *offer, call outside.Call, begun time.Time, result outside.Result, err error,
) {
	c := o.endpoint.connector
	m.called(CallReport{
		WorkspaceID: call.WorkspaceID, SessionID: call.SessionID, ExecutionID: call.ExecutionID, ConnectorID: c.ID,
		Command: o.command.Name, Kind: c.Kind, Effect: o.command.Effect, Outcome: outcomeOf(ctx, result, err),
		Took: m.clock().Sub(begun), TraceParent: call.TraceParent, Err: err,
	})
	if ctx.Err() == nil {
		m.note(ctx, o.endpoint, err)
	}
}

func outcomeOf(ctx context.Context, result outside.Result, err error) string {
	switch {
	case err != nil && ctx.Err() != nil:
		return "cancelled"
	case err != nil:
		return map[outside.Fault]string{
			outside.FaultUnknown: "doubt", outside.FaultNotSent: "not_sent",
			outside.FaultRefused: "refused", outside.FaultSignIn: "sign_in",
		}[outside.FaultOf(err)]
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
	if err != nil && outside.FaultOf(err) == outside.FaultSignIn {
		return outside.ConnectorNeedsSignIn, err.Error(), true
	}
	switch failed, known := verdict(err); {
	case !known:
		return "", "", false
	case failed == nil || failed.Fault == outside.FaultRefused:
		return outside.ConnectorReady, "", true
	default:
		return outside.ConnectorUnreachable, failed.Message, true
	}
}
