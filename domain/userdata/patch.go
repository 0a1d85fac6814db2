package userdata

import (
	"encoding/json"

	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/mergepatch"
)

// What people and models ask for when they add or change the user's data.
type (
	// NewToolType asks for a tool type.
	NewToolType struct {
		ID string `json:"id"`
		ToolTypeFields
	}

	// NewDocument asks for a document; its text is a draft. An empty Title: the key.
	NewDocument struct {
		Key string `json:"key"`
		DocumentFields
	}

	ZonePatch     = mergepatch.Patch[ZoneFields]
	ToolTypePatch = mergepatch.Patch[ToolTypeFields]
	ToolPatch     = mergepatch.Patch[ToolFields]
	EntryPatch    = mergepatch.Patch[EntryFields]
	DocumentPatch = mergepatch.Patch[DocumentFields]
)

// StatsQuery asks for statistics of a numeric field of a tool's entries. An empty Field
// is the type's only numeric one; GroupBy is "", "day", "week" or "month", in the
// workspace's time zone, or a field: then there is a group for each of its values.
type StatsQuery struct {
	ToolID  string
	Field   string
	Period  calendar.Period
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
