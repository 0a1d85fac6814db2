package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

type toolTypeRow struct {
	WorkspaceID  string `db:"workspace_id"`
	ID           string `db:"id"`
	Name         string `db:"name"`
	Description  string `db:"description"`
	ConfigSchema string `db:"config_schema"`
	EntrySchema  string `db:"entry_schema"`
	Version      int64  `db:"version"`
	CreatedAt    stamp  `db:"created_at"`
	UpdatedAt    stamp  `db:"updated_at"`
}

const toolTypeColumns = "workspace_id, id, name, description, config_schema, entry_schema, version, created_at, updated_at"

func (r *toolTypeRow) toolType() domain.ToolType {
	return domain.ToolType{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Description: r.Description, ConfigSchema: raw(r.ConfigSchema),
		EntrySchema: raw(r.EntrySchema), Version: r.Version, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
}

// ToolTypes lists the workspace's own tool types, by id.
func (d *Data) ToolTypes(ctx context.Context) ([]domain.ToolType, error) {
	var rows []toolTypeRow
	err := d.r.all(ctx, &rows, "SELECT "+toolTypeColumns+" FROM tool_types WHERE workspace_id = $1 ORDER BY id", d.workspace)
	if err != nil {
		return nil, fmt.Errorf("list the tool types: %w", err)
	}
	return values(rows, (*toolTypeRow).toolType), nil
}

// ToolType reads one of the workspace's own tool types.
func (d *Data) ToolType(ctx context.Context, id string) (*domain.ToolType, error) {
	return one(ctx, d, "tool type", "SELECT "+toolTypeColumns+" FROM tool_types WHERE workspace_id = $1 AND id = $2", id, (*toolTypeRow).toolType)
}

// InsertToolType stores a tool type at version 1; a conflict if the workspace has one with its id.
func (d *Data) InsertToolType(ctx context.Context, t *domain.ToolType) error {
	t.WorkspaceID, t.Version = d.workspace, 1
	_, err := d.exec(ctx, "INSERT INTO tool_types ("+toolTypeColumns+") VALUES ("+placeholders(1, 9)+")",
		d.workspace, t.ID, t.Name, t.Description, string(t.ConfigSchema), string(t.EntrySchema), t.Version, stamp{t.CreatedAt}, stamp{t.UpdatedAt})
	if err != nil {
		return fmt.Errorf("insert the tool type: %w", err)
	}
	return nil
}

// UpdateToolType changes a tool type on condition of its version, and bumps it. Its id
// stays.
func (d *Data) UpdateToolType(ctx context.Context, t *domain.ToolType) error {
	n, err := d.exec(ctx, "UPDATE tool_types SET name = $4, description = $5, config_schema = $6, entry_schema = $7, updated_at = $8, "+
		"version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3",
		d.workspace, t.ID, t.Version, t.Name, t.Description, string(t.ConfigSchema), string(t.EntrySchema), stamp{t.UpdatedAt})
	return d.updated(ctx, n, err, "tool_types", "tool type", t.ID, &t.Version)
}

// DeleteToolType deletes a tool type for good. That no tool has it is the caller's to
// see to.
func (d *Data) DeleteToolType(ctx context.Context, id string) error {
	n, err := d.exec(ctx, "DELETE FROM tool_types WHERE workspace_id = $1 AND id = $2", d.workspace, id)
	if err != nil {
		return fmt.Errorf("delete the tool type: %w", err)
	}
	if n == 0 {
		return domain.NotFound("tool type")
	}
	return nil
}
