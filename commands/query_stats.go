package commands

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

type statsParams struct {
	ToolID  string          `json:"tool_id"`
	Field   string          `json:"field,omitempty"`
	Period  calendar.Period `json:"period,omitzero"`
	GroupBy string          `json:"group_by,omitempty"`

	Where json.RawMessage `json:"where,omitempty"`
}

func statsQuery() *command {
	return newQuery(
		"TOOL_STATS",
		domain.RoleViewer,
		"Count, min, max, mean, sum and last of a tool's numeric field, in all or by group.",
		toolIDProperty+`, "field": {"type": "string", "description": "The only numeric one when left out."}, `+periodProperty+`, `+whereProperty+`,
		"group_by": {"type": "string", "maxLength": 1000, "description": "day, week, month or a field."}`,
		func(ctx context.Context, c *call, p statsParams) domain.Text {
			return domain.Say("Statistics of %s (%s)", "Statistiques de %s (%s)", c.toolName(ctx, p.ToolID), periodText(p.Period))
		},
		func(ctx context.Context, c *call, p statsParams) (answer, error) {
			stats, err := c.rules().Stats(ctx, c.store, c.env.Env, userdata.StatsQuery(p))
			if err != nil {
				return answer{}, err
			}
			tool, err := c.tool(ctx, "/tool_id", p.ToolID)
			if err != nil {
				return answer{}, err
			}
			a := answer{
				head:  statsHead(stats.Field, tool.Name),
				count: entriesText(int(stats.Total.Count)),
			}
			if p.GroupBy == "" {
				a.body = jsonbody.Encode(stats.Total)
				return a, nil
			}
			a.head += "\nall: " + string(jsonbody.Encode(stats.Total))
			a.key = "groups"
			for _, s := range stats.Groups {
				a.rows = append(a.rows, jsonbody.Encode(s))
			}
			return a, nil
		},
	).require("tool_id")
}

// statsHead says what the figures are of; without a field, only entries are counted.
func statsHead(field, tool string) string {
	if field == "" {
		return "Number of entries in " + jsonbody.Quote(tool) + ":"
	}
	return "Statistics of " + field + " in " + jsonbody.Quote(tool) + ":"
}
