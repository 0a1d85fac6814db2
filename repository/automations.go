package repository

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

type automationRow struct {
	WorkspaceID       string `db:"workspace_id"`
	ID                string `db:"id"`
	Name              string `db:"name"`
	SeedSessionID     string `db:"seed_session_id"`
	ProviderID        string `db:"provider_id"`
	Enabled           bool   `db:"enabled"`
	DisabledReason    string `db:"disabled_reason"`
	Schedule          string `db:"schedule"`
	Misfire           string `db:"misfire"`
	Overlap           string `db:"overlap"`
	Validation        string `db:"validation"`
	RequireValidation bool   `db:"require_validation"`
	Completion        string `db:"completion"`
	Tags              string `db:"tags"`
	Triggers          string `db:"triggers"`
	Budgets           string `db:"budgets"`
	ScheduleSince     stamp  `db:"schedule_since"`
	NextAt            stamp  `db:"next_at"`
	Watches           bool   `db:"watches"`
	SeenSeq           int64  `db:"seen_seq"`
	HookHash          string `db:"hook_hash"`
	HookSealed        string `db:"hook_sealed"`
	Version           int64  `db:"version"`
	CreatedAt         stamp  `db:"created_at"`
	UpdatedAt         stamp  `db:"updated_at"`
	DeletedAt         stamp  `db:"deleted_at"`
}

const (
	automationWritten = "name, seed_session_id, provider_id, enabled, disabled_reason, schedule, misfire, overlap, validation, " +
		"require_validation, completion, tags, triggers, budgets, schedule_since, next_at, watches, seen_seq, hook_hash, hook_sealed, " +
		"version, created_at, updated_at, deleted_at"
	automationColumns = "workspace_id, id, " + automationWritten
)

func automationArgs(a *domain.Automation) ([]any, error) {
	schedule, err := text(a.Schedule)
	if err != nil {
		return nil, err
	}
	tags, err := text(&a.Tags)
	if err != nil {
		return nil, err
	}
	triggers, err := text(&a.Triggers)
	if err != nil {
		return nil, err
	}
	budgets, err := text(&a.Budgets)
	if err != nil {
		return nil, err
	}
	return []any{
		a.Name, a.SeedSessionID, a.ProviderID, a.Enabled, a.DisabledReason, schedule, string(a.Misfire), string(a.Overlap),
		a.Validation, a.RequireValidation, string(a.Completion), tags, triggers, budgets, stamp{a.ScheduleSince},
		stampOf(a.NextAt), a.Watches(), a.SeenSeq, a.HookHash, a.HookSealed, a.Version, stamp{a.CreatedAt}, stamp{a.UpdatedAt}, stampOf(a.DeletedAt),
	}, nil
}

func (r *automationRow) automation() (*domain.Automation, error) {
	a := &domain.Automation{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, SeedSessionID: r.SeedSessionID, ProviderID: r.ProviderID,
		Enabled: r.Enabled, DisabledReason: r.DisabledReason, Misfire: domain.MisfirePolicy(r.Misfire),
		Overlap: domain.OverlapPolicy(r.Overlap), Validation: r.Validation, RequireValidation: r.RequireValidation,
		Completion: domain.CompletionPolicy(r.Completion), ScheduleSince: r.ScheduleSince.Time, NextAt: r.NextAt.ptr(),
		SeenSeq: r.SeenSeq, HookHash: r.HookHash, HookSealed: r.HookSealed, Version: r.Version, CreatedAt: r.CreatedAt.Time,
		UpdatedAt: r.UpdatedAt.Time, DeletedAt: r.DeletedAt.ptr(),
	}
	fail := func(err error) (*domain.Automation, error) {
		return nil, fmt.Errorf("read automation %s: %w", r.ID, err)
	}
	var err error
	if a.Schedule, err = parsed[domain.Schedule](r.Schedule); err != nil {
		return fail(err)
	}
	tags, err := parsed[[]string](r.Tags)
	if err != nil {
		return fail(err)
	}
	triggers, err := parsed[[]domain.Trigger](r.Triggers)
	if err != nil {
		return fail(err)
	}
	budgets, err := parsed[domain.Budgets](r.Budgets)
	if err != nil {
		return fail(err)
	}
	a.Tags, a.Triggers, a.Budgets = *tags, *triggers, *budgets
	return a, nil
}

// Automation reads one automation that was not deleted.
func (s *Store) Automation(ctx context.Context, workspace, id string) (*domain.Automation, error) {
	return automationIn(ctx, s.reads, workspace, id)
}

