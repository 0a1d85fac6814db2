package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

type approvalRow struct {
	WorkspaceID     string `db:"workspace_id"`
	ID              string `db:"id"`
	SessionID       string `db:"session_id"`
	RoundID         string `db:"round_id"`
	Kind            string `db:"kind"`
	Status          string `db:"status"`
	Reasons         string `db:"reasons"`
	Actions         string `db:"actions"`
	Module          string `db:"module"`
	Budget          string `db:"budget"`
	ResponseSchema  string `db:"response_schema"`
	CancelMessageID string `db:"cancel_message_id"`
	Question        string `db:"question"`
	ExpiresAt       stamp  `db:"expires_at"`
	OnExpiry        string `db:"on_expiry"`
	CreatedAt       stamp  `db:"created_at"`
	SettledBy       string `db:"settled_by"`
	SettledAt       stamp  `db:"settled_at"`
	Decision        string `db:"decision"`
}

const (
	approvalWritten = "round_id, kind, status, reasons, actions, module, budget, response_schema, cancel_message_id, question, " +
		"expires_at, on_expiry, created_at, settled_by, settled_at, decision"
	approvalColumns = "workspace_id, id, session_id, " + approvalWritten
	approvalWidth   = 19
)

func approvalArgs(a *domain.Approval) ([]any, error) {
	reasons, err := text(&a.Reasons)
	if err != nil {
		return nil, err
	}
	actions, err := text(&a.Actions)
	if err != nil {
		return nil, err
	}
	module, err := text(a.Module)
	if err != nil {
		return nil, err
	}
	budget, err := text(a.Budget)
	if err != nil {
		return nil, err
	}
	return []any{
		a.WorkspaceID, a.ID, a.SessionID, a.RoundID, string(a.Kind), string(a.Status), reasons, actions, module, budget,
		string(a.ResponseSchema), a.CancelMessageID, a.Text, stampOf(a.ExpiresAt), a.OnExpiry, stamp{a.CreatedAt},
		a.SettledBy, stampOf(a.SettledAt), string(a.Decision),
	}, nil
}

func (r *approvalRow) approval() (*domain.Approval, error) {
	a := &domain.Approval{
		ID: r.ID, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, RoundID: r.RoundID,
		Kind: domain.ApprovalKind(r.Kind), Status: domain.ApprovalStatus(r.Status),
		ResponseSchema: raw(r.ResponseSchema), CancelMessageID: r.CancelMessageID, Text: r.Question,
		ExpiresAt: r.ExpiresAt.ptr(), OnExpiry: r.OnExpiry, CreatedAt: r.CreatedAt.Time,
		SettledBy: r.SettledBy, SettledAt: r.SettledAt.ptr(), Decision: raw(r.Decision),
	}
	reasons, err := parsed[[]domain.ApprovalReason](r.Reasons)
	if err != nil {
		return nil, fmt.Errorf("read approval %s: %w", r.ID, err)
	}
	actions, err := parsed[[]domain.ApprovalAction](r.Actions)
	if err != nil {
		return nil, fmt.Errorf("read approval %s: %w", r.ID, err)
	}
	a.Reasons, a.Actions = *reasons, *actions
	if a.Module, err = parsed[domain.Module](r.Module); err != nil {
		return nil, fmt.Errorf("read approval %s: %w", r.ID, err)
	}
	if a.Budget, err = parsed[domain.BudgetQuestion](r.Budget); err != nil {
		return nil, fmt.Errorf("read approval %s: %w", r.ID, err)
	}
	return a, nil
}

