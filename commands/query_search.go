package commands

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const (
	defaultHits = 20
	maxHits     = 100
)

type searchParams struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
}

func searchQueries() []*command {
	return []*command{
		newQuery(
			"SEARCH",
			domain.RoleViewer,
			"Find entries, notes and documents that have all the words, best first.",
			`"query": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "A few words, the last may be cut; no operators."},
			"limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "20 when left out."}`,
			func(_ context.Context, c *call, p searchParams) domain.Text {
				return domain.Say("Search for %s", "Chercher %s", nameText(p.Query))
			},
			search,
		).require("query"),
	}
}

// hitRow is what was found, as the AI reads it. What leads to the whole of it comes
// first: the id of its tool for TOOL_DATA, or its key for CONTEXT.
type hitRow struct {
	Kind      userdata.SearchKind `json:"kind"`
	ID        string              `json:"id"`
	ToolID    string              `json:"tool_id,omitempty"`
	Tool      string              `json:"tool,omitempty"`
	Zone      string              `json:"zone,omitempty"`
	Key       string              `json:"key,omitempty"`
	Timestamp string              `json:"timestamp"`
	Title     string              `json:"title,omitempty"`
	Snippet   string              `json:"snippet"`
	Matches   []string            `json:"matches"`
}

func hitView(h *userdata.SearchHit, zone *time.Location) hitRow {
	return hitRow{Kind: h.Kind, ID: h.ID, ToolID: h.ToolID, Tool: h.ToolName, Zone: h.ZoneName, Key: h.Key,
		Timestamp: h.Timestamp.In(zone).Format(time.RFC3339), Title: h.Title, Snippet: h.Snippet, Matches: h.Matches}
}

// search finds what sessions read: a draft becomes true when it is published.
func search(ctx context.Context, c *call, p searchParams) (answer, error) {
	dates, err := c.env.Calendar()
	if err != nil {
		return answer{}, err
	}
	if p.Limit == 0 {
		p.Limit = defaultHits
	}
	hits, next, err := c.store.Search(ctx, userdata.SearchQuery{Text: p.Query, Published: true, Limit: min(p.Limit, maxHits)})
	if err != nil {
		return answer{}, fmt.Errorf("search: %w", err)
	}
	a := answer{
		key:   "results",
		head:  fmt.Sprintf("%s for %s, the best first:", domain.Plural(len(hits), "result", "results"), jsonbody.Quote(p.Query)),
		count: domain.Count(len(hits), "result", "results", "résultat", "résultats"),
	}
	if len(hits) == 0 {
		a.head = "Nothing holds all the words of " + jsonbody.Quote(p.Query) + "."
		a.note = "Fewer words, or the beginning of one, find more."
	}
	if next != "" {
		a.note = "There are more than these. Add a word to narrow it down, or raise the limit (at most 100)."
	}
	for i := range hits {
		a.rows = append(a.rows, jsonbody.Encode(hitView(&hits[i], dates.Zone)))
	}
	return a, nil
}
