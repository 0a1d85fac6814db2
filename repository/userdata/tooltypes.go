package userdata

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

var toolTypeCeiling = transaction.Ceiling{Most: 200, Noun: "tool types", From: "tool_types WHERE 1 = 1"}

type toolTypeRow struct {
	WorkspaceID  string `db:"workspace_id,key"`
	ID           string `db:"id,key"`
	Name         string `db:"name"`
	Description  string `db:"description"`
	ConfigSchema string `db:"config_schema"`
	EntrySchema  string `db:"entry_schema"`
	trustColumns
	Version   int64       `db:"version,version"`
	CreatedAt sqldb.Stamp `db:"created_at,once"`
	UpdatedAt sqldb.Stamp `db:"updated_at"`
}

var (
	toolTypeTable  = sqldb.NewTable[toolTypeRow]("tool_types")
	toolTypeUpdate = toolTypeTable.Update()
)

func toolTypeRowOf(workspace string, t *userdata.ToolType) toolTypeRow {
	return toolTypeRow{
		WorkspaceID: workspace, ID: t.ID, Name: t.Name, Description: t.Description, ConfigSchema: string(t.ConfigSchema),
		EntrySchema: string(t.EntrySchema), Version: t.Version, CreatedAt: sqldb.At(t.CreatedAt), UpdatedAt: sqldb.At(t.UpdatedAt),
		trustColumns: trustOf(t.Trust),
	}
}

func (r *toolTypeRow) toolType() userdata.ToolType {
	return userdata.ToolType{
		ID: r.ID, WorkspaceID: r.WorkspaceID, ToolTypeFields: userdata.ToolTypeFields{
			Name: r.Name, Description: r.Description, ConfigSchema: sqldb.RawJSON(r.ConfigSchema),
			EntrySchema: sqldb.RawJSON(r.EntrySchema),
		},
		Version: r.Version, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, Trust: r.record(),
	}
}

// ToolTypes lists the workspace's own tool types, by id.
func (d *Data) ToolTypes(ctx context.Context) ([]userdata.ToolType, error) {
	var rows []toolTypeRow
	err := d.r.All(ctx, &rows, "SELECT "+toolTypeTable.Columns()+" FROM tool_types WHERE workspace_id = $1 ORDER BY id", d.workspace)
	if err != nil {
		return nil, fmt.Errorf("list the tool types: %w", err)
	}
	return transaction.Values(rows, (*toolTypeRow).toolType), nil
}

// ToolType returns one of the workspace's own tool types.
func (d *Data) ToolType(ctx context.Context, id string) (*userdata.ToolType, error) {
	return one(ctx, d, "tool type", "SELECT "+toolTypeTable.Columns()+" FROM tool_types WHERE workspace_id = $1 "+
		"AND id = $2", id, (*toolTypeRow).toolType)
}

// InsertToolType stores a tool type at version 1. It returns a conflict if the id is taken.
func (d *Data) InsertToolType(ctx context.Context, t *userdata.ToolType) error {
	if err := toolTypeCeiling.Room(ctx, d.r, d.workspace); err != nil {
		return err
	}
	t.WorkspaceID, t.Version = d.workspace, 1
	if err := d.insert(ctx, toolTypeTable.Rows(toolTypeRowOf(d.workspace, t))); err != nil {
		return fmt.Errorf("insert the tool type: %w", err)
	}
	return nil
}

// UpdateToolType updates a tool type if its version matches, and increments the version. Its id
// cannot change.
func (d *Data) UpdateToolType(ctx context.Context, t *userdata.ToolType) error {
	row := toolTypeRowOf(d.workspace, t)
	n, err := d.exec(ctx, toolTypeUpdate, toolTypeTable.Updated(&row)...)
	return updated(ctx, d, n, err, "tool_types", "tool type", t.ID, &t.Version)
}

// DeleteToolType deletes a tool type permanently. The caller must ensure that no tool uses it.
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
