package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// answerPending answers an approval or a question.
func answerPending(c *call, ctx context.Context, in *toolRequest) (any, error) {
	var args struct {
		ApprovalID string          `json:"approval_id"`
		Answer     json.RawMessage `json:"answer"`
	}
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	open, err := c.Approvals.Approval(ctx, c.identity.Workspace, args.ApprovalID)
	if err != nil {
		return nil, err
	}
	if err := c.decide(ctx, open, args.Answer); err != nil {
		return nil, domain.Below("/answer", err)
	}
	settled, err := c.Approvals.Approval(ctx, c.identity.Workspace, args.ApprovalID)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"approval_id": settled.ID, "status": settled.Status, "session_id": settled.SessionID, "link": c.link(settled.SessionID),
	}, nil
}

// queryData reads entries of a tool, or searches.
func queryData(c *call, ctx context.Context, in *toolRequest) (any, error) {
	var args struct {
		paging

		ToolID string           `json:"tool_id"`
		Search string           `json:"search"`
		Period *calendar.Period `json:"period"`
		Order  string           `json:"order"`

		Where   json.RawMessage `json:"where"`
		OrderBy string          `json:"order_by"`
		Fields  []string        `json:"fields"`
	}
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	if (args.ToolID == "") == (args.Search == "") {
		return nil, domain.Invalid("/tool_id", "required", "Give either tool_id or search.")
	}
	if args.Search != "" {
		if len(args.Where) > 0 || args.OrderBy != "" || len(args.Fields) > 0 {
			return nil, domain.Invalid("/search", "not_together", "where, order_by and fields are for the entries of a tool: give tool_id, not search.")
		}
		return c.search(ctx, userdata.SearchQuery{Text: args.Search, Published: true, Limit: args.size(), Cursor: args.Cursor})
	}
	query := userdata.EntryQuery{
		EntryFilter: userdata.EntryFilter{ToolID: args.ToolID, Limit: args.size(), Cursor: args.Cursor, Descending: args.Order != "asc"},
		Where:       args.Where, OrderBy: args.OrderBy, Fields: args.Fields,
	}
	if args.Period != nil {
		span, err := c.Data.ResolvePeriod(ctx, c.identity.Workspace, *args.Period)
		if err != nil {
			return nil, domain.Below("/period", err)
		}
		query.From, query.Until = span.From, span.Until
	}
	entries, next, err := page(ctx, query.Limit, api.EntryFrom, func(limit int) ([]*userdata.Entry, string, error) {
		query.Limit = limit
		return pointers(c.Data.Entries(ctx, c.identity.Workspace, query))
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"entries": entries, "next_cursor": next}, nil
}

func (c *call) search(ctx context.Context, query userdata.SearchQuery) (any, error) {
	hits, next, err := page(ctx, query.Limit, api.SearchHitFrom, func(limit int) ([]*userdata.SearchHit, string, error) {
		query.Limit = limit
		return pointers(c.Data.Search(ctx, c.identity.Workspace, query))
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"hits": hits, "next_cursor": next}, nil
}

// describeData returns the zones, tools and tool types.
func describeData(c *call, ctx context.Context, in *toolRequest) (any, error) {
	var args struct {
		ZoneID string `json:"zone_id"`
		Cursor string `json:"cursor"`
	}
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	ws := c.identity.Workspace
	zones, _, err := c.Data.Zones(ctx, ws, "", maxZones)
	if err != nil {
		return nil, err
	}
	tools, next, err := page(ctx, maxZones, api.ToolFrom, func(limit int) ([]*userdata.Tool, string, error) {
		return pointers(c.Data.Tools(ctx, ws, args.ZoneID, args.Cursor, limit))
	})
	if err != nil {
		return nil, err
	}
	types, err := c.Data.ToolTypes(ctx, ws)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"next_cursor": next}
	var lists struct {
		zones []*api.Zone
		types []*api.ToolType
	}
	for i := range zones {
		lists.zones = append(lists.zones, api.ZoneFrom(&zones[i]))
	}
	for i := range types {
		lists.types = append(lists.types, api.ToolTypeFrom(&types[i]))
	}
	out["zones"], out["tools"], out["tool_types"] = nonNil(lists.zones), tools, nonNil(lists.types)
	return out, nil
}

// maxZones limits the zones and tools in a result.
const maxZones = 200

// nonNil returns a list that is not encoded as null.
func nonNil[T any](all []*T) []*T {
	if all == nil {
		return []*T{}
	}
	return all
}
