package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

type toolRow struct {
	WorkspaceID       string `db:"workspace_id"`
	ID                string `db:"id"`
	ZoneID            string `db:"zone_id"`
	ToolType          string `db:"tool_type"`
	Name              string `db:"name"`
	Description       string `db:"description"`
	Config            string `db:"config"`
	AlwaysSend        bool   `db:"always_send"`
	RequireValidation bool   `db:"require_validation"`
	Position          int    `db:"position"`
	Version           int64  `db:"version"`
	CreatedAt         stamp  `db:"created_at"`
	UpdatedAt         stamp  `db:"updated_at"`
}

const toolColumns = "workspace_id, id, zone_id, tool_type, name, description, config, always_send, require_validation, " +
	"position, version, created_at, updated_at"

func (r *toolRow) tool() domain.Tool {
	return domain.Tool{
		ID: r.ID, WorkspaceID: r.WorkspaceID, ZoneID: r.ZoneID, ToolType: r.ToolType, Name: r.Name, Description: r.Description,
		Config: raw(r.Config), AlwaysSend: r.AlwaysSend, RequireValidation: r.RequireValidation, Position: r.Position,
		Version: r.Version, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
}

// Tools lists the tools of a zone ("": of every zone) by position, then name.
func (d *Data) Tools(ctx context.Context, zoneID string) ([]domain.Tool, error) {
	tools, _, err := d.ToolsPage(ctx, zoneID, "", everything)
	return tools, err
}

// ToolsPage lists a page of them, in the same order, and gives the cursor of the next
// one, "" at the end.
func (d *Data) ToolsPage(ctx context.Context, zoneID, cursor string, limit int) ([]domain.Tool, string, error) {
	q := newQuery("SELECT "+toolColumns+" FROM tools WHERE workspace_id = ? AND deleted_at IS NULL", d.workspace)
	if zoneID != "" {
		q.add(" AND zone_id = ?", zoneID)
	}
	var rows []toolRow
	next, err := byPosition(ctx, d.r, q, cursor, limit, &rows, func(r *toolRow) cursorKey { return cursorKey{int64(r.Position), r.Name, r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the tools: %w", err)
	}
	return values(rows, (*toolRow).tool), next, nil
}

// Tool reads one tool.
func (d *Data) Tool(ctx context.Context, id string) (*domain.Tool, error) {
	return one(ctx, d, "tool", "SELECT "+toolColumns+" FROM tools WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL", id, (*toolRow).tool)
}

// InsertTool stores a tool at version 1, in a zone that is there.
func (d *Data) InsertTool(ctx context.Context, t *domain.Tool) error {
	if _, err := d.Zone(ctx, t.ZoneID); err != nil {
		return err
	}
	t.WorkspaceID, t.Version = d.workspace, 1
	_, err := d.exec(ctx, "INSERT INTO tools ("+toolColumns+") VALUES ("+placeholders(1, 13)+")",
		d.workspace, t.ID, t.ZoneID, t.ToolType, t.Name, t.Description, string(t.Config), t.AlwaysSend, t.RequireValidation,
		t.Position, t.Version, stamp{t.CreatedAt}, stamp{t.UpdatedAt})
	if err != nil {
		return fmt.Errorf("insert the tool: %w", err)
	}
	return nil
}

// UpdateTool changes a tool on condition of its version, and bumps it. It may move to
// another zone; its type stays.
func (d *Data) UpdateTool(ctx context.Context, t *domain.Tool) error {
	if _, err := d.Zone(ctx, t.ZoneID); err != nil {
		return err
	}
	n, err := d.exec(ctx, "UPDATE tools SET zone_id = $4, name = $5, description = $6, config = $7, always_send = $8, "+
		"require_validation = $9, position = $10, updated_at = $11, version = version + 1 "+
		"WHERE workspace_id = $1 AND id = $2 AND version = $3 AND deleted_at IS NULL",
		d.workspace, t.ID, t.Version, t.ZoneID, t.Name, t.Description, string(t.Config), t.AlwaysSend, t.RequireValidation,
		t.Position, stamp{t.UpdatedAt})
	return d.updated(ctx, n, err, "tools", "tool", t.ID, &t.Version)
}

// DeleteTool takes a tool away with its entries.
func (d *Data) DeleteTool(ctx context.Context, id string, at time.Time) error {
	_, err := d.exec(ctx, "UPDATE entries SET deleted_at = $3, deleted_with = $2 WHERE workspace_id = $1 AND tool_id = $2 AND deleted_at IS NULL",
		d.workspace, id, stamp{at})
	if err != nil {
		return fmt.Errorf("delete the tool's entries: %w", err)
	}
	if err := d.unindex(ctx, "tool_id = $2", id); err != nil {
		return err
	}
	return d.deleted(ctx, "tools", "tool", id, at)
}