func automationIn(ctx context.Context, r reader, workspace, id string) (*domain.Automation, error) {
	var row automationRow
	err := r.get(ctx, &row, "SELECT "+automationColumns+" FROM automations WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL",
		workspace, id)
	if missing(err) {
		return nil, domain.NotFound("automation")
	}
	if err != nil {
		return nil, fmt.Errorf("read the automation: %w", err)
	}
	return row.automation()
}

// AutomationOfHook finds the automation that a webhook URL names, in whatever
// workspace. The caller compares the token.
func (s *Store) AutomationOfHook(ctx context.Context, id string) (*domain.Automation, error) {
	var row automationRow
	err := s.reads.get(ctx, &row, "SELECT "+automationColumns+" FROM automations WHERE id = $1 AND hook_sealed <> '' AND deleted_at IS NULL", id)
	if missing(err) {
		return nil, domain.NotFound("webhook")
	}
	if err != nil {
		return nil, fmt.Errorf("read the webhook's automation: %w", err)
	}
	return row.automation()
}

// Automations lists a workspace's automations, newest first. The second result is the
// cursor of the next page, "" at the end.
func (s *Store) Automations(ctx context.Context, workspace string, enabled *bool, cursor string, limit int) ([]*domain.Automation, string, error) {
	before, err := readCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	q := newQuery("SELECT "+automationColumns+" FROM automations WHERE workspace_id = ? AND deleted_at IS NULL", workspace)
	if enabled != nil {
		q.add(" AND enabled = ?", *enabled)
	}
	if cursor != "" {
		q.add(" AND (created_at, id) < (?, ?)", before.Number, before.ID)
	}
	q.add(" ORDER BY created_at DESC, id DESC")
	rows, next, err := turn(ctx, s.reads, q, limit, func(r *automationRow) cursorKey { return cursorKey{r.CreatedAt.UnixMicro(), "", r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the automations: %w", err)
	}
	all, err := each(rows, (*automationRow).automation)
	return all, next, err
}

// WatchingAutomations lists those that entries start and that have not looked at all
// that happened in their workspace; workspace "" means every workspace.
func (s *Store) WatchingAutomations(ctx context.Context, workspace string) ([]domain.AutomationRef, error) {
	return s.orderRefs(ctx, "SELECT a.workspace_id, a.id FROM automations a JOIN workspaces w ON w.id = a.workspace_id "+
		"WHERE a.watches AND ($1 = '' OR a.workspace_id = $1) AND a.seen_seq < w.last_seq ORDER BY a.workspace_id, a.id", workspace)
}

func (s *Store) orderRefs(ctx context.Context, sql string, args ...any) ([]domain.AutomationRef, error) {
	var rows []refRow
	if err := s.reads.all(ctx, &rows, sql, args...); err != nil {
		return nil, fmt.Errorf("look for automations that are due: %w", err)
	}
	out := make([]domain.AutomationRef, len(rows))
	for i, r := range rows {
		out[i] = domain.AutomationRef{WorkspaceID: r.WorkspaceID, ID: r.ID}
	}
	return out, nil
}

var (
	automationInsert = insertSQL("automations", automationColumns, 1, "")
	automationUpdate = func() string {
		columns := strings.Split(automationWritten, ", ")
		sets := make([]string, len(columns))
		for i, c := range columns {
			sets[i] = c + " = " + placeholders(4+i, 1)
		}
		return "UPDATE automations SET " + strings.Join(sets, ", ") + " WHERE workspace_id = $1 AND id = $2 AND version = $3"
	}()
)

// writeAutomations writes every automation, on the condition that nobody else has since
// it was read.
func (t *tx) writeAutomations(ctx context.Context, c *domain.Change) error {
	for _, w := range c.Automations {
		if w.Tick {
			err := t.must(ctx, 1, domain.ErrStale, "UPDATE automations SET next_at = $3, seen_seq = $4 WHERE workspace_id = $1 AND id = $2",
				w.Automation.WorkspaceID, w.Automation.ID, stampOf(w.Automation.NextAt), w.Automation.SeenSeq)
			if err != nil {
				return fmt.Errorf("note the next look at automation %s: %w", w.Automation.ID, err)
			}
			continue
		}
		a := *w.Automation
		before := a.Version
		a.Version++
		args, err := automationArgs(&a)
		if err != nil {
			return err
		}
		if w.Insert {
			_, err = t.exec(ctx, automationInsert, append([]any{a.WorkspaceID, a.ID}, args...)...)
		} else {
			err = t.must(ctx, 1, domain.ErrStale, automationUpdate, append([]any{a.WorkspaceID, a.ID, before}, args...)...)
		}
		if err != nil {
			return fmt.Errorf("write automation %s: %w", a.ID, err)
		}
		w.Automation.Version = a.Version
		order := w.Automation
		t.undo = append(t.undo, func() { order.Version = before })
	}
	return t.writeGrants(ctx, c.Grants)
}
