package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// ApprovalStore reads approvals.
type ApprovalStore struct{ *base }

type approvalRow struct {
	WorkspaceID     string      `db:"workspace_id,key"`
	ID              string      `db:"id,key"`
	SessionID       string      `db:"session_id,once"`
	RoundID         string      `db:"round_id"`
	Kind            string      `db:"kind"`
	Status          string      `db:"status"`
	Reasons         string      `db:"reasons"`
	Actions         string      `db:"actions"`
	Module          string      `db:"module"`
	Budget          string      `db:"budget"`
	ResponseSchema  string      `db:"response_schema"`
	CancelMessageID string      `db:"cancel_message_id"`
	Question        string      `db:"question"`
	ExpiresAt       sqldb.Stamp `db:"expires_at"`
	OnExpiry        string      `db:"on_expiry"`
	CreatedAt       sqldb.Stamp `db:"created_at"`
	SettledBy       string      `db:"settled_by"`
	SettledAt       sqldb.Stamp `db:"settled_at"`
	Decision        string      `db:"decision"`
	Evidence        string      `db:"evidence"`
	LinkEpoch       int64       `db:"link_epoch,once"` // changed by WithdrawLinks only
	Translations    string      `db:"translations"`
}

var approvalTable = sqldb.NewTable[approvalRow]("approvals")

func approvalRowOf(a *domain.Approval) (approvalRow, error) {
	var err error
	row := approvalRow{
		WorkspaceID: a.WorkspaceID, ID: a.ID, SessionID: a.SessionID, RoundID: a.RoundID, Kind: string(a.Kind), Status: string(a.Status),
		Reasons: sqldb.JSONOf(&a.Reasons, &err), Actions: sqldb.JSONOf(&a.Actions, &err), Module: sqldb.JSONOf(a.Module, &err),
		Budget: sqldb.JSONOf(a.Budget, &err), ResponseSchema: string(a.ResponseSchema), CancelMessageID: a.CancelMessageID,
		Question: a.Text, ExpiresAt: sqldb.AtPtr(a.ExpiresAt), OnExpiry: a.OnExpiry, CreatedAt: sqldb.At(a.CreatedAt),
		SettledBy: a.SettledBy, SettledAt: sqldb.AtPtr(a.SettledAt), Decision: string(a.Decision), Evidence: string(a.Evidence),
		LinkEpoch: a.LinkEpoch,
	}
	if len(a.Translations) > 0 {
		row.Translations = sqldb.JSONOf(&a.Translations, &err)
	}
	if err != nil {
		return row, fmt.Errorf("write approval %s: %w", a.ID, err)
	}
	return row, nil
}

func (r *approvalRow) approval() (*domain.Approval, error) {
	a := &domain.Approval{
		ID: r.ID, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, RoundID: r.RoundID,
		Kind: domain.ApprovalKind(r.Kind), Status: domain.ApprovalStatus(r.Status),
		ResponseSchema: sqldb.RawJSON(r.ResponseSchema), CancelMessageID: r.CancelMessageID, Text: r.Question,
		ExpiresAt: r.ExpiresAt.Ptr(), OnExpiry: r.OnExpiry, CreatedAt: r.CreatedAt.Time,
		SettledBy: r.SettledBy, SettledAt: r.SettledAt.Ptr(), Decision: sqldb.RawJSON(r.Decision), Evidence: sqldb.RawJSON(r.Evidence),
		LinkEpoch: r.LinkEpoch,
	}
	reasons, err := sqldb.DecodeJSON[[]domain.ApprovalReason](r.Reasons)
	if err != nil {
		return nil, fmt.Errorf("read approval %s: %w", r.ID, err)
	}
	actions, err := sqldb.DecodeJSON[[]domain.ApprovalAction](r.Actions)
	if err != nil {
		return nil, fmt.Errorf("read approval %s: %w", r.ID, err)
	}
	a.Reasons, a.Actions = *reasons, *actions
	if a.Module, err = sqldb.DecodeJSON[domain.Module](r.Module); err != nil {
		return nil, fmt.Errorf("read approval %s: %w", r.ID, err)
	}
	if a.Budget, err = sqldb.DecodeJSON[domain.BudgetQuestion](r.Budget); err != nil {
		return nil, fmt.Errorf("read approval %s: %w", r.ID, err)
	}
	translations, err := sqldb.DecodeJSON[domain.Translations](r.Translations)
	if err != nil {
		return nil, fmt.Errorf("read approval %s: %w", r.ID, err)
	}
	if translations != nil {
		a.Translations = *translations
	}
	return a, nil
}

// WithdrawLinks invalidates every link to an approval that was issued so far.
func (s *ApprovalStore) WithdrawLinks(ctx context.Context, workspace, id string) error {
	return s.db.Configure(ctx, workspace, func(t *transaction.Tx) error {
		return t.WriteOne(ctx, domain.NotFound("approval"),
			"UPDATE approvals SET link_epoch = link_epoch + 1 WHERE workspace_id = $1 AND id = $2", workspace, id)
	})
}

