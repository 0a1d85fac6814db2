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
func (m *Manager) CancelTask(ctx context.Context, t *domain.Task, reason string) error {
	return m.about(ctx, t, func(ctx context.Context, c *connection, command outside.ConnectorCommand) error {
		switch to := c.Connection.(type) {
		case Canceller:
			return to.NotifyCancelled(ctx, t, command, reason)
		case Tasks:
			if t.RemoteID != "" {
				return to.CancelTask(ctx, t.RemoteID)
			}
		}
		return nil
	})
}

// PollTask fetches the progress of a task from its server.
func (m *Manager) PollTask(ctx context.Context, t *domain.Task) (domain.TaskReport, error) {
	var report domain.TaskReport
	err := m.about(ctx, t, func(ctx context.Context, c *connection, _ outside.ConnectorCommand) error {
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

// nameOf returns the display name of a task's connector.
func (m *Manager) nameOf(ctx context.Context, t *domain.Task) string {
	if w, err := m.workspace(ctx, t.WorkspaceID); err == nil && w.endpoints[t.ConnectorID] != nil {
		return w.endpoints[t.ConnectorID].connector.Name
	}
	return t.Command
}

// AnswerTask sends a person's answer to a task's question to its server.
func (m *Manager) AnswerTask(ctx context.Context, t *domain.Task, key string, answer json.RawMessage) error {
	return m.about(ctx, t, func(ctx context.Context, c *connection, _ outside.ConnectorCommand) error {
		asked, ok := c.Connection.(Tasks)
		if !ok {
			return nil
		}
		return asked.AnswerTask(ctx, t.RemoteID, key, answer)
	})
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

// about performs one request about a task, over the connection of its connector.
func (m *Manager) about(ctx context.Context, t *domain.Task, do func(context.Context, *connection, outside.ConnectorCommand) error) error {
	w, err := m.workspace(ctx, t.WorkspaceID)
	if err != nil {
		return err
	}
	l := w.endpoints[t.ConnectorID]
	if l == nil {
		return nil // deleted or disabled: nothing is sent
	}
	var command outside.ConnectorCommand
	for _, c := range l.connector.Commands {
		if l.connector.Prefix+"."+c.Name == t.Command {
			command = c
		}
	}
	// Requests after the order are traced under the task's own trace.
	ctx, cancel := context.WithTimeout(traces.With(ctx, traces.Parent(traces.Of(t.ID), traces.Span(t.ExecutionID))), taskTimeout)
	defer cancel()
	_, err = l.call(ctx, func(c *connection) (domain.OutsideResult, error) {
		return domain.OutsideResult{}, do(ctx, c, command)
	})
	return err
}
