package repository

import (
	"context"
	"fmt"
	"reflect"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

type workspaceRow struct {
	ID               string      `db:"id"`
	Name             string      `db:"name"`
	Settings         string      `db:"settings"`
	LastSeq          int64       `db:"last_seq,read"`
	LastChange       string      `db:"last_change_id,read"`
	QueueLength      int64       `db:"queue_length,read"`
	Agents           int64       `db:"agents_version,read"`
	ConnectorChanges int64       `db:"connector_changes,read"`
	SearchVersion    int64       `db:"search_version,once"`
	CreatedAt        sqldb.Stamp `db:"created_at"`
}

var workspaceTable = sqldb.NewTable[workspaceRow]("workspaces")

func (r *workspaceRow) state() workspaceState {
	return workspaceState{change: r.LastChange, seq: r.LastSeq, queue: r.QueueLength}
}

// workspace converts the row, with settings that the caller may modify.
func (r *workspaceRow) workspace() (*domain.Workspace, error) { return r.with(settingsOf) }

// with is workspace with another decoder of the settings.
func (r *workspaceRow) with(settings func(text string) (domain.Settings, error)) (*domain.Workspace, error) {
	w := &domain.Workspace{ID: r.ID, Name: r.Name, LastSeq: r.LastSeq, AgentsVersion: r.Agents, CreatedAt: r.CreatedAt.Time}
	var err error
	if w.Settings, err = settings(r.Settings); err != nil {
		return nil, fmt.Errorf("read workspace %s: %w", r.ID, err)
	}
	return w, nil
}

// WorkspaceStore stores workspaces and their settings.
type WorkspaceStore struct{ *base }

// Workspace returns one workspace.
func (s *WorkspaceStore) Workspace(ctx context.Context, id string) (*domain.Workspace, error) {
	row, err := workspaceIn(ctx, s.db, id, "")
	if err != nil {
		return nil, err
	}
	return row.workspace()
}

func workspaceIn(ctx context.Context, r sqldb.Reader, id, lock string) (*workspaceRow, error) {
	var row workspaceRow
	err := r.Get(ctx, &row, "SELECT "+workspaceTable.Columns()+" FROM workspaces WHERE id = $1"+lock, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("workspace")
	}
	if err != nil {
		return nil, fmt.Errorf("read the workspace: %w", err)
	}
	return &row, nil
}

// Workspaces lists all workspaces, by id.
func (s *WorkspaceStore) Workspaces(ctx context.Context) ([]*domain.Workspace, error) {
	var rows []workspaceRow
	if err := s.db.All(ctx, &rows, "SELECT "+workspaceTable.Columns()+" FROM workspaces ORDER BY id"); err != nil {
		return nil, fmt.Errorf("list the workspaces: %w", err)
	}
	return each(rows, (*workspaceRow).workspace)
}

// CreateWorkspace creates a workspace. It returns a conflict if the id is taken.
func (s *WorkspaceStore) CreateWorkspace(ctx context.Context, w *domain.Workspace) error {
	settings, err := sqldb.EncodeJSON(&w.Settings)
	if err != nil {
		return err
	}
	err = s.write(ctx, w.ID, func(t *tx) error {
		t.created = w.ID
		_, err := t.Insert(ctx, workspaceTable.Rows(workspaceRow{
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
func (s *WorkspaceStore) UpdateSettings(ctx context.Context, workspace string, patch domain.SettingsPatch) (*domain.Workspace, error) {
	var w *domain.Workspace
	err := s.write(ctx, workspace, func(t *tx) error {
		row, err := workspaceIn(ctx, t, workspace, s.db.Dialect.Lock)
		if err != nil {
			return err
		}
		if w, err = row.workspace(); err != nil {
			return err
		}
		before := w.Settings.Notifications
		if err := patch.Apply(&w.Settings); err != nil {
			return err
		}
		if !reflect.DeepEqual(before, w.Settings.Notifications) || patch.TimeZone != nil {
			if err := s.syncMailRecipients(ctx, t, w, row.LastSeq); err != nil {
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
