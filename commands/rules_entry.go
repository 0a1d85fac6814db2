package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// EntryInput is a new entry. Timestamp is RFC 3339, or a local date or date-time;
// empty: now.
type EntryInput struct {
	Timestamp string          `json:"timestamp,omitempty"`
	Data      json.RawMessage `json:"data"`
}

// EntryPatch changes an entry. Data is a merge patch. Version, if set, is the one
// that its author saw.
type EntryPatch struct {
	Timestamp *string
	Data      json.RawMessage
	Version   *int64
}

// CreateEntry adds one entry; pointers of errors begin at the entry.
func (c *Catalogue) CreateEntry(ctx context.Context, data Data, env Env, toolID string, in EntryInput) (*domain.Entry, domain.DataChange, error) {
	tool, t, err := c.typedTool(ctx, data, toolID)
	if err != nil {
		return nil, domain.DataChange{}, err
	}
	entry, err := c.newEntry(&env, tool, t, in, "")
	if err != nil {
		return nil, domain.DataChange{}, err
	}
	if err := data.InsertEntries(ctx, []domain.Entry{entry}); err != nil {
		return nil, domain.DataChange{}, fmt.Errorf("insert the entry: %w", err)
	}
	return &entry, entryChange(&env, tool, entry.ID, "created", 1), nil
}

// CreateEntries adds 1 to 500 entries, all or none; pointers of errors begin with
// /entries/3.
func (c *Catalogue) CreateEntries(ctx context.Context, data Data, env Env, toolID string, in []EntryInput) ([]domain.Entry, domain.DataChange, error) {
	none := domain.DataChange{}
	if len(in) == 0 || len(in) > maxBatch {
		return nil, none, domain.Invalid("/entries", "count", "1 to %d entries are added at once, not %d.", maxBatch, len(in))
	}
	tool, t, err := c.typedTool(ctx, data, toolID)
	if err != nil {
		return nil, none, err
	}
	entries := make([]domain.Entry, len(in))
	for i := range in {
		// Checking many large entries takes time that no database call bounds.
		if err := ctx.Err(); err != nil {
			return nil, none, fmt.Errorf("check the entries: %w", err)
		}
		if entries[i], err = c.newEntry(&env, tool, t, in[i], fmt.Sprintf("/entries/%d", i)); err != nil {
			return nil, none, err
		}
	}
	if err := data.InsertEntries(ctx, entries); err != nil {
		return nil, none, fmt.Errorf("insert the entries: %w", err)
	}
	id := ""
	if len(entries) == 1 {
		id = entries[0].ID
	}
	return entries, entryChange(&env, tool, id, "created", len(entries)), nil
}

func (c *Catalogue) typedTool(ctx context.Context, data Data, toolID string) (*domain.Tool, *domain.ToolType, error) {
	tool, err := findTool(ctx, data, "/tool_id", toolID)
	if err != nil {
		return nil, nil, err
	}
	t, err := c.ToolType(ctx, data, tool.ToolType)
	if err != nil {
		return nil, nil, fmt.Errorf("find the type of the tool %s: %w", toolID, err)
	}
	return tool, t, nil
}

func (c *Catalogue) newEntry(env *Env, tool *domain.Tool, t *domain.ToolType, in EntryInput, pointer string) (domain.Entry, error) {
	at, err := entryTime(env, pointer+"/timestamp", in.Timestamp)
	if err != nil {
		return domain.Entry{}, err
	}
	if len(in.Data) == 0 {
		return domain.Entry{}, domain.Invalid(pointer+"/data", "required", `"data" is required.`)
	}
	body, err := normal(pointer+"/data", in.Data, maxEntryData)
	if err == nil {
		err = c.checkData(t, tool, body, pointer+"/data")
	}
	if err != nil {
		return domain.Entry{}, err
	}
	return domain.Entry{ID: env.NewID(domain.PrefixEntry), WorkspaceID: env.WorkspaceID, ToolID: tool.ID, Timestamp: at, Data: body,
		Version: 1, SessionID: env.SessionID, CreatedAt: env.Now, UpdatedAt: env.Now}, nil
}

