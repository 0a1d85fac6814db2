package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

type executionRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	ID          string      `db:"id,key"`
	SessionID   string      `db:"session_id,once"`
	RoundID     string      `db:"round_id"`
	MessageID   string      `db:"message_id"`
	CallID      string      `db:"call_id"`
	Position    int         `db:"position"`
	Command     string      `db:"command"`
	Params      string      `db:"params"`
	Repeat      bool        `db:"repeat"`
	CommandID   string      `db:"command_id"`
	Kind        string      `db:"kind"`
	Effect      string      `db:"effect"`
	Status      string      `db:"status"`
	Attempt     int         `db:"attempt"`
	ApprovalID  string      `db:"approval_id"`
	Digest      string      `db:"digest"`
	GrantID     string      `db:"grant_id"`
	Result      string      `db:"result"`
	Text        string      `db:"result_text"`
	Note        string      `db:"note"`
	Error       string      `db:"error"`
	Foreign     string      `db:"foreign_words"`
	CreatedAt   sqldb.Stamp `db:"created_at"`
	StartedAt   sqldb.Stamp `db:"started_at"`
	EndedAt     sqldb.Stamp `db:"ended_at"`
}

var executionTable = sqldb.NewTable[executionRow]("executions")

func executionRowOf(e *domain.Execution) (executionRow, error) {
	failure, err := sqldb.EncodeJSON(e.Error)
	if err != nil {
		return executionRow{}, fmt.Errorf("write execution %s: %w", e.ID, err)
	}
	foreign, err := sqldb.EncodeJSON(e.Foreign)
	if err != nil {
		return executionRow{}, fmt.Errorf("write where execution %s comes from: %w", e.ID, err)
	}
	return executionRow{
		WorkspaceID: e.WorkspaceID, ID: e.ID, SessionID: e.SessionID, RoundID: e.RoundID, MessageID: e.MessageID, CallID: e.CallID,
		Position: e.Position, Command: e.Command, Params: string(e.Params), Repeat: e.Repeat, CommandID: e.CommandID,
		Kind: string(e.Kind), Effect: string(e.Effect), Status: string(e.Status), Attempt: e.Attempt, ApprovalID: e.ApprovalID,
		Digest: e.Digest, GrantID: e.GrantID, Result: string(e.Result), Text: e.Text, Note: e.Note, Error: failure, Foreign: foreign,
		CreatedAt: sqldb.At(e.CreatedAt), StartedAt: sqldb.AtPtr(e.StartedAt), EndedAt: sqldb.AtPtr(e.EndedAt),
	}, nil
}

func (r *executionRow) execution() (*domain.Execution, error) {
	failure, err := sqldb.DecodeJSON[domain.CommandError](r.Error)
	if err != nil {
		return nil, fmt.Errorf("read execution %s: %w", r.ID, err)
	}
	foreign, err := sqldb.DecodeJSON[domain.Foreign](r.Foreign)
	if err != nil {
		return nil, fmt.Errorf("read where execution %s comes from: %w", r.ID, err)
	}
	return &domain.Execution{
		ID: r.ID, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, RoundID: r.RoundID, MessageID: r.MessageID,
		CallID: r.CallID, Position: r.Position, Command: r.Command, Params: sqldb.RawJSON(r.Params), Repeat: r.Repeat,
		CommandID: r.CommandID, Kind: domain.CommandKind(r.Kind), Effect: domain.CommandEffect(r.Effect),
		Status: domain.ExecutionStatus(r.Status), Attempt: r.Attempt, ApprovalID: r.ApprovalID, Digest: r.Digest, GrantID: r.GrantID,
		Result: sqldb.RawJSON(r.Result), Text: r.Text, Note: r.Note, Error: failure, Foreign: foreign,
		CreatedAt: r.CreatedAt.Time, StartedAt: r.StartedAt.Ptr(), EndedAt: r.EndedAt.Ptr(),
	}, nil
}

// Executions lists the journal of a session, oldest first.
func (s *RecordStore) Executions(ctx context.Context, workspace, session string) ([]*domain.Execution, error) {
	var rows []executionRow
	err := s.db.All(ctx, &rows, "SELECT "+executionTable.Columns()+" FROM executions "+
		"WHERE workspace_id = $1 AND session_id = $2 ORDER BY created_at, message_id, position, id", workspace, session)
	if err != nil {
		return nil, fmt.Errorf("list the executions: %w", err)
	}
	if len(rows) == 0 {
		if err := sessionExists(ctx, s.db, workspace, session); err != nil {
			return nil, err
		}
	}
	return transaction.Each(rows, (*executionRow).execution)
}

// executionsOf lists the executions of one answer, by position.
func executionsOf(ctx context.Context, r sqldb.Reader, workspace, session, answer string) ([]*domain.Execution, error) {
	var rows []executionRow
	err := r.All(ctx, &rows, "SELECT "+executionTable.Columns()+" FROM executions "+
		"WHERE workspace_id = $1 AND session_id = $2 AND message_id = $3 ORDER BY position, id", workspace, session, answer)
	if err != nil {
		return nil, fmt.Errorf("list the executions of an answer: %w", err)
	}
	return transaction.Each(rows, (*executionRow).execution)
}

// executionUpsert inserts or updates by id. An execution with a result cannot become pending again,
// which prevents an action with an unknown outcome from being sent twice.
var executionUpsert = executionTable.Upsert("executions.session_id = excluded.session_id AND (" +
	"executions.status IN ('PLANNED', 'APPROVED', 'STARTED') OR excluded.status NOT IN ('PLANNED', 'APPROVED', 'STARTED'))")

func writeExecutions(ctx context.Context, t *transaction.Tx, executions []*domain.Execution) error {
	executions = transaction.Distinct(executions, func(e *domain.Execution) string { return e.ID })
	rows, err := transaction.RowsOf(executions, executionRowOf)
	if err != nil {
		return err
	}
	missing, err := t.InsertAll(ctx, executionTable.Rows(rows...), executionUpsert)
	if err != nil {
		return fmt.Errorf("write executions: %w", err)
	}
	if missing > 0 {
		return fmt.Errorf("write executions: %d of %d have a result already and may not be started again", missing, len(executions))
	}
	return nil
}

// TaskExecution returns the execution that a task belongs to.
func (s *RecordStore) TaskExecution(ctx context.Context, t *domain.Task) (*domain.Execution, error) {
	var row executionRow
	err := s.db.Get(ctx, &row, "SELECT "+executionTable.Columns()+" FROM executions WHERE workspace_id = $1 AND id = $2",
		t.WorkspaceID, t.ExecutionID)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("execution")
	}
	if err != nil {
		return nil, fmt.Errorf("read the execution of task %s: %w", t.ID, err)
	}
	return row.execution()
}
