package domain

import "time"

// DataChange is the body of a data.changed event: what kind of noun, which one, and
// what happened to it ("created", "updated", "deleted", "restored").
type DataChange struct {
	Noun      string `json:"noun"`
	ID        string `json:"id"`
	Operation string `json:"operation"`
	ToolID    string `json:"tool_id,omitempty"`
	ZoneID    string `json:"zone_id,omitempty"`
	Count     int    `json:"count,omitempty"`
	SessionID string `json:"by_session_id,omitempty"`
	// MadeAt is the CreatedAt of the entries that were created.
	MadeAt *time.Time `json:"made_at,omitempty"`
}

// MadeEntries reports whether entries were created, which may start automations.
func (c *DataChange) MadeEntries() bool {
	return c != nil && c.Noun == "entry" && c.Operation == "created"
}