// Approvals lists a workspace's approvals, newest first. The second result is the cursor of the
// next page, "" at the end.
func (s *ApprovalStore) Approvals(ctx context.Context, workspace string, f domain.ApprovalFilter) ([]*domain.Approval, string, error) {
	before, err := sqldb.ReadCursor(f.Cursor, domain.PrefixApproval)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+approvalTable.Columns()+" FROM approvals WHERE workspace_id = ?", workspace)
	if f.Status != "" {
		q.Add(" AND status = ?", string(f.Status))
	}
	if f.SessionID != "" {
		q.Add(" AND session_id = ?", f.SessionID)
	}
	if f.Kind != "" {
		q.Add(" AND kind = ?", string(f.Kind))
	}
	if f.Cursor != "" {
		q.Add(" AND (created_at, id) < (?, ?)", before.Number, before.ID)
	}
	q.Add(" ORDER BY created_at DESC, id DESC")
	rows, next, err := sqldb.ReadPage(
		ctx,
		s.db,
		q,
		f.Limit,
		func(r *approvalRow) sqldb.Cursor { return sqldb.TimeCursor(r.CreatedAt, r.ID) },
	)
	if err != nil {
		return nil, "", fmt.Errorf("list the approvals: %w", err)
	}
	all, err := transaction.Each(rows, (*approvalRow).approval)
	return all, next, err
}

// Approval returns one approval.
func (s *ApprovalStore) Approval(ctx context.Context, workspace, id string) (*domain.Approval, error) {
	var row approvalRow
	err := s.db.Get(ctx, &row, "SELECT "+approvalTable.Columns()+" FROM approvals WHERE workspace_id = $1 AND id = $2", workspace, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("approval")
	}
	if err != nil {
		return nil, fmt.Errorf("read the approval: %w", err)
	}
	return row.approval()
}

// LatestApproval returns the session's newest approval of a kind, or nil if it never had one.
func (s *ApprovalStore) LatestApproval(ctx context.Context, workspace, session string, kind domain.ApprovalKind) (*domain.Approval, error) {
	var row approvalRow
	err := s.db.Get(ctx, &row, "SELECT "+approvalTable.Columns()+" FROM approvals "+
		"WHERE workspace_id = $1 AND session_id = $2 AND kind = $3 ORDER BY created_at DESC, id DESC LIMIT 1",
		workspace, session, string(kind))
	if sqldb.NotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the latest approval: %w", err)
	}
	return row.approval()
}

// openApprovals lists the open approvals of a session, oldest first.
func openApprovals(ctx context.Context, r sqldb.Reader, workspace, session string) ([]*domain.Approval, error) {
	var rows []approvalRow
	err := r.All(ctx, &rows, "SELECT "+approvalTable.Columns()+" FROM approvals "+
		"WHERE workspace_id = $1 AND session_id = $2 AND status = 'open' ORDER BY created_at, id", workspace, session)
	if err != nil {
		return nil, fmt.Errorf("list the open approvals: %w", err)
	}
	return transaction.Each(rows, (*approvalRow).approval)
}

// approvalUpsert inserts or updates by id. A settled approval cannot be changed.
var approvalUpsert = approvalTable.Upsert("approvals.session_id = excluded.session_id AND (approvals.status = 'open')")

func writeApprovals(ctx context.Context, t *transaction.Tx, approvals []*domain.Approval) error {
	approvals = transaction.Distinct(approvals, func(a *domain.Approval) string { return a.ID })
	rows, err := transaction.RowsOf(approvals, approvalRowOf)
	if err != nil {
		return err
	}
	n, err := t.Insert(ctx, approvalTable.Rows(rows...), approvalUpsert)
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
func (s *ApprovalStore) SessionApprovals(ctx context.Context, workspace, session, cursor string, limit int) (
	[]*domain.Approval, string, error,
) {
	after, err := sqldb.ReadCursor(cursor, domain.PrefixApproval)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+approvalTable.Columns()+" FROM approvals WHERE workspace_id = ? AND session_id = ?", workspace, session)
	if cursor != "" {
		q.Add(" AND (created_at, id) > (?, ?)", after.Number, after.ID)
	}
	q.Add(" ORDER BY created_at, id")
	rows, next, err := sqldb.ReadPage(ctx, s.db, q, limit, func(r *approvalRow) sqldb.Cursor { return sqldb.TimeCursor(r.CreatedAt, r.ID) })
	if err != nil {
		return nil, "", fmt.Errorf("list the session's approvals: %w", err)
	}
	if len(rows) == 0 {
		if err := sessionExists(ctx, s.db, workspace, session); err != nil {
			return nil, "", err
		}
	}
	all, err := transaction.Each(rows, (*approvalRow).approval)
	return all, next, err
}

// maxBetween limits how many approvals one notification lists.
const maxBetween = 200

// ApprovalsBetween lists the approvals that were requested in a period, oldest first, settled or
// not.
func (s *ApprovalStore) ApprovalsBetween(ctx context.Context, workspace string, from, to time.Time) ([]*domain.Approval, error) {
	var rows []approvalRow
	err := s.db.All(ctx, &rows, "SELECT "+approvalTable.Columns()+" FROM approvals WHERE workspace_id = $1 AND created_at >= $2 "+
		"AND created_at < $3 ORDER BY created_at, id LIMIT $4", workspace, sqldb.At(from), sqldb.At(to), maxBetween)
	if err != nil {
		return nil, fmt.Errorf("list the approvals of a time: %w", err)
	}
	return transaction.Each(rows, (*approvalRow).approval)
}
