package api

import (
	"encoding/json"
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

// Domain returns the requested entry. The default of its time is now.
func (in *NewEntry) Domain() userdata.EntryFields { return entryFields(in.Timestamp, in.Data) }

// Domain are the entries that are asked for.
func (in *NewEntries) Domain() []userdata.EntryFields {
	entries := make([]userdata.EntryFields, len(in.Entries))
	for i := range in.Entries {
		entries[i] = in.Entries[i].Domain()
	}
	return entries
}

// Domain returns the requested change.
func (in *EntryPatch) Domain() userdata.EntryPatch {
	return PatchOf[userdata.EntryFields](entryFields(in.Timestamp, in.Data))
}

// entryFields cuts a time to what the databases store.
func entryFields(at *time.Time, data json.RawMessage) userdata.EntryFields {
	fields := userdata.EntryFields{Data: data}
	if at != nil {
		fields.Timestamp = at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
	}
	return fields
}
