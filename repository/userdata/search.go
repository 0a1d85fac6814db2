package userdata

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// Search returns a page of the texts that contain every word, best match first, then newest. The
// second result is the cursor of the next page, "" at the end.
func (d *Data) Search(ctx context.Context, s userdata.SearchQuery) ([]userdata.SearchHit, string, error) {
	rows, words, next, err := search.Find(ctx, d.r, d.search, d.workspace, s)
	if err != nil {
		return nil, "", err
	}
	h := hits{d: d, words: words, published: s.Published}
	found, err := h.read(ctx, rows)
	return found, next, err
}

// hits reads the rows that the index found.
type hits struct {
	d         *Data
	words     *search.Words
	published bool
	byID      map[string]userdata.SearchHit // of the current batch
}

// hitRow is an entry with its tool and zone.
type hitRow struct {
	ID       string      `db:"id"`
	ToolID   string      `db:"tool_id"`
	ToolName string      `db:"tool_name"`
	ToolType string      `db:"tool_type"`
	ZoneID   string      `db:"zone_id"`
	ZoneName string      `db:"zone_name"`
	At       sqldb.Stamp `db:"at"`
	Data     string      `db:"data"`
	trustColumns
	ToolTrust  string `db:"tool_trust"`
	ToolDetail string `db:"tool_trust_detail"`
	ZoneTrust  string `db:"zone_trust"`
	ZoneDetail string `db:"zone_trust_detail"`
}

// names are the records of the tool and of the zone, if their names have external content.
func (r *hitRow) names() []trust.Record {
	tool, zone := trustColumns{r.ToolTrust, r.ToolDetail}, trustColumns{r.ZoneTrust, r.ZoneDetail}
	var names []trust.Record
	for _, r := range []trust.Record{tool.record().Of("name"), zone.record().Of("name")} {
		if r.Level == trust.Outside {
			names = append(names, r)
		}
	}
	return names
}

// hitEntries selects the entries by id first; the LIMIT makes PostgreSQL do so. Otherwise, without
// statistics, it reads every entry by way of the tool or of the index of rows that are not deleted.
var hitEntries = "SELECT e.id, e.tool_id, t.name AS tool_name, t.tool_type, t.zone_id, z.name AS zone_name, e.at, e.data, e.trust, e.trust_detail, " +
	"t.trust AS tool_trust, t.trust_detail AS tool_trust_detail, z.trust AS zone_trust, z.trust_detail AS zone_trust_detail FROM (" +
	"SELECT workspace_id, id, tool_id, at, data, trust, trust_detail, deleted_at FROM entries WHERE workspace_id = $1 AND id IN (" +
	sqldb.Placeholders(2, hitsAtOnce) + ") LIMIT " + strconv.Itoa(hitsAtOnce) + ") e " +
	"JOIN tools t ON t.workspace_id = e.workspace_id AND t.id = e.tool_id JOIN zones z ON z.workspace_id = t.workspace_id " +
	"AND z.id = t.zone_id WHERE e.deleted_at IS NULL"

// hitsAtOnce is how many texts are in memory at a time: each may be long, and only its snippet is
// kept.
const hitsAtOnce = 25

// read returns a hit for each of the rows; rows deleted since are left out.
func (h *hits) read(ctx context.Context, rows []search.Found) ([]userdata.SearchHit, error) {
	all := make([]userdata.SearchHit, 0, len(rows))
	for part := range slices.Chunk(rows, hitsAtOnce) {
		h.byID = map[string]userdata.SearchHit{}
		var entries, documents []string
		for _, row := range part {
			if userdata.SearchKind(row.Kind) == userdata.SearchDocuments {
				documents = append(documents, row.ID)
			} else {
				entries = append(entries, row.ID)
			}
		}
		if err := h.readEntries(ctx, entries); err != nil {
			return nil, err
		}
		if err := h.readDocuments(ctx, documents); err != nil {
			return nil, err
		}
		for _, row := range part {
			if hit, ok := h.byID[row.ID]; ok {
				all = append(all, hit)
			}
		}
	}
	return all, nil
}

func (h *hits) readEntries(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	var rows []hitRow
	if err := h.d.r.All(ctx, &rows, hitEntries, h.padded(ids)...); err != nil {
		return fmt.Errorf("read the entries found: %w", err)
	}
	for i := range rows {
		r := &rows[i]
		title, body := search.EntryTexts(json.RawMessage(r.Data), r.ToolType)
		hit := userdata.SearchHit{Kind: userdata.SearchEntries, ID: r.ID, ToolID: r.ToolID, ToolName: r.ToolName,
			ZoneID: r.ZoneID, ZoneName: r.ZoneName, Title: title, Timestamp: r.At.Time,
			Trust: r.record(), Names: r.names()}
		if r.ToolType == userdata.NotesType {
			hit.Kind = userdata.SearchNotes
		}
		h.words.Show(&hit, body)
		h.byID[r.ID] = hit
	}
	return nil
}

func (h *hits) readDocuments(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	var rows []documentRow
	if err := h.d.r.All(ctx, &rows, liveDocuments+" AND id IN ("+sqldb.Placeholders(2, hitsAtOnce)+")", h.padded(ids)...); err != nil {
		return fmt.Errorf("read the documents found: %w", err)
	}
	for i := range rows {
		r := &rows[i]
		hit := userdata.SearchHit{Kind: userdata.SearchDocuments, ID: r.ID, Key: r.Key, Title: r.Title, Timestamp: r.UpdatedAt.Time,
			Trust: r.record()}
		draft := r.PublishedAt.IsZero() || r.Body != r.Published
		switch {
		case h.published, draft && !r.PublishedAt.IsZero() && h.words.Count(r.Body) < h.words.Count(r.Published):
			h.words.Show(&hit, r.Published)
		default:
			hit.Draft = draft
			h.words.Show(&hit, r.Body)
		}
		h.byID[r.ID] = hit
	}
	return nil
}

// padded returns the workspace and a fixed number of ids, so that the statement is always the same.
func (h *hits) padded(ids []string) []any {
	return append([]any{h.d.workspace}, sqldb.Padded(ids, hitsAtOnce)...)
}
