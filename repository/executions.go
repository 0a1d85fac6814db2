package repository

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

type executionRow struct {
	WorkspaceID string `db:"workspace_id"`
	ID          string `db:"id"`
	SessionID   string `db:"session_id"`
	RoundID     string `db:"round_id"`
	MessageID   string `db:"message_id"`
	CallID      string `db:"call_id"`
	Position    int    `db:"position"`
	Command     string `db:"command"`
	Params      string `db:"params"`
	Repeat      bool   `db:"repeat"`
	CommandID   string `db:"command_id"`
	Kind        string `db:"kind"`
	Effect      string `db:"effect"`
	Status      string `db:"status"`
	Attempt     int    `db:"attempt"`
	ApprovalID  string `db:"approval_id"`
	Digest      string `db:"digest"`
	GrantID     string `db:"grant_id"`
	Result      string `db:"result"`
	Text        string `db:"result_text"`
	Note        string `db:"note"`
	Error       string `db:"error"`
	CreatedAt   stamp  `db:"created_at"`
	StartedAt   stamp  `db:"started_at"`
	EndedAt     stamp  `db:"ended_at"`
}

const (
	executionWritten = "round_id, message_id, call_id, position, command, params, repeat, command_id, kind, effect, " +
		"status, attempt, approval_id, digest, grant_id, result, result_text, note, error, created_at, started_at, ended_at"
	executionColumns = "workspace_id, id, session_id, " + executionWritten
	executionWidth   = 25
)

func executionArgs(e *domain.Execution) ([]any, error) {
	failure, err := text(e.Error)
	if err != nil {
		return nil, fmt.Errorf("write execution %s: %w", e.ID, err)
	}
	return []any{
		e.WorkspaceID, e.ID, e.SessionID, e.RoundID, e.MessageID, e.CallID, e.Position, e.Command, string(e.Params),
		e.Repeat, e.CommandID, string(e.Kind), string(e.Effect), string(e.Status), e.Attempt, e.ApprovalID, e.Digest, e.GrantID,
		string(e.Result), e.Text, e.Note, failure, stamp{e.CreatedAt}, stampOf(e.StartedAt), stampOf(e.EndedAt),
	}, nil
}

func (r *executionRow) execution() (*domain.Execution, error) {
	failure, err := parsed[domain.CommandError](r.Error)
	if err != nil {
		return nil, fmt.Errorf("read execution %s: %w", r.ID, err)
	}
	return &domain.Execution{
		ID: r.ID, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, RoundID: r.RoundID, MessageID: r.MessageID,
		CallID: r.CallID, Position: r.Position, Command: r.Command, Params: raw(r.Params), Repeat: r.Repeat,
		CommandID: r.CommandID, Kind: domain.CommandKind(r.Kind), Effect: domain.CommandEffect(r.Effect),
		Status: domain.ExecutionStatus(r.Status), Attempt: r.Attempt, ApprovalID: r.ApprovalID, Digest: r.Digest, GrantID: r.GrantID,
		Result: raw(r.Result), Text: r.Text, Note: r.Note, Error: failure,
		CreatedAt: r.CreatedAt.Time, StartedAt: r.StartedAt.ptr(), EndedAt: r.EndedAt.ptr(),
	}, nil
}

// Executions lists the journal of a session, oldest first.
func (s *Store) Executions(ctx context.Context, workspace, session string) ([]*domain.Execution, error) {
	var rows []executionRow
	err := s.reads.all(ctx, &rows, "SELECT "+executionColumns+" FROM executions "+
		"WHERE workspace_id = $1 AND session_id = $2 ORDER BY created_at, message_id, position, id", workspace, session)
	if err != nil {
		return nil, fmt.Errorf("list the executions: %w", err)
	}
	if len(rows) == 0 {
		if err := sessionExists(ctx, s.reads, workspace, session); err != nil {
			return nil, err
		}
	}
	return each(rows, (*executionRow).execution)
}

// planned lists the executions of one answer, by position.
func planned(ctx context.Context, r reader, workspace, session, answer string) ([]*domain.Execution, error) {
	var rows []executionRow
	err := r.all(ctx, &rows, "SELECT "+executionColumns+" FROM executions "+
		"WHERE workspace_id = $1 AND session_id = $2 AND message_id = $3 ORDER BY position, id", workspace, session, answer)
	if err != nil {
		return nil, fmt.Errorf("list the executions of an answer: %w", err)
	}
	return each(rows, (*executionRow).execution)
}

// executionUpsert writes by id. There is no way back from a result to being on the
// way: that is what keeps an action whose outcome is unknown from being sent twice.
var executionUpsert = onConflict("executions", executionWritten,
	"executions.status IN ('PLANNED', 'APPROVED', 'STARTED') OR excluded.status NOT IN ('PLANNED', 'APPROVED', 'STARTED')")

// onConflict is the tail of an INSERT that updates the row that is there, on a
// condition.
func onConflict(table, columns, condition string) string {
	names := strings.Split(columns, ", ")
	for i, c := range names {
		names[i] = c + " = excluded." + c
	}
	return " ON CONFLICT (workspace_id, id) DO UPDATE SET " + strings.Join(names, ", ") +
		" WHERE " + table + ".session_id = excluded.session_id AND (" + condition + ")"
}

func (t *tx) writeExecutions(ctx context.Context, executions []*domain.Execution) error {
	executions = distinct(executions, func(e *domain.Execution) string { return e.ID })
	args := make([]any, 0, len(executions)*executionWidth)
	for _, e := range executions {
		values, err := executionArgs(e)
		if err != nil {
			return err
		}
		args = append(args, values...)
	}
	n, err := t.insert(ctx, "executions", executionColumns, executionUpsert, executionWidth, args)
	if err != nil {
		return fmt.Errorf("write executions: %w", err)
	}
	if n != int64(len(executions)) {
		return fmt.Errorf("write executions: %d of %d have a result already and may not be started again", int64(len(executions))-n, len(executions))
	}
	return nil
}
