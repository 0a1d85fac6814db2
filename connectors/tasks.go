package connectors

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/traces"
)

// Canceller is implemented by connections whose server calls back and accepts cancellation
// requests.
type Canceller interface {
	NotifyCancelled(ctx context.Context, t *domain.Task, command outside.ConnectorCommand, reason string) error
}

// SigningSecret is the config member with the secret that a service signs its reports with.
const SigningSecret = "signing_secret"

// SigningSecrets returns the secrets that a connector's service signs with. Empty: it does not
// sign.
func (s *Service) SigningSecrets(ctx context.Context, workspace, id string) ([]string, error) {
	c, err := s.rows.Connector(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	kind, err := s.kind(c.Kind)
	if err != nil || !c.Enabled {
		return nil, err
	}
	all, _, err := s.secretsOf(kind, c)
	if err != nil {
		return nil, fmt.Errorf("read the signing secret of connector %s: %w", id, err)
	}
	if secret := all[SigningSecret][""]; secret != "" {
		return []string{secret}, nil
	}
	return nil, nil
}

// taskTimeout bounds one request about a task.
const taskTimeout = 15 * time.Second

// CancelTask requests cancellation from the server of a task. It returns nil if cancellation is not
// supported or the connector no longer exists.
func (m *Manager) CancelTask(ctx context.Context, t *domain.Task, reason string) (err error) {
	l, command, err := m.about(ctx, t)
	if l == nil {
		return err
	}
	err = errUnfinished
	defer func() { l.Release(err) }()
	switch to := l.connection.Connection.(type) {
	case Canceller:
		return to.NotifyCancelled(l.ctx, t, command, reason)
	case Tasks:
		if t.RemoteID != "" {
			return to.CancelTask(l.ctx, t.RemoteID)
		}
	}
	return nil
}

// PollTask fetches the progress of a task from its server.
func (m *Manager) PollTask(ctx context.Context, t *domain.Task) (domain.TaskReport, error) {
	report, err := m.poll(ctx, t)
	if report.Question != nil {
		report.Question.From = m.nameOf(ctx, t)
	}
	return report, err
}

func (m *Manager) poll(ctx context.Context, t *domain.Task) (report domain.TaskReport, err error) {
	l, _, err := m.about(ctx, t)
	if l == nil {
		return report, err
	}
	err = errUnfinished
	defer func() { l.Release(err) }()
	asked, ok := l.connection.Connection.(Tasks)
	if !ok {
		return report, nil
	}
	state, err := asked.Task(l.ctx, t.RemoteID)
	if err != nil {
		return report, err
	}
	return reportOf(state), nil
}

// nameOf returns the display name of a task's connector.
func (m *Manager) nameOf(ctx context.Context, t *domain.Task) string {
	if w, err := m.workspace(ctx, t.WorkspaceID); err == nil && w.endpoints[t.ConnectorID] != nil {
		return w.endpoints[t.ConnectorID].connector.Name
	}
	return t.Command
}

// AnswerTask sends a person's answer to a task's question to its server.
func (m *Manager) AnswerTask(ctx context.Context, t *domain.Task, key string, answer json.RawMessage) (err error) {
	l, _, err := m.about(ctx, t)
	if l == nil {
		return err
	}
	err = errUnfinished
	defer func() { l.Release(err) }()
	if asked, ok := l.connection.Connection.(Tasks); ok {
		return asked.AnswerTask(l.ctx, t.RemoteID, key, answer)
	}
	return nil
}

// reportOf converts the state of a polled task.
func reportOf(state TaskState) domain.TaskReport {
	r := domain.TaskReport{Status: domain.TaskRunning}
	if state.Question != nil && !state.Done {
		r.Question = &domain.TaskAsks{Key: state.QuestionKey, Module: state.Question}
	}
	switch result := state.Result; {
	case !state.Done:
		if state.Text != "" {
			r.Progress = &domain.TaskProgress{Text: state.Text}
		}
	case state.Cancelled:
		r.Status, r.Error = domain.TaskCancelled, state.Text
		if r.Error == "" && result != nil {
			r.Error = result.Text
		}
	case result == nil, result.Failed:
		r.Status, r.Error = domain.TaskFailed, state.Text
		if result != nil && result.Text != "" {
			r.Error = result.Text
		}
	default:
		r.Status, r.Result = domain.TaskSucceeded, result.JSON
		if len(r.Result) == 0 {
			r.Result = jsonText(result.Text)
		}
	}
	return r
}

// about takes a lease for one request about a task, over the connection of its connector. nil: the connector was deleted
// or disabled, and nothing is sent.
func (m *Manager) about(ctx context.Context, t *domain.Task) (*lease, outside.ConnectorCommand, error) {
	var command outside.ConnectorCommand
	w, err := m.workspace(ctx, t.WorkspaceID)
	if err != nil {
		return nil, command, err
	}
	e := w.endpoints[t.ConnectorID]
	if e == nil {
		return nil, command, nil
	}
	for _, c := range e.connector.Commands {
		if e.connector.Prefix+"."+c.Name == t.Command {
			command = c
		}
	}
	// Requests after the order are traced under the task's own trace.
	traced := traces.With(ctx, traces.Parent(traces.Of(t.ID), traces.Span(t.ExecutionID)))
	l, err := e.acquire(traced, taskTimeout)
	return l, command, err
}
