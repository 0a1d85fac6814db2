package connectors

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/traces"
)

// Canceller is a Connection besides, whose server calls back, and can be told to stop.
type Canceller interface {
	TellCancelled(ctx context.Context, t *domain.Task, command domain.ConnectorCommand, reason string) error
}

// SigningSecret is the member of a config that a service signs its reports with.
const SigningSecret = "signing_secret"

// SigningSecrets are those with which a connector's service signs; none: it cannot.
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

// taskTimeout bounds one question about a task.
const taskTimeout = 15 * time.Second

// CancelTask tells the server of a task to stop. nil too where it has no way to be told, or
// its connector is gone.
func (m *Manager) CancelTask(ctx context.Context, t *domain.Task, reason string) error {
	return m.about(ctx, t, func(ctx context.Context, c *connection, command domain.ConnectorCommand) error {
		switch to := c.Connection.(type) {
		case Canceller:
			return to.TellCancelled(ctx, t, command, reason)
		case Tasks:
			if t.RemoteID != "" {
				return to.CancelTask(ctx, t.RemoteID)
			}
		}
		return nil
	})
}

// PollTask asks the server of a task how far it is.
func (m *Manager) PollTask(ctx context.Context, t *domain.Task) (domain.TaskReport, error) {
	var report domain.TaskReport
	err := m.about(ctx, t, func(ctx context.Context, c *connection, _ domain.ConnectorCommand) error {
		asked, ok := c.Connection.(Tasks)
		if !ok {
			return nil
		}
		state, err := asked.Task(ctx, t.RemoteID)
		if err != nil {
			return err
		}
		report = reportOf(state)
		return nil
	})
	if report.Question != nil {
		report.Question.From = m.nameOf(ctx, t)
	}
	return report, err
}

// nameOf is how people know the connector of a task.
func (m *Manager) nameOf(ctx context.Context, t *domain.Task) string {
	if w, err := m.workspace(ctx, t.WorkspaceID); err == nil && w.lines[t.ConnectorID] != nil {
		return w.lines[t.ConnectorID].connector.Name
	}
	return t.Command
}

// AnswerTask tells the server of a task what a person answered to what it asked.
func (m *Manager) AnswerTask(ctx context.Context, t *domain.Task, key string, answer json.RawMessage) error {
	return m.about(ctx, t, func(ctx context.Context, c *connection, _ domain.ConnectorCommand) error {
		asked, ok := c.Connection.(Tasks)
		if !ok {
			return nil
		}
		return asked.AnswerTask(ctx, t.RemoteID, key, answer)
	})
}

// reportOf is what a server says of a task that is asked for.
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

// about carries out one request about a task, over the connection of its connector.
func (m *Manager) about(ctx context.Context, t *domain.Task, do func(context.Context, *connection, domain.ConnectorCommand) error) error {
	w, err := m.workspace(ctx, t.WorkspaceID)
	if err != nil {
		return err
	}
	l := w.lines[t.ConnectorID]
	if l == nil {
		return nil // it is gone, or disabled: nothing is sent to it
	}
	var command domain.ConnectorCommand
	for _, c := range l.connector.Commands {
		if l.connector.Prefix+"."+c.Name == t.Command {
			command = c
		}
	}
	// What is said of a task after its order is a trace of the task's own.
	ctx, cancel := context.WithTimeout(traces.With(ctx, traces.Parent(traces.Of(t.ID), traces.Span(t.ExecutionID))), taskTimeout)
	defer cancel()
	_, err = l.call(ctx, func(c *connection) (domain.OutsideResult, error) {
		return domain.OutsideResult{}, do(ctx, c, command)
	})
	return err
}
