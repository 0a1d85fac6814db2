package automations

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

var Ceiling = transaction.Ceiling{Most: 500, Noun: "automations", From: "automations WHERE deleted_at IS NULL"}

// AutomationStore stores automations with their occurrences, grants and runs.
type AutomationStore struct{ db *transaction.DB }

// NewAutomationStore makes the store of automations.
func NewAutomationStore(db *transaction.DB) *AutomationStore { return &AutomationStore{db} }

// ownerColumns is whose an automation is, who sees its runs, and whose slot they need.
type ownerColumns struct {
	Owner      string `db:"owner"`
	Visibility string `db:"visibility"`
	Lane       string `db:"lane"`
}

type hookColumns struct {
	HookHash   string `db:"hook_hash"`
	HookSealed string `db:"hook_sealed"`
}

type automationRow struct {
	WorkspaceID string `db:"workspace_id,key"`
	ID          string `db:"id,key"`
	ownerColumns
	Name              string      `db:"name"`
	SeedSessionID     string      `db:"seed_session_id"`
	ProviderID        string      `db:"provider_id"`
	Enabled           bool        `db:"enabled"`
	DisabledReason    string      `db:"disabled_reason"`
	Schedule          string      `db:"schedule"`
	Misfire           string      `db:"misfire"`
	Overlap           string      `db:"overlap"`
	Validation        string      `db:"validation"`
	RequireValidation bool        `db:"require_validation"`
	Completion        string      `db:"completion"`
	Tags              string      `db:"tags"`
	Commands          string      `db:"commands"`
	Triggers          string      `db:"triggers"`
	Budgets           string      `db:"budgets"`
	ScheduleSince     sqldb.Stamp `db:"schedule_since"`
	NextAt            sqldb.Stamp `db:"next_at"`
	Watches           bool        `db:"watches"`
	SeenSeq           int64       `db:"seen_seq"`
	hookColumns
	Version   int64       `db:"version"`
	CreatedAt sqldb.Stamp `db:"created_at"`
	UpdatedAt sqldb.Stamp `db:"updated_at"`
	DeletedAt sqldb.Stamp `db:"deleted_at"`
}

var (
	automationTable  = sqldb.NewTable[automationRow]("automations")
	automationUpdate = automationTable.Update("version")
)

func automationRowOf(a *automation.Automation) (automationRow, error) {
	var err error
	row := automationRow{
		WorkspaceID: a.WorkspaceID, ID: a.ID, ownerColumns: ownerColumns{a.Owner, string(a.Visibility), string(a.Lane)},
		Name: a.Name, SeedSessionID: a.SeedSessionID, ProviderID: a.ProviderID,
		Enabled: a.Enabled, DisabledReason: a.DisabledReason, Schedule: sqldb.JSONOf(a.Schedule, &err), Misfire: string(a.Misfire),
		Overlap: string(a.Overlap), Validation: a.Validation, RequireValidation: a.RequireValidation, Completion: string(a.Completion),
		Commands: sqldb.JSONOf(&a.Commands, &err), Tags: sqldb.JSONOf(&a.Tags, &err),
		Triggers: sqldb.JSONOf(&a.Triggers, &err), Budgets: sqldb.JSONOf(&a.Budgets, &err),
		ScheduleSince: sqldb.At(a.ScheduleSince), NextAt: sqldb.AtPtr(a.NextAt), Watches: a.Watches(), SeenSeq: a.SeenSeq,
		hookColumns: hookColumns{a.HookHash, a.HookSealed}, Version: a.Version, CreatedAt: sqldb.At(a.CreatedAt),
		UpdatedAt: sqldb.At(a.UpdatedAt), DeletedAt: sqldb.AtPtr(a.DeletedAt),
	}
	return row, err
}

func (r *automationRow) automation() (*automation.Automation, error) {
	a := &automation.Automation{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Belonging: automation.Belonging{
			Ownership: domain.Ownership{Owner: r.Owner, Visibility: domain.Visibility(r.Visibility)}, Lane: automation.LanePolicy(r.Lane),
		},
		Name: r.Name, SeedSessionID: r.SeedSessionID, ProviderID: r.ProviderID,
		Enabled: r.Enabled, DisabledReason: r.DisabledReason, Misfire: automation.MisfirePolicy(r.Misfire),
		Overlap: automation.OverlapPolicy(r.Overlap), Validation: r.Validation, RequireValidation: r.RequireValidation,
		Completion: automation.CompletionPolicy(r.Completion), ScheduleSince: r.ScheduleSince.Time, NextAt: r.NextAt.Ptr(),
		SeenSeq: r.SeenSeq, HookSecret: automation.HookSecret{HookHash: r.HookHash, HookSealed: r.HookSealed},
		Version: r.Version, CreatedAt: r.CreatedAt.Time,
		UpdatedAt: r.UpdatedAt.Time, DeletedAt: r.DeletedAt.Ptr(),
	}
	fail := func(err error) (*automation.Automation, error) {
		return nil, fmt.Errorf("read automation %s: %w", r.ID, err)
	}
	var err error
	if a.Schedule, err = sqldb.DecodeJSON[automation.Schedule](r.Schedule); err != nil {
		return fail(err)
	}
	tags, err := sqldb.DecodeJSON[[]string](r.Tags)
	if err != nil {
		return fail(err)
	}
	triggers, err := sqldb.DecodeJSON[[]automation.Trigger](r.Triggers)
	if err != nil {
		return fail(err)
	}
	budgets, err := sqldb.DecodeJSON[domain.Budgets](r.Budgets)
	if err != nil {
		return fail(err)
	}
	commands, err := sqldb.DecodeJSON[[]string](r.Commands)
	if err != nil {
		return fail(err)
	}
	a.Tags, a.Triggers, a.Budgets, a.Commands = *tags, *triggers, *budgets, *commands
	return a, nil
}

