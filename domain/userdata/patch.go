package userdata

import "encoding/json"
import "github.com/fermata-dev/fermata/domain"

// What people and models ask for when they add or change the user's data. In a patch nil
// means unchanged, and an object is a merge patch (MergePatch). The names in JSON are those
// of the AI's commands.

// NewZone asks for a zone.
type NewZone struct {
	Name              string `json:"name"`
	Description       string `json:"description,omitempty"`
	Colour            string `json:"colour,omitempty"`
	Position          int    `json:"position,omitempty"`
	RequireValidation bool   `json:"require_validation,omitempty"`
}

// ZonePatch changes a zone.
type ZonePatch struct {
	Name              *string `json:"name,omitempty"`
	Description       *string `json:"description,omitempty"`
	Colour            *string `json:"colour,omitempty"`
	Position          *int    `json:"position,omitempty"`
	RequireValidation *bool   `json:"require_validation,omitempty"`
}

// Zone is the requested zone, without the server's own fields.
func (in NewZone) Zone() Zone {
	return Zone{
		Name: in.Name, Description: in.Description, Colour: in.Colour, Position: in.Position, RequireValidation: in.RequireValidation,
	}
}

// Apply merges the patch into a zone.
func (p ZonePatch) Apply(z *Zone) {
	setField(&z.Name, p.Name)
	setField(&z.Description, p.Description)
	setField(&z.Colour, p.Colour)
	setField(&z.Position, p.Position)
	setField(&z.RequireValidation, p.RequireValidation)
}

// NewTool asks for a tool. Without a config it gets the empty one.
type NewTool struct {
	ZoneID            string          `json:"zone_id"`
	ToolType          string          `json:"tool_type"`
	Name              string          `json:"name"`
	Description       string          `json:"description,omitempty"`
	Config            json.RawMessage `json:"config,omitempty"`
	AlwaysSend        bool            `json:"always_send,omitempty"`
	RequireValidation bool            `json:"require_validation,omitempty"`
	Position          int             `json:"position,omitempty"`
}

// ToolPatch changes a tool.
type ToolPatch struct {
	ZoneID            *string         `json:"zone_id,omitempty"`
	Name              *string         `json:"name,omitempty"`
	Description       *string         `json:"description,omitempty"`
	Config            json.RawMessage `json:"config,omitempty"`
	AlwaysSend        *bool           `json:"always_send,omitempty"`
	RequireValidation *bool           `json:"require_validation,omitempty"`
	Position          *int            `json:"position,omitempty"`
}

// NewToolType asks for a tool type.
type NewToolType struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	ConfigSchema json.RawMessage `json:"config_schema"`
	EntrySchema  json.RawMessage `json:"entry_schema"`
}

// ToolTypePatch changes a tool type. A schema is given whole: null is a value in it.
type ToolTypePatch struct {
	Name         *string
	Description  *string
	ConfigSchema json.RawMessage
	EntrySchema  json.RawMessage
}

// Apply merges the patch into a tool type.
func (p ToolTypePatch) Apply(t *ToolType) {
	setField(&t.Name, p.Name)
	setField(&t.Description, p.Description)
	if p.ConfigSchema != nil {
		t.ConfigSchema = p.ConfigSchema
	}
	if p.EntrySchema != nil {
		t.EntrySchema = p.EntrySchema
	}
}

// NewEntry asks for an entry. Timestamp is RFC 3339, or a local date or date-time;
// empty: now.
type NewEntry struct {
	Timestamp string          `json:"timestamp,omitempty"`
	Data      json.RawMessage `json:"data"`
}

// EntryPatch changes an entry. Timestamp is as in NewEntry.
type EntryPatch struct {
	Timestamp *string         `json:"timestamp,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

// NewDocument asks for a document; its text is a draft. An empty Title: the key.
type NewDocument struct {
	Key   string
	Title string
	Body  string
}

// DocumentPatch changes a document's draft.
type DocumentPatch struct {
	Title *string
	Body  *string
}

// Apply merges the patch into a document's draft.
func (p DocumentPatch) Apply(d *Document) {
	setField(&d.Title, p.Title)
	setField(&d.Body, p.Body)
}

// StatsQuery asks for statistics of a numeric field of a tool's entries. An empty Field
// is the type's only numeric one; GroupBy is "", "day", "week" or "month", in the
// workspace's time zone, or a field: then there is a group for each of its values.
type StatsQuery struct {
	ToolID  string
	Field   string
	Period  domain.Period
	GroupBy string
	// Where is a JSON object of conditions on the entries; empty: none.
	Where json.RawMessage
}

// StatsResult holds the statistics of the whole period, and of each group in it that has
// entries.
type StatsResult struct {
	Field  string
	Total  Stats
	Groups []Stats
}

// setField changes a field that a patch names.
func setField[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
