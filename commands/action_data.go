package commands

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/mergepatch"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// shownIDs limits the ids of new entries in the text for the AI; the result has all of them.
const shownIDs = 20

type createDataParams struct {
	ToolID  string                 `json:"tool_id"`
	Entries []userdata.EntryFields `json:"entries"`
}

type updateDataParams struct {
	EntryID string
	Patch   userdata.EntryPatch
}

func (p *updateDataParams) UnmarshalJSON(text []byte) (err error) {
	p.EntryID, p.Patch, err = mergepatch.IDAndPatch[userdata.EntryFields](text, "entry_id")
	return err
}

type deleteDataParams struct {
	EntryIDs []string `json:"entry_ids"`
}

const timestampProperty = `"timestamp": {"type": "string", "description": "RFC 3339, or a local date or date-time."}`

func dataActions() []*command {
	return []*command{
		newAction(
			"CREATE_DATA",
			domain.RoleMember,
			domain.EffectNonIdempotent,
			"Add entries to a tool, all or none; see SCHEMA of entry.",
			toolIDProperty+`, "entries": {"type": "array", "minItems": 1, "maxItems": 500, "items": {"type": "object", "properties": {`+timestampProperty+`,
			"data": {"type": "object"}}, "required": ["data"], "additionalProperties": false}}`,
			describeCreateData,
			runCreateData,
		).require("tool_id", "entries"),
		newAction(
			"UPDATE_DATA",
			domain.RoleMember,
			domain.EffectIdempotent,
			"Change an entry: give only the fields of data that change; null removes one.",
			`"entry_id": {"type": "string"}, "timestamp": {"type": "string"}, "data": {"type": "object"}`,
			describeUpdateData,
			runUpdateData,
		).require("entry_id"),
		newAction("DELETE_DATA", domain.RoleMember, domain.EffectIdempotent, "Delete entries, all or none.",
			`"entry_ids": {"type": "array", "minItems": 1, "maxItems": 500, "items": {"type": "string"}}`,
			describeDeleteData, runDeleteData).require("entry_ids"),
	}
}

func describeCreateData(ctx context.Context, c *call, p createDataParams) (card, error) {
	tool, zones, err := c.guarded(ctx, "/tool_id", p.ToolID)
	if err != nil {
		return card{}, err
	}
	d := card{text: domain.Say("Add %s to %s", "Ajouter %s à %s", entriesText(len(p.Entries)), nameText(tool.Name)),
		after: jsonbody.Encode(p.Entries), tools: []*userdata.Tool{tool}, zones: zones}
	if tool.AlwaysSend {
		d.sentAlways(&c.env, false)
	}
	return d, nil
}