func entryTime(env *Env, pointer, text string) (time.Time, error) {
	if text == "" {
		return env.Now, nil
	}
	calendar, err := env.calendar()
	if err != nil {
		return time.Time{}, err
	}
	return calendar.ParseTime(pointer, text)
}

// UpdateEntry changes an entry's time or data.
func (c *Catalogue) UpdateEntry(ctx context.Context, data Data, env Env, id string, p EntryPatch) (*domain.Entry, domain.DataChange, error) {
	none := domain.DataChange{}
	entry, err := findEntry(ctx, data, "/entry_id", id)
	if err == nil {
		err = checkVersion(p.Version, entry.Version)
	}
	if err != nil {
		return nil, none, err
	}
	tool, t, err := c.typedTool(ctx, data, entry.ToolID)
	if err != nil {
		return nil, none, err
	}
	if err := p.apply(&env, entry); err != nil {
		return nil, none, err
	}
	if len(entry.Data) > maxEntryData {
		return nil, none, domain.Invalid("/data", "too_large", "The data has %d bytes; at most %d are allowed.", len(entry.Data), maxEntryData)
	}
	if err := c.checkData(t, tool, entry.Data, "/data"); err != nil {
		return nil, none, err
	}
	entry.UpdatedAt, entry.SessionID = env.Now, env.SessionID
	if err := data.UpdateEntry(ctx, entry); err != nil {
		return nil, none, changedMeanwhile(err, "update the entry")
	}
	return entry, entryChange(&env, tool, entry.ID, "updated", 1), nil
}

func (p EntryPatch) apply(env *Env, entry *domain.Entry) error {
	if p.Timestamp != nil {
		at, err := entryTime(env, "/timestamp", *p.Timestamp)
		if err != nil {
			return err
		}
		entry.Timestamp = at
	}
	if len(p.Data) == 0 {
		return nil
	}
	body, err := merged("/data", entry.Data, p.Data)
	if err != nil {
		return err
	}
	entry.Data = body
	return nil
}

func findEntry(ctx context.Context, data EntryData, pointer, id string) (*domain.Entry, error) {
	entry, err := data.Entry(ctx, id)
	if err == nil {
		return entry, nil
	}
	if domain.ErrorCode(err) != domain.CodeNotFound {
		return nil, fmt.Errorf("read the entry: %w", err)
	}
	message := fmt.Sprintf("There is no entry with the id %s. The ids of a tool's entries are in its data (TOOL_DATA).", quoted(id))
	return nil, &domain.Error{Code: domain.CodeNotFound, Message: message,
		Fields: []domain.FieldError{{Pointer: pointer, Code: "unknown", Message: message}}}
}

// DeleteEntries deletes 1 to 500 entries, all or none; there is a change for each tool
// that loses some.
func (c *Catalogue) DeleteEntries(ctx context.Context, data Data, env Env, ids []string) ([]domain.DataChange, error) {
	if len(ids) == 0 || len(ids) > maxBatch {
		return nil, domain.Invalid("/entry_ids", "count", "1 to %d entries are deleted at once, not %d.", maxBatch, len(ids))
	}
	byTool := map[string][]string{}
	var order, distinct []string
	for i, id := range ids {
		if slices.Contains(distinct, id) {
			continue
		}
		entry, err := findEntry(ctx, data, fmt.Sprintf("/entry_ids/%d", i), id)
		if err != nil {
			return nil, err
		}
		if len(byTool[entry.ToolID]) == 0 {
			order = append(order, entry.ToolID)
		}
		byTool[entry.ToolID] = append(byTool[entry.ToolID], id)
		distinct = append(distinct, id)
	}
	if err := data.DeleteEntries(ctx, distinct, env.Now); err != nil {
		return nil, changedMeanwhile(err, "delete the entries")
	}
	var changes []domain.DataChange
	for _, toolID := range order {
		tool, err := findTool(ctx, data, "/tool_id", toolID)
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

// entryChange tells of one entry (id) or of several (no id, their count).
func entryChange(env *Env, tool *domain.Tool, id, operation string, count int) domain.DataChange {
	change := env.change("entry", id, operation)
	change.ToolID, change.ZoneID, change.Count = tool.ID, tool.ZoneID, count
	if operation == "created" {
		change.MadeAt = &env.Now // by which those who watch find the entries
	}
	return change
}
