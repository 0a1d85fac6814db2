package domain

import (
	"encoding/json"
	"time"
)

// Grant is an approval in advance, given when an automation is set up: for these commands, on these zones
// or tools, within these bounds, so many times a run.
type Grant struct {
	ID           string
	WorkspaceID  string
	AutomationID string
	Commands     []string
	ZoneIDs      []string        // empty: any
	ToolIDs      []string        // empty: any
	Bounds       json.RawMessage // a JSON Schema of the params; empty: any
	MaxPerRun    int             // 0: no bound
	ExpiresAt    *time.Time
	CreatedBy    string
	CreatedAt    time.Time
	RevokedAt    *time.Time
	// Filled by readers: how often it was used over all runs, and in the run at hand.
	Uses, UsesInRun int64
}

// Active reports whether the grant is valid at a time.
func (g *Grant) Active(now time.Time) bool {
	return g.RevokedAt == nil && (g.ExpiresAt == nil || now.Before(*g.ExpiresAt))
}

// GrantsFor are the grants with the uses of this run up to an answer: what the answer's
// own actions will use is not counted against them twice.
func (v *View) GrantsFor(answer string) []*Grant {
	grants := make([]*Grant, len(v.Grants))
	for i, g := range v.Grants {
		own := *g
		for _, x := range v.Planned {
			if x.GrantID == g.ID && x.MessageID == answer && x.Status != ExecCancelled {
				own.UsesInRun--
			}
		}
		grants[i] = &own
	}
	return grants
}
