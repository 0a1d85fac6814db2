package repository

import (
	"context"
	"fmt"
	"reflect"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/maintenance"
	"github.com/fermata-dev/fermata/repository/outside"
	"github.com/fermata-dev/fermata/repository/search"
)

// settled converts a workspace's row, with settings that the caller may modify.
func settled(row *transaction.WorkspaceRow) (*domain.Workspace, error) {
	return row.Workspace(settingsOf)
}

// WorkspaceStore stores workspaces and their settings.
type WorkspaceStore struct{ *base }

// Workspace returns one workspace.
func (s *WorkspaceStore) Workspace(ctx context.Context, id string) (*domain.Workspace, error) {
	row, err := transaction.WorkspaceIn(ctx, s.db, id, "")
	if err != nil {
		return nil, err
	}
	return settled(row)
}

// Workspaces lists all workspaces, by id.
func (s *WorkspaceStore) Workspaces(ctx context.Context) ([]*domain.Workspace, error) {
	var rows []transaction.WorkspaceRow
	if err := s.db.All(ctx, &rows, "SELECT "+transaction.WorkspaceTable.Columns()+" FROM workspaces ORDER BY id"); err != nil {
		return nil, fmt.Errorf("list the workspaces: %w", err)
	}
	return transaction.Each(rows, settled)
}

// CreateWorkspace creates a workspace. It returns a conflict if the id is taken.
func (s *WorkspaceStore) CreateWorkspace(ctx context.Context, w *domain.Workspace) error {
	settings, err := sqldb.EncodeJSON(&w.Settings)
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, w.ID, func(t *transaction.Tx) error {
		t.Created = w.ID
		_, err := t.Insert(ctx, transaction.WorkspaceTable.Rows(transaction.WorkspaceRow{
			ID: w.ID, Name: w.Name, Settings: settings, CreatedAt: sqldb.At(w.CreatedAt),
			SearchVersion: search.Version,
		}), "")
		return err
	})
	if domain.ErrorCode(err) == domain.CodeConflict {
		return domain.Errorf(domain.CodeConflict, "A workspace %q exists already.", w.ID)
	}
	return err
}

// UpdateSettings merges a patch into the settings under the workspace's lock.
func (s *WorkspaceStore) UpdateSettings(ctx context.Context, workspace string, patch people.SettingsPatch) (*domain.Workspace, error) {
	var w *domain.Workspace
	err := s.db.Write(ctx, workspace, func(t *transaction.Tx) error {
		row, err := transaction.WorkspaceIn(ctx, t, workspace, s.db.Dialect.Lock)
		if err != nil {
			return err
		}
		if w, err = settled(row); err != nil {
			return err
		}
		before := w.Settings.Notifications
		if err := patch.Apply(&w.Settings); err != nil {
			return err
		}
		if !reflect.DeepEqual(before, w.Settings.Notifications) || patch.Fields.Get("time_zone") != nil {
			if err := outside.SyncMailRecipients(ctx, t, w, row.LastSeq); err != nil {
				return err
			}
		}
		settings, err := sqldb.EncodeJSON(&w.Settings)
		if err != nil {
			return err
		}
		_, err = t.Write(ctx, "UPDATE workspaces SET settings = $1 WHERE id = $2", settings, workspace)
		return err
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Invariants counts the violations of every rule in one workspace, as of one instant. Every count
// should be 0.
func (s *WorkspaceStore) Invariants(ctx context.Context, workspace string) (found []reports.Invariant, err error) {
	err = s.db.Read(ctx, func(r sqldb.Reader) error {
		if _, err := transaction.WorkspaceIn(ctx, r, workspace, ""); err != nil {
			return err
		}
		found, err = maintenance.Invariants(ctx, r, workspace)
		return err
	})
	return found, err
}
