package repository

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// Search finds a page of what holds every word, the best first, of equals the newest,
// and gives the cursor of the next page, "" at the end.
func (d *Data) Search(ctx context.Context, s domain.SearchQuery) ([]domain.SearchHit, string, error) {
	rows, words, next, err := search.Find(ctx, d.r, d.search, d.workspace, s)
	if err != nil {
		return nil, "", err
	}
	hits, err := d.hits(ctx, rows, words, s.Published)
	return hits, next, err
}

// hitRow is an entry with what it stands in.
type hitRow struct {
	ID       string      `db:"id"`
	ToolID   string      `db:"tool_id"`
	ToolName string      `db:"tool_name"`
	ToolType string      `db:"tool_type"`
	ZoneID   string      `db:"zone_id"`
	ZoneName string      `db:"zone_name"`
	At       sqldb.Stamp `db:"at"`
	Data     string      `db:"data"`
}

// hitEntries finds the entries by their ids first; the LIMIT holds it to that. By way of
// the tool, or of the index of what is not deleted, PostgreSQL reads every entry as long
// as it has no statistics.
var hitEntries = "SELECT e.id, e.tool_id, t.name AS tool_name, t.tool_type, t.zone_id, z.name AS zone_name, e.at, e.data FROM (" +
	"SELECT workspace_id, id, tool_id, at, data, deleted_at FROM entries WHERE workspace_id = $1 AND id IN (" +
	sqldb.Placeholders(2, hitsAtOnce) + ") LIMIT " + strconv.Itoa(hitsAtOnce) + ") e " +
	"JOIN tools t ON t.workspace_id = e.workspace_id AND t.id = e.tool_id JOIN zones z ON z.workspace_id = t.workspace_id AND z.id = t.zone_id WHERE e.deleted_at IS NULL"

// hitsAtOnce is how many texts are held in memory at a time: each may be long, and only
// its snippet is kept.
const hitsAtOnce = 25

// hits reads what was found. What was deleted since is left out.
func (d *Data) hits(ctx context.Context, rows []search.Found, w *search.Words, published bool) ([]domain.SearchHit, error) {
	hits := make([]domain.SearchHit, 0, len(rows))
	for part := range slices.Chunk(rows, hitsAtOnce) {
		byID := map[string]domain.SearchHit{}
		var entries, documents []string
		for _, row := range part {
			if domain.SearchKind(row.Kind) == domain.SearchDocuments {
				documents = append(documents, row.ID)
			} else {
				entries = append(entries, row.ID)
			}
		}
		if err := d.hitEntries(ctx, entries, w, byID); err != nil {
			return nil, err
		}
		if err := d.hitDocuments(ctx, documents, w, published, byID); err != nil {
			return nil, err
		}
		for _, row := range part {
			if hit, ok := byID[row.ID]; ok {
				hits = append(hits, hit)
			}
		}
	}
	return hits, nil
}

func (d *Data) hitEntries(ctx context.Context, ids []string, w *search.Words, byID map[string]domain.SearchHit) error {
	if len(ids) == 0 {
		return nil
	}
	var rows []hitRow
	if err := d.r.All(ctx, &rows, hitEntries, d.padded(ids)...); err != nil {
		return fmt.Errorf("read the entries found: %w", err)
	}
	for i := range rows {
		r := &rows[i]
		title, body := search.EntryTexts(json.RawMessage(r.Data), r.ToolType)
		hit := domain.SearchHit{Kind: domain.SearchEntries, ID: r.ID, ToolID: r.ToolID, ToolName: r.ToolName,
			ZoneID: r.ZoneID, ZoneName: r.ZoneName, Title: title, Timestamp: r.At.Time}
		if r.ToolType == domain.NotesType {
			hit.Kind = domain.SearchNotes
		}
		w.Show(&hit, body)
		byID[r.ID] = hit
	}
	return nil
}

func (d *Data) hitDocuments(ctx context.Context, ids []string, w *search.Words, published bool, byID map[string]domain.SearchHit) error {
	if len(ids) == 0 {
		return nil
	}
	var rows []documentRow
	if err := d.r.All(ctx, &rows, liveDocuments+" AND id IN ("+sqldb.Placeholders(2, hitsAtOnce)+")", d.padded(ids)...); err != nil {
		return fmt.Errorf("read the documents found: %w", err)
	}
	for i := range rows {
		r := &rows[i]
		hit := domain.SearchHit{Kind: domain.SearchDocuments, ID: r.ID, Key: r.Key, Title: r.Title, Timestamp: r.UpdatedAt.Time}
		draft := r.PublishedAt.IsZero() || r.Body != r.Published
		switch {
		case published, draft && !r.PublishedAt.IsZero() && w.Count(r.Body) < w.Count(r.Published):
			w.Show(&hit, r.Published)
		default:
			hit.Draft = draft
			w.Show(&hit, r.Body)
		}
		byID[r.ID] = hit
	}
	return nil
}

// padded are the workspace and so many ids, the last one repeated, that the statement
// is always the same.
func (d *Data) padded(ids []string) []any {
	args := make([]any, 0, hitsAtOnce+1)
	args = append(args, d.workspace)
	for i := range hitsAtOnce {
		args = append(args, ids[min(i, len(ids)-1)])
	}
	return args
}
