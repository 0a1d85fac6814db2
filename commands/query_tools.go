package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const (
	toolIDProperty = `"tool_id": {"type": "string"}`
	periodProperty = `"period": {"type": "object", "additionalProperties": false,
		"description": "One of {start, end}, {relative} or {from, to}.", "properties": {
		"start": {"type": "string", "description": "Date or RFC 3339 time."},
		"end": {"type": "string", "description": "Date (included) or RFC 3339 time (not included)."},
		"relative": {"type": "string", "description": "Offset and HOUR, DAY, WEEK, MONTH or YEAR: 0_DAY is today, -1_WEEK last week."},
		"from": {"type": "string", "description": "First relative unit of a range, like -3_DAY."},
		"to": {"type": "string", "description": "Last relative unit of a range, included, like 0_DAY."}}}`
	whereProperty = `"where": {"type": "object", "description": "Conditions on fields, all must hold: ` +
		`{\"paid\": false, \"amount\": {\"gt\": 1000}}. Comparisons: eq, ne, lt, lte, gt, gte, in, contains, exists."}`
	defaultEntries = 100
	maxEntries     = 1000
)

type toolParams struct {
	ToolID string `json:"tool_id"`
}

type dataParams struct {
	ToolID string          `json:"tool_id"`
	Period calendar.Period `json:"period,omitzero"`
	Limit  int             `json:"limit,omitempty"`
	Cursor string          `json:"cursor,omitempty"`
	Order  string          `json:"order,omitempty"`

	Where   json.RawMessage `json:"where,omitempty"`
	OrderBy string          `json:"order_by,omitempty"`
	Fields  []string        `json:"fields,omitempty"`
}

func toolQueries() []*command {
	return []*command{
		newQuery("TOOL_INSTANCES", domain.RoleViewer, "List the tools, of a zone or all.", zoneIDProperty,
			func(ctx context.Context, c *call, p zoneParams) domain.Text {
				if p.ZoneID == "" {
					return domain.Say("List the tools", "Lister les outils")
				}
				return domain.Say("List the tools of %s", "Lister les outils de %s", c.zoneName(ctx, p.ZoneID))
			}, listTools),
		newQuery("TOOL_CONFIG", domain.RoleViewer, "Show a tool with its config.", toolIDProperty,
			func(ctx context.Context, c *call, p toolParams) domain.Text {
				return domain.Say("Read the config of %s", "Lire la configuration de %s", c.toolName(ctx, p.ToolID))
			}, showTool).require("tool_id"),
		newQuery(
			"TOOL_DATA",
			domain.RoleViewer,
			"Read a tool's entries, newest first, in pages.",
			toolIDProperty+`, `+periodProperty+`,
			"limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "100 when left out."},
			"cursor": {"type": "string", "description": "From the page before."},
			"order": {"type": "string", "enum": ["asc", "desc"]},
			`+whereProperty+`,
			"order_by": {"type": "string", "maxLength": 1000, "description": "A field, instead of the time."},
			"fields": {"type": "array", "items": {"type": "string", "maxLength": 1000}, "maxItems": 50,
			"description": "All when left out."}`,
			func(ctx context.Context, c *call, p dataParams) domain.Text {
				return domain.Say(
					"Read the data of %s (%s)",
					"Lire les données de %s (%s)",
					c.toolName(ctx, p.ToolID),
					periodText(p.Period),
				)
			},
			readEntries,
		).require("tool_id"),
		statsQuery(),
	}
}

// toolRow is a tool as the AI reads it in lists.
type toolRow struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"tool_type"`
	ZoneID      string `json:"zone_id,omitempty"`
	Description string `json:"description,omitempty"`
	Entries     *int64 `json:"entries,omitempty"`
}

func listTools(ctx context.Context, c *call, p zoneParams) (answer, error) {
	if p.ZoneID != "" {
		if _, err := c.zone(ctx, "/zone_id", p.ZoneID); err != nil {
			return answer{}, err
		}
	}
	tools, err := c.store.Tools(ctx, p.ZoneID)
	if err != nil {
		return answer{}, fmt.Errorf("read the tools: %w", err)
	}
	a := answer{head: domain.Plural(len(tools), "tool", "tools") + ":", key: "tools", count: toolsText(len(tools))}
	for _, t := range tools {
		a.rows = append(
			a.rows,
			jsonbody.Encode(toolRow{ID: t.ID, Name: t.Name, Type: t.ToolType, ZoneID: t.ZoneID, Description: t.Description}),
		)
	}
	return a, nil
}

// toolSettings is a tool with what people and the AI set of it.
type toolSettings struct {
	ID string `json:"id,omitempty"`
	userdata.ToolFields
}

func toolView(t *userdata.Tool) toolSettings { return toolSettings{t.ID, t.ToolFields} }

func showTool(ctx context.Context, c *call, p toolParams) (answer, error) {
	tool, err := c.tool(ctx, "/tool_id", p.ToolID)
	if err != nil {
		return answer{}, err
	}
	return answer{head: "The tool " + jsonbody.Quote(tool.Name) + ":", body: jsonbody.Encode(toolView(tool))}, nil
}

// entryRow is an entry as the AI reads it, its time on the workspace's clock.
type entryRow struct {
	ID        string          `json:"id"`
	Timestamp string          `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

func entryView(e *userdata.Entry, zone *time.Location) entryRow {
	return entryRow{e.ID, e.Timestamp.In(zone).Format(time.RFC3339), e.Data}
}

func readEntries(ctx context.Context, c *call, p dataParams) (answer, error) {
	tool, err := c.tool(ctx, "/tool_id", p.ToolID)
	if err != nil {
		return answer{}, err
	}
	dates, err := c.env.Calendar()
	if err != nil {
		return answer{}, err
	}
	span, err := c.span(p.Period, dates)
	if err != nil {
		return answer{}, err
	}
	if p.Limit == 0 {
		p.Limit = defaultEntries
	}
	query := userdata.EntryQuery{
		EntryFilter: userdata.EntryFilter{
			ToolID: tool.ID, From: span.From, Until: span.Until,
			Limit: min(p.Limit, maxEntries), Cursor: p.Cursor, Descending: p.Order != "asc",
		},
		Where: p.Where, OrderBy: p.OrderBy, Fields: p.Fields,
	}
	entries, next, err := c.rules().Entries(ctx, c.store, query)
	if err != nil {
		return answer{}, fmt.Errorf("read the entries: %w", err)
	}
	a := answer{
		head: fmt.Sprintf(
			"%s of %s (%s)%s:",
			domain.Plural(len(entries), "entry", "entries"),
			jsonbody.Quote(tool.Name),
			tool.ID,
			span.Text(dates),
		),
		key:    "entries",
		cursor: next,
		count:  entriesText(len(entries)),
		after: func(ctx context.Context, n int) (string, error) {
			query.Limit = n
			_, cursor, err := c.rules().Entries(ctx, c.store, query)
			if err != nil {
				return "", fmt.Errorf("find where to go on: %w", err)
			}
			return cursor, nil
		},
	}
	for i := range entries {
		a.rows = append(a.rows, jsonbody.Encode(entryView(&entries[i], dates.Zone)))
	}
	return a, nil
}

// span resolves a period, with pointers below /period.
func (c *call) span(p calendar.Period, dates calendar.Calendar) (calendar.Span, error) {
	if p.IsZero() {
		return calendar.Span{}, nil
	}
	span, err := c.env.Resolve(p, dates)
	return span, domain.Below("/period", err)
}
