package api

import (
	"time"

	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/domain/userdata"
)

// orEmpty is a field of a merge patch that null empties; nil where it is left out.
func orEmpty[T any](v nullable.Nullable[T]) *T {
	if !v.IsSpecified() {
		return nil
	}
	return new(v[true]) // the zero value for null
}

// storable writes a time, cut to what the databases keep.
func storable(t time.Time) string {
	return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}

// Domain returns the requested zone.
func (in *NewZone) Domain() userdata.NewZone {
	return userdata.NewZone{
		Name: in.Name, Description: Value(in.Description), Colour: Value(in.Colour),
		Position: Value(in.Position), RequireValidation: Value(in.RequireValidation),
	}
}

// Domain returns the requested change.
func (in *ZonePatch) Domain() userdata.ZonePatch {
	return userdata.ZonePatch{
		Name: in.Name, Description: orEmpty(in.Description), Colour: orEmpty(in.Colour),
		Position: in.Position, RequireValidation: in.RequireValidation,
	}
}

// Domain returns the requested tool.
func (in *NewTool) Domain() userdata.NewTool {
	return userdata.NewTool{
		ZoneID: in.ZoneID, ToolType: in.ToolType, Name: in.Name, Description: Value(in.Description), Config: in.Config,
		AlwaysSend: Value(in.AlwaysSend), RequireValidation: Value(in.RequireValidation), Position: Value(in.Position),
	}
}

// Domain returns the requested change.
func (in *ToolPatch) Domain() userdata.ToolPatch {
	return userdata.ToolPatch{
		ZoneID: in.ZoneID, Name: in.Name, Description: orEmpty(in.Description), Config: in.Config,
		AlwaysSend: in.AlwaysSend, RequireValidation: in.RequireValidation, Position: in.Position,
	}
}

// Domain returns the requested tool type.
func (in *NewToolType) Domain() userdata.NewToolType {
	return userdata.NewToolType{
		ID: in.ID, Name: in.Name, Description: Value(in.Description), ConfigSchema: in.ConfigSchema, EntrySchema: in.EntrySchema,
	}
}

// Domain returns the requested change.
func (in *ToolTypePatch) Domain() userdata.ToolTypePatch {
	return userdata.ToolTypePatch{
		Name: in.Name, Description: orEmpty(in.Description), ConfigSchema: in.ConfigSchema, EntrySchema: in.EntrySchema,
	}
}

// Domain returns the requested entry. The default of its time is now.
func (in *NewEntry) Domain() userdata.NewEntry {
	entry := userdata.NewEntry{Data: in.Data}
	if in.Timestamp != nil {
		entry.Timestamp = storable(*in.Timestamp)
	}
	return entry
}

// Domain are the entries that are asked for.
func (in *NewEntries) Domain() []userdata.NewEntry {
	entries := make([]userdata.NewEntry, len(in.Entries))
	for i := range in.Entries {
		entries[i] = in.Entries[i].Domain()
	}
	return entries
}

// Domain returns the requested change.
func (in *EntryPatch) Domain() userdata.EntryPatch {
	patch := userdata.EntryPatch{Data: in.Data}
	if in.Timestamp != nil {
		patch.Timestamp = new(storable(*in.Timestamp))
	}
	return patch
}

// Domain returns the requested document.
func (in *NewDocument) Domain() userdata.NewDocument {
	return userdata.NewDocument{Key: in.Key, Title: Value(in.Title), Body: Value(in.Body)}
}

// Domain returns the requested change.
func (in *DocumentPatch) Domain() userdata.DocumentPatch {
	return userdata.DocumentPatch{Title: in.Title, Body: in.Body}
}