// Approvals lists a workspace's approvals, newest first. The second result is the
// cursor of the next page, "" at the end.
func (s *Store) Approvals(ctx context.Context, workspace string, f domain.ApprovalFilter) ([]*domain.Approval, string, error) {
	before, err := readCursor(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	q := newQuery("SELECT "+approvalColumns+" FROM approvals WHERE workspace_id = ?", workspace)
	if f.Status != "" {
		q.add(" AND status = ?", string(f.Status))
	}
	if f.SessionID != "" {
		q.add(" AND session_id = ?", f.SessionID)
	}
	if f.Kind != "" {
		q.add(" AND kind = ?", string(f.Kind))
	}
	if f.Cursor != "" {
		q.add(" AND (created_at, id) < (?, ?)", before.Number, before.ID)
	}
	q.add(" ORDER BY created_at DESC, id DESC")
	rows, next, err := turn(ctx, s.reads, q, f.Limit, func(r *approvalRow) cursorKey { return cursorKey{r.CreatedAt.UnixMicro(), "", r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the approvals: %w", err)
	}
	all, err := each(rows, (*approvalRow).approval)
	return all, next, err
}

// Approval reads one approval.
func (s *Store) Approval(ctx context.Context, workspace, id string) (*domain.Approval, error) {
	var row approvalRow
	err := s.reads.get(ctx, &row, "SELECT "+approvalColumns+" FROM approvals WHERE workspace_id = $1 AND id = $2", workspace, id)
	if missing(err) {
		return nil, domain.NotFound("approval")
	}
	if err != nil {
		return nil, fmt.Errorf("read the approval: %w", err)
	}
	return row.approval()
}

// LatestApproval is the newest approval of a kind that the session has; nil when it
// never had one.
func (s *Store) LatestApproval(ctx context.Context, workspace, session string, kind domain.ApprovalKind) (*domain.Approval, error) {
	var row approvalRow
	err := s.reads.get(ctx, &row, "SELECT "+approvalColumns+" FROM approvals "+
		"WHERE workspace_id = $1 AND session_id = $2 AND kind = $3 ORDER BY created_at DESC, id DESC LIMIT 1",
		workspace, session, string(kind))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the latest approval: %w", err)
	}
	return row.approval()
}

// openApprovals lists the open approvals of a session, oldest first.
func openApprovals(ctx context.Context, r reader, workspace, session string) ([]*domain.Approval, error) {
	var rows []approvalRow
	err := r.all(ctx, &rows, "SELECT "+approvalColumns+" FROM approvals "+
		"WHERE workspace_id = $1 AND session_id = $2 AND status = 'open' ORDER BY created_at, id", workspace, session)
	if err != nil {
		return nil, fmt.Errorf("list the open approvals: %w", err)
	}
	return each(rows, (*approvalRow).approval)
}

// approvalUpsert writes by id. What is settled is never settled again.
var approvalUpsert = onConflict("approvals", approvalWritten, "approvals.status = 'open'")

func (t *tx) writeApprovals(ctx context.Context, approvals []*domain.Approval) error {
	approvals = distinct(approvals, func(a *domain.Approval) string { return a.ID })
	args := make([]any, 0, len(approvals)*approvalWidth)
	for _, a := range approvals {
		values, err := approvalArgs(a)
		if err != nil {
			return fmt.Errorf("write approval %s: %w", a.ID, err)
		}
		args = append(args, values...)
	}
	n, err := t.insert(ctx, "approvals", approvalColumns, approvalUpsert, approvalWidth, args)
	if err != nil {
		return fmt.Errorf("write approvals: %w", err)
	}
	if n != int64(len(approvals)) {
		return fmt.Errorf("write approvals: one was settled already: %w", domain.ErrStale)
	}
	return nil
}

// SessionApprovals lists the approvals of one session, oldest first. The second result
// is the cursor of the next page, "" at the end.
func (s *Store) SessionApprovals(ctx context.Context, workspace, session, cursor string, limit int) ([]*domain.Approval, string, error) {
	after, err := readCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	q := newQuery("SELECT "+approvalColumns+" FROM approvals WHERE workspace_id = ? AND session_id = ?", workspace, session)
	if cursor != "" {
		q.add(" AND (created_at, id) > (?, ?)", after.Number, after.ID)
	}
	q.add(" ORDER BY created_at, id")
	rows, next, err := turn(ctx, s.reads, q, limit, func(r *approvalRow) cursorKey { return cursorKey{r.CreatedAt.UnixMicro(), "", r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the session's approvals: %w", err)
	}
	if len(rows) == 0 {
		if err := sessionExists(ctx, s.reads, workspace, session); err != nil {
			return nil, "", err
		}
	}
	all, err := each(rows, (*approvalRow).approval)
	return all, next, err
}
