package repository

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// searchIndex is a database's own full text search. The words it gets are folded
// already, and begin with the workspace's own prefix: a search walks through the words
// of its workspace only, however many others there are.
type searchIndex interface {
	// put adds things that are not in the index.
	put(ctx context.Context, t *tx, workspace string, rows []searchRow) error
	// drop takes away what a condition on the table search names.
	drop(ctx context.Context, t *tx, condition string, args ...any) error
	// find is the beginning of the SELECT of what holds the words, up to its conditions:
	// kind, id and score, the lowest first. The table search is s.
	find(prefix string, wanted *wanted) *query
}

// searchRow is a thing in the index: one for an entry, and for a document one, or two
// where its draft is not what was published.
type searchRow struct {
	kind     domain.SearchKind
	id       string
	audience audience
	toolID   string
	at       stamp
	title    string
	body     string
}

// audience is who finds a row.
type audience string

const (
	everybody audience = ""
	people    audience = "people" // those who edit: the draft, with what was published
	sessions  audience = "sessions"
)

const (
	searchColumns = "workspace_id, kind, id, audience, tool_id, at"
	searchWidth   = 6
)

func (r *searchRow) values(workspace string) []any {
	return []any{workspace, string(r.kind), r.id, string(r.audience), r.toolID, r.at}
}

// wordPrefix is what the words of a workspace begin with. Two may share one: the rows
// are held against the workspace too.
func wordPrefix(workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))[:6]
}

// indexRoom bounds what is indexed of one thing: PostgreSQL takes a megabyte.
const indexRoom = 900_000

// terms are the words of a row with their prefix. What is beyond the room is left out.
func (r *searchRow) terms(prefix string) (title, body []string) {
	seen, room := map[string]bool{}, indexRoom
	gather := func(text string) (out []string) {
		for w := range words(text) {
			term := prefix + w.text
			if room -= 2; !seen[term] {
				seen[term] = true
				room -= len(term) + 6
			}
			if room < 0 {
				break
			}
			out = append(out, term)
		}
		return out
	}
	return gather(r.title), gather(r.body)
}

// index puts rows into the index that are not there.
func (d *Data) index(ctx context.Context, rows []searchRow) error {
	if len(rows) == 0 {
		return nil
	}
	if d.w == nil {
		return errReadOnly
	}
	if err := d.dialect.search.put(ctx, d.w, d.workspace, rows); err != nil {
		return fmt.Errorf("index for the search: %w", err)
	}
	return nil
}

// unindex takes away the rows that a condition names; $1 is the workspace.
func (d *Data) unindex(ctx context.Context, condition string, args ...any) error {
	if d.w == nil {
		return errReadOnly
	}
	err := d.dialect.search.drop(ctx, d.w, "workspace_id = $1 AND "+condition, append([]any{d.workspace}, args...)...)
	if err != nil {
		return fmt.Errorf("take out of the search: %w", err)
	}
	return nil
}

// indexEntries makes new entries of tools of these types (by tool) be found.
func (d *Data) indexEntries(ctx context.Context, entries []domain.Entry, types map[string]string) error {
	rows := make([]searchRow, 0, len(entries))
	for i := range entries {
		if row, ok := entryWords(&entries[i], types[entries[i].ToolID]); ok {
			rows = append(rows, row)
		}
	}
	return d.index(ctx, rows)
}

// reindexEntry makes a changed entry be found as it is now.
func (d *Data) reindexEntry(ctx context.Context, e *domain.Entry) error {
	if err := d.unindex(ctx, "id = $2", e.ID); err != nil {
		return err
	}
	tool, err := d.Tool(ctx, e.ToolID)
	if err != nil {
		return err
	}
	return d.indexEntries(ctx, []domain.Entry{*e}, map[string]string{tool.ID: tool.ToolType})
}

// reindexEntryID makes an entry that came back be found again.
func (d *Data) reindexEntryID(ctx context.Context, id string) error {
	e, err := d.Entry(ctx, id)
	if err != nil {
		return err
	}
	return d.reindexEntry(ctx, e)
}

// reindexTool makes the entries of a tool that came back be found again.
func (d *Data) reindexTool(ctx context.Context, id string) error {
	if err := d.unindex(ctx, "tool_id = $2", id); err != nil {
		return err
	}
	tool, err := d.Tool(ctx, id)
	if err != nil {
		return err
	}
	for cursor := ""; ; {
		entries, next, err := d.Entries(ctx, domain.EntryFilter{ToolID: id, Limit: largestPage, Cursor: cursor})
		if err != nil {
			return err
		}
		if err := d.indexEntries(ctx, entries, map[string]string{id: tool.ToolType}); err != nil {
			return err
		}
		if next == "" {
			return nil
		}
		cursor = next
	}
}

// reindexZone does that for the tools of a zone.
func (d *Data) reindexZone(ctx context.Context, id string) error {
	tools, err := d.Tools(ctx, id)
	if err != nil {
		return err
	}
	for i := range tools {
		if err := d.reindexTool(ctx, tools[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// reindexDocumentID makes a document that came back be found again.
func (d *Data) reindexDocumentID(ctx context.Context, id string) error {
	doc, err := d.DocumentByID(ctx, id)
	if err != nil {
		return err
	}
	return d.reindexDocument(ctx, doc)
}

// reindexDocument makes a document be found as it is now.
func (d *Data) reindexDocument(ctx context.Context, doc *domain.Document) error {
	if err := d.unindex(ctx, "id = $2", doc.ID); err != nil {
		return err
	}
	row := searchRow{kind: domain.SearchDocuments, id: doc.ID, at: stamp{doc.UpdatedAt}, title: doc.Title, body: doc.Body}
	if doc.PublishedAt == nil {
		row.audience = people
		return d.index(ctx, []searchRow{row})
	}
	if doc.Body == doc.Published {
		return d.index(ctx, []searchRow{row})
	}
	draft, published := row, row
	draft.audience, draft.body = people, doc.Body+"\n"+doc.Published
	published.audience, published.body = sessions, doc.Published
	return d.index(ctx, []searchRow{draft, published})
}

// entryWords is the row of an entry; false if it has no text.
func entryWords(e *domain.Entry, toolType string) (searchRow, bool) {
	title, body := entryTexts(e.Data, toolType)
	row := searchRow{kind: domain.SearchEntries, id: e.ID, toolID: e.ToolID, at: stamp{e.Timestamp}, title: title, body: body}
	if toolType == domain.NotesType {
		row.kind = domain.SearchNotes
	}
	return row, title != "" || body != ""
}

// entryTexts are the texts in an entry's data: the title of a note, and all others,
// a line each, in the order in which they stand.
func entryTexts(data json.RawMessage, toolType string) (title, body string) {
	if bytes.Count(data, []byte(`"`)) < 4 {
		return "", "" // one name and no text: a number
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var texts []string
	var open []bool // for each level: is it an object
	name, named := "", false
	for {
		token, err := decoder.Token()
		if err != nil {
			return title, strings.Join(texts, "\n") // the end: what is stored is JSON
		}
		object := len(open) > 0 && open[len(open)-1]
		if text, ok := token.(string); ok {
			switch {
			case object && !named:
				name, named = text, true
				continue
			case toolType == domain.NotesType && len(open) == 1 && name == "title":
				title = text
			case text != "":
				texts = append(texts, text)
			}
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			open = append(open, token == json.Delim('{'))
			named = false
			continue
		case json.Delim('}'), json.Delim(']'):
			open = slices.Delete(open, len(open)-1, len(open))
		}
		named = false
	}
}
