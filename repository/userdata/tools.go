package userdata

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

var toolCeiling = transaction.Ceiling{Most: 2000, Noun: "tools", From: "tools WHERE deleted_at IS NULL"}

type toolRow struct {
	WorkspaceID       string `db:"workspace_id,key"`
	ID                string `db:"id,key"`
	ZoneID            string `db:"zone_id"`
	ToolType          string `db:"tool_type,once"`
	Name              string `db:"name"`
	Description       string `db:"description"`
	Config            string `db:"config"`
	AlwaysSend        bool   `db:"always_send"`
	RequireValidation bool   `db:"require_validation"`
	Position          int    `db:"position"`
	trustColumns
	Version   int64       `db:"version,version"`
	CreatedAt sqldb.Stamp `db:"created_at,once"`
	UpdatedAt sqldb.Stamp `db:"updated_at"`
}

var (
	toolTable  = sqldb.NewTable[toolRow]("tools")
	toolUpdate = toolTable.Update() + " AND deleted_at IS NULL"
)

func toolRowOf(workspace string, t *userdata.Tool) toolRow {
	return toolRow{
		WorkspaceID: workspace, ID: t.ID, ZoneID: t.ZoneID, ToolType: t.ToolType, Name: t.Name, Description: t.Description,
		Config: string(t.Config), AlwaysSend: t.AlwaysSend, RequireValidation: t.RequireValidation, Position: t.Position,
		Version: t.Version, CreatedAt: sqldb.At(t.CreatedAt), UpdatedAt: sqldb.At(t.UpdatedAt), trustColumns: trustOf(t.Trust),
	}
}

func (r *toolRow) tool() userdata.Tool {
	return userdata.Tool{
		ID: r.ID, WorkspaceID: r.WorkspaceID, ToolFields: userdata.ToolFields{
			ZoneID: r.ZoneID, ToolType: r.ToolType, Name: r.Name, Description: r.Description, Config: sqldb.RawJSON(r.Config),
			AlwaysSend: r.AlwaysSend, RequireValidation: r.RequireValidation, Position: r.Position,
		},
		Version: r.Version, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, Trust: r.record(),
	}
}

// Tools lists the tools of a zone ("": of every zone) by position, then name.
func (d *Data) Tools(ctx context.Context, zoneID string) ([]userdata.Tool, error) {
	tools, _, err := d.ToolsPage(ctx, zoneID, "", noLimit)
	return tools, err
}

// ToolsPage lists a page of the tools in the same order. The second result is the cursor of the
// next page, "" at the end.
func (d *Data) ToolsPage(ctx context.Context, zoneID, cursor string, limit int) ([]userdata.Tool, string, error) {
	q := sqldb.NewQuery("SELECT "+toolTable.Columns()+" FROM tools WHERE workspace_id = ? AND deleted_at IS NULL", d.workspace)
	if zoneID != "" {
		q.Add(" AND zone_id = ?", zoneID)
	}
	var rows []toolRow
	next, err := byPosition(ctx, d.r, q, cursor, domain.PrefixTool, limit, &rows,
		func(r *toolRow) sqldb.Cursor { return sqldb.Cursor{Number: int64(r.Position), Name: r.Name, ID: r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the tools: %w", err)
	}
	return transaction.Values(rows, (*toolRow).tool), next, nil
}

// Tool returns one tool.
func (d *Data) Tool(ctx context.Context, id string) (*userdata.Tool, error) {
	return one(ctx, d, "tool", "SELECT "+toolTable.Columns()+" FROM tools WHERE workspace_id = $1 AND id = $2 "+
		"AND deleted_at IS NULL", id, (*toolRow).tool)
}

// InsertTool stores a tool at version 1. Its zone must exist.
func (d *Data) InsertTool(ctx context.Context, t *userdata.Tool) error {
	if _, err := d.Zone(ctx, t.ZoneID); err != nil {
		return err
	}
	if err := toolCeiling.Room(ctx, d.r, d.workspace); err != nil {
		return err
	}
	t.WorkspaceID, t.Version = d.workspace, 1
	if err := d.insert(ctx, toolTable.Rows(toolRowOf(d.workspace, t))); err != nil {
		return fmt.Errorf("insert the tool: %w", err)
	}
	return nil
}

// UpdateTool updates a tool if its version matches, and increments the version. It may move to
// another zone; its type cannot change.
func (d *Data) UpdateTool(ctx context.Context, t *userdata.Tool) error {
	if _, err := d.Zone(ctx, t.ZoneID); err != nil {
		return err
	}
	row := toolRowOf(d.workspace, t)
	n, err := d.exec(ctx, toolUpdate, toolTable.Updated(&row)...)
	return updated(ctx, d, n, err, "tools", "tool", t.ID, &t.Version)
}

// DeleteTool deletes a tool with its entries.
func (d *Data) DeleteTool(ctx context.Context, id string, at time.Time) error {
	_, err := d.exec(ctx, "UPDATE entries SET deleted_at = $3, deleted_with = $2 WHERE workspace_id = $1 AND tool_id = $2 "+
		"AND deleted_at IS NULL",
		d.workspace, id, sqldb.At(at))
	if err != nil {
		return fmt.Errorf("delete the tool's entries: %w", err)
	}
	if err := d.index().drop(ctx, "tool_id = $2 AND tool_id <> ''", id); err != nil {
		return err
	}
	return deleted(ctx, d, "tools", "tool", id, at)
}
