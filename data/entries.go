package data

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// CreateEntries adds 1 to 500 entries, all or none; pointers of errors begin with
// /entries/3.
func (r *Rules) CreateEntries(ctx context.Context, store Store, env Env, toolID string,
	in []userdata.EntryFields) ([]userdata.Entry, domain.DataChange, error) {
	none := domain.DataChange{}
	if len(in) == 0 || len(in) > maxBatch {
		return nil, none, domain.Invalid("/entries", "count", "1 to %d entries are added at once, not %d.", maxBatch, len(in))
	}
	tool, t, err := r.typedTool(ctx, store, toolID)
	if err != nil {
		return nil, none, err
	}
	entries := make([]userdata.Entry, len(in))
	for i := range in {
		// Checking many large entries takes time that no database call bounds.
		if err := ctx.Err(); err != nil {
			return nil, none, fmt.Errorf("check the entries: %w", err)
		}
		if entries[i], err = r.newEntry(&env, tool, t, in[i], fmt.Sprintf("/entries/%d", i)); err != nil {
			return nil, none, err
		}
	}
	if err := store.InsertEntries(ctx, entries); err != nil {
		return nil, none, fmt.Errorf("insert the entries: %w", err)
	}
	id := ""
	if len(entries) == 1 {
		id = entries[0].ID
	}
	return entries, entryChange(&env, tool, id, "created", len(entries)), nil
}

func (r *Rules) typedTool(ctx context.Context, store Store, toolID string) (*userdata.Tool, *userdata.ToolType, error) {
	tool, err := FindTool(ctx, store, "/tool_id", toolID)
	if err != nil {
		return nil, nil, err
	}
	t, err := FindToolType(ctx, store, tool.ToolType)
	if err != nil {
		return nil, nil, fmt.Errorf("find the type of the tool %s: %w", toolID, err)
	}
	return tool, t, nil
}

func (r *Rules) newEntry(env *Env, tool *userdata.Tool, t *userdata.ToolType,
	in userdata.EntryFields, pointer string) (userdata.Entry, error) {
	at, err := entryTime(env, pointer+"/timestamp", in.Timestamp)
	if err != nil {
		return userdata.Entry{}, err
	}
	if len(in.Data) == 0 {
		return userdata.Entry{}, domain.Invalid(pointer+"/data", "required", `"data" is required.`)
	}
	body, err := Normal(pointer+"/data", in.Data, maxEntryData)
	if err == nil {
		err = r.checkData(t, tool, body, pointer+"/data")
	}
	if err != nil {
		return userdata.Entry{}, err
	}
	return userdata.Entry{ID: env.NewID(domain.PrefixEntry), WorkspaceID: env.WorkspaceID, ToolID: tool.ID, Timestamp: at, Data: body,
		Version: 1, SessionID: env.SessionID, CreatedAt: env.Now, UpdatedAt: env.Now,
		Trust: env.Writer.Created(entryText{body})}, nil
}

// entryText is what an entry has beside its time.
type entryText struct {
	Data json.RawMessage `json:"data,omitempty"`
}

func entryTime(env *Env, pointer, text string) (time.Time, error) {
	if text == "" {
		return env.Now, nil
	}
	dates, err := env.Calendar()
	if err != nil {
		return time.Time{}, err
	}
	return dates.ParseTime(pointer, text)
}

// PatchEntry merges a patch into an entry. A time is read in the workspace's calendar.
func PatchEntry(env *Env, entry *userdata.Entry, p userdata.EntryPatch) error {
	fields := userdata.EntryFields{Data: entry.Data}
	if err := p.Apply(&fields); err != nil {
		return err
	}
	if p.Get("timestamp") != nil {
		at, err := entryTime(env, "/timestamp", fields.Timestamp)
		if err != nil {
			return err
		}
		entry.Timestamp = at
	}
	if err := checkPatched("/data", p.Get("data")); err != nil {
		return err
	}
	entry.Data = fields.Data
	return nil
}

// UpdateEntry changes an entry's time or data.
func (r *Rules) UpdateEntry(ctx context.Context, store Store, env Env, entry *userdata.Entry,
	p userdata.EntryPatch) (domain.DataChange, error) {
	none := domain.DataChange{}
	tool, t, err := r.typedTool(ctx, store, entry.ToolID)
	if err != nil {
		return none, err
	}
	if err := PatchEntry(&env, entry, p); err != nil {
		return none, err
	}
	if err := r.checkEntry(t, tool, entry.Data); err != nil {
		return none, err
	}
	entry.UpdatedAt, entry.SessionID = env.Now, env.SessionID
	entry.Trust = env.Writer.Changed(entry.Trust, entryText{p.Get("data")})
	if err := store.UpdateEntries(ctx, entry); err != nil {
		return none, changedMeanwhile(err, "update the entry")
	}
	return entryChange(&env, tool, entry.ID, "updated", 1), nil
}

// checkEntry holds the data of an entry that changes to the tool's type.
func (r *Rules) checkEntry(t *userdata.ToolType, tool *userdata.Tool, data json.RawMessage) error {
	if len(data) > maxEntryData {
		return domain.Invalid("/data", "too_large", "The data has %d bytes; at most %d are allowed.", len(data), maxEntryData)
	}
	return r.checkData(t, tool, data, "/data")
}

// FindEntries finds 1 to 500 entries, each once.
func FindEntries(ctx context.Context, store Entries, ids []string) ([]*userdata.Entry, error) {
	if len(ids) == 0 || len(ids) > maxBatch {
		return nil, domain.Invalid("/entry_ids", "count", "1 to %d entries are deleted at once, not %d.", maxBatch, len(ids))
	}
	var found []*userdata.Entry
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		entry, err := FindEntry(ctx, store, fmt.Sprintf("/entry_ids/%d", i), id)
		if err != nil {
			return nil, err
		}
		found = append(found, entry)
	}
	return found, nil
}

// DeleteEntries deletes entries, all or none; there is a change for each tool that loses
// some.
func (r *Rules) DeleteEntries(ctx context.Context, store Store, env Env, entries ...*userdata.Entry) ([]domain.DataChange, error) {
	byTool := map[string][]string{}
	var order, ids []string
	for _, entry := range entries {
		if len(byTool[entry.ToolID]) == 0 {
			order = append(order, entry.ToolID)
		}
		byTool[entry.ToolID] = append(byTool[entry.ToolID], entry.ID)
		ids = append(ids, entry.ID)
	}
	if err := store.DeleteEntries(ctx, ids, env.Now); err != nil {
		return nil, changedMeanwhile(err, "delete the entries")
	}
	var changes []domain.DataChange
	for _, toolID := range order {
		tool, err := FindTool(ctx, store, "/tool_id", toolID)
		if err != nil {
			return nil, err
		}
		id := ""
		if len(byTool[toolID]) == 1 {
			id = byTool[toolID][0]
		}
		changes = append(changes, entryChange(&env, tool, id, "deleted", len(byTool[toolID])))
	}
	return changes, nil
}

// entryChange is the change of one entry (id) or of several (no id, their count).
func entryChange(env *Env, tool *userdata.Tool, id, operation string, count int) domain.DataChange {
	change := env.change("entry", id, operation)
	change.ToolID, change.ZoneID, change.Count = tool.ID, tool.ZoneID, count
	if operation == "created" {
		change.MadeAt = &env.Now // by which those who watch find the entries
	}
	return change
}