func runCreateData(ctx context.Context, c *call, p createDataParams) (done, error) {
	entries, change, err := c.rules().CreateEntries(ctx, c.store, c.env.Env, p.ToolID, p.Entries)
	if err != nil {
		return done{}, err
	}
	ids := make([]string, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	text := fmt.Sprintf("Added %s. Ids: %s", domain.Plural(len(ids), "entry", "entries"), strings.Join(ids[:min(len(ids), shownIDs)], ", "))
	if len(ids) > shownIDs {
		text += fmt.Sprintf(" and %d more (TOOL_DATA lists them)", len(ids)-shownIDs)
	}
	return done{text: text + ".", result: jsonbody.Encode(struct {
		IDs []string `json:"ids"`
	}{ids}), summary: domain.Say("Added %s to %s", "Ajout de %s à %s", entriesText(len(ids)), c.toolName(ctx, p.ToolID)),
		changes: []domain.DataChange{change}}, nil
}

func describeUpdateData(ctx context.Context, c *call, p updateDataParams) (card, error) {
	entry, err := data.FindEntry(ctx, c.store, "/entry_id", p.EntryID)
	if err != nil {
		return card{}, err
	}
	tool, zones, err := c.guarded(ctx, "/entry_id", entry.ToolID)
	if err != nil {
		return card{}, err
	}
	dates, err := c.env.Calendar()
	if err != nil {
		return card{}, err
	}
	after := *entry
	if err := data.PatchEntry(&c.env.Env, &after, p.Patch); err != nil {
		return card{}, err
	}
	d := card{text: domain.Say("Change an entry of %s", "Modifier une entrée de %s", nameText(tool.Name)),
		tools: []*userdata.Tool{tool}, zones: zones, version: strconv.FormatInt(entry.Version, 10)}
	if tool.AlwaysSend {
		d.sentAlways(&c.env, false)
	}
	d.before, d.after = diff(entryView(entry, dates.Zone), entryView(&after, dates.Zone))
	return d, nil
}

func runUpdateData(ctx context.Context, c *call, p updateDataParams) (done, error) {
	if p.Patch.Empty() {
		return done{}, domain.Invalid("", "empty", "Nothing would change: give timestamp or data.")
	}
	entry, err := data.FindEntry(ctx, c.store, "/entry_id", p.EntryID)
	if err != nil {
		return done{}, err
	}
	was := entryView(entry, time.UTC)
	change, err := c.rules().UpdateEntry(ctx, c.store, c.env.Env, entry, p.Patch)
	if err != nil {
		return done{}, err
	}
	d, err := changed(entry.ID, change,
		fmt.Sprintf("Changed the entry %s. Its data is now %s.", entry.ID, shorten.Characters(string(entry.Data), 2000)),
		domain.Say("Changed an entry of %s", "Entrée de %s modifiée", c.toolName(ctx, entry.ToolID)))
	return d.from(entry.ID, was, entryView(entry, time.UTC)), err
}

func describeDeleteData(ctx context.Context, c *call, p deleteDataParams) (card, error) {
	dates, err := c.env.Calendar()
	if err != nil {
		return card{}, err
	}
	d := card{warnings: []domain.Text{deletion()}}
	var rows []entryRow
	var names []domain.Text
	var versions, seen []string
	for i, id := range p.EntryIDs {
		entry, err := data.FindEntry(ctx, c.store, fmt.Sprintf("/entry_ids/%d", i), id)
		if err != nil {
			return card{}, err
		}
		rows = append(rows, entryView(entry, dates.Zone))
		versions = append(versions, entry.ID+"@"+strconv.FormatInt(entry.Version, 10))
		if slices.Contains(seen, entry.ToolID) {
			continue
		}
		seen = append(seen, entry.ToolID)
		tool, zones, err := c.guarded(ctx, "/entry_ids", entry.ToolID)
		if err != nil {
			return card{}, err
		}
		d.tools, d.zones, names = append(d.tools, tool), append(d.zones, zones...), append(names, nameText(tool.Name))
	}
	d.text = domain.Say("Delete %s of %s", "Supprimer %s de %s", entriesText(len(p.EntryIDs)), domain.Join(", ", names...))
	d.before, d.version = jsonbody.Encode(rows), strings.Join(versions, ",")
	return d, nil
}

func runDeleteData(ctx context.Context, c *call, p deleteDataParams) (done, error) {
	entries, err := data.FindEntries(ctx, c.store, p.EntryIDs)
	if err != nil {
		return done{}, err
	}
	changes, err := c.rules().DeleteEntries(ctx, c.store, c.env.Env, entries...)
	if err != nil {
		return done{}, err
	}
	n := 0
	for _, change := range changes {
		n += change.Count
	}
	return done{
		text: fmt.Sprintf("Deleted %s. The person can undo it for 30 days.", domain.Plural(n, "entry", "entries")),
		result: jsonbody.Encode(struct {
			Deleted int `json:"deleted"`
		}{n}),
		summary: domain.Say("Deleted %s", "%s supprimées", entriesText(n)),
		changes: changes,
	}, nil
}