// Automation returns one automation that is not deleted.
func (s *AutomationStore) Automation(ctx context.Context, workspace, id string) (*automation.Automation, error) {
	return AutomationIn(ctx, s.db, workspace, id)
}

func AutomationIn(ctx context.Context, r sqldb.Reader, workspace, id string) (*automation.Automation, error) {
	var row automationRow
	err := r.Get(
		ctx,
		&row,
		"SELECT "+automationTable.Columns()+" FROM automations WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL",
		workspace,
		id,
	)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("automation")
	}
	if err != nil {
		return nil, fmt.Errorf("read the automation: %w", err)
	}
	return row.automation()
}

// AutomationOfHook finds an automation by the id in its webhook URL, in any workspace. The caller
// verifies the token.
func (s *AutomationStore) AutomationOfHook(ctx context.Context, id string) (*automation.Automation, error) {
	var row automationRow
	err := s.db.Get(ctx, &row, "SELECT "+automationTable.Columns()+" FROM automations WHERE id = $1 AND hook_sealed <> '' "+
		"AND deleted_at IS NULL", id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("webhook")
	}
	if err != nil {
		return nil, fmt.Errorf("read the webhook's automation: %w", err)
	}
	return row.automation()
}

// Automations lists a workspace's automations, newest first. The second result is the
// cursor of the next page, "" at the end.
func (s *AutomationStore) Automations(ctx context.Context, workspace string, enabled *bool, cursor string, limit int) (
	[]*automation.Automation, string, error,
) {
	before, err := sqldb.ReadCursor(cursor, domain.PrefixAutomation)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+automationTable.Columns()+" FROM automations WHERE workspace_id = ? AND deleted_at IS NULL", workspace)
	if enabled != nil {
		q.Add(" AND enabled = ?", *enabled)
	}
	if cursor != "" {
		q.Add(" AND (created_at, id) < (?, ?)", before.Number, before.ID)
	}
	q.Add(" ORDER BY created_at DESC, id DESC")
	rows, next, err := sqldb.ReadPage(
		ctx,
		s.db,
		q,
		limit,
		func(r *automationRow) sqldb.Cursor { return sqldb.TimeCursor(r.CreatedAt, r.ID) },
	)
	if err != nil {
		return nil, "", fmt.Errorf("list the automations: %w", err)
	}
	all, err := transaction.Each(rows, (*automationRow).automation)
	return all, next, err
}

// WatchingAutomations lists the automations triggered by entries that have not processed every
// event of their workspace yet; workspace "" means all workspaces.
func (s *AutomationStore) WatchingAutomations(ctx context.Context, workspace string) ([]domain.AutomationRef, error) {
	return s.automationRefs(ctx, "SELECT a.workspace_id, a.id FROM automations a JOIN workspaces w ON w.id = a.workspace_id "+
		"WHERE a.watches AND ($1 = '' OR a.workspace_id = $1) AND a.seen_seq < w.last_seq ORDER BY a.workspace_id, a.id", workspace)
}

func (s *AutomationStore) automationRefs(ctx context.Context, sql string, args ...any) ([]domain.AutomationRef, error) {
	var rows []struct {
		WorkspaceID string `db:"workspace_id"`
		ID          string `db:"id"`
	}
	if err := s.db.All(ctx, &rows, sql, args...); err != nil {
		return nil, fmt.Errorf("look for automations that are due: %w", err)
	}
	out := make([]domain.AutomationRef, len(rows))
	for i, r := range rows {
		out[i] = domain.AutomationRef{WorkspaceID: r.WorkspaceID, ID: r.ID}
	}
	return out, nil
}

// Write writes every automation of a change, provided its version is still the one that
// was read.
func Write(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
	for _, row := range c.Rows {
		switch row.(type) {
		case automation.Write, *automation.Occurrence:
		default:
			return fmt.Errorf("a change has a row of type %T, which no table takes", row)
		}
	}
	for _, w := range automation.Writes(c) {
		if w.Bookkeeping {
			err := t.WriteOne(
				ctx,
				domain.ErrStale,
				"UPDATE automations SET next_at = $3, seen_seq = $4 WHERE workspace_id = $1 AND id = $2",
				w.Automation.WorkspaceID,
				w.Automation.ID,
				sqldb.AtPtr(w.Automation.NextAt),
				w.Automation.SeenSeq,
			)
			if err != nil {
				return fmt.Errorf("note the next look at automation %s: %w", w.Automation.ID, err)
			}
			continue
		}
		a := *w.Automation
		before := a.Version
		a.Version++
		row, err := automationRowOf(&a)
		if err != nil {
			return err
		}
		if w.Insert {
			if err = Ceiling.Room(ctx, t, a.WorkspaceID); err != nil {
				return err
			}
			_, err = t.Insert(ctx, automationTable.Rows(row), "")
		} else {
			err = t.WriteOne(ctx, domain.ErrStale, automationUpdate, automationTable.Updated(&row, before)...)
		}
		if err != nil {
			return fmt.Errorf("write automation %s: %w", a.ID, err)
		}
		w.Automation.Version = a.Version
		written := w.Automation
		t.OnFailure(func() { written.Version = before })
	}
	return writeGrants(ctx, t, c.Grants)
}
