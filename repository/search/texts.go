package search

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// EntryRow is the row of an entry; false if it has no text.
func EntryRow(e *domain.Entry, toolType string) (Row, bool) {
	title, body := EntryTexts(e.Data, toolType)
	row := Row{Kind: domain.SearchEntries, ID: e.ID, ToolID: e.ToolID, At: e.Timestamp, Title: title, Body: body}
	if toolType == domain.NotesType {
		row.Kind = domain.SearchNotes
	}
	return row, title != "" || body != ""
}

// DocumentRows are the rows of a document: what people find of it, and what sessions do.
func DocumentRows(doc *domain.Document) []Row {
	row := Row{Kind: domain.SearchDocuments, ID: doc.ID, At: doc.UpdatedAt, Title: doc.Title, Body: doc.Body}
	if doc.PublishedAt == nil {
		row.Audience = People
		return []Row{row}
	}
	if doc.Body == doc.Published {
		return []Row{row}
	}
	draft, published := row, row
	draft.Audience, draft.Body = People, doc.Body+"\n"+doc.Published
	published.Audience, published.Body = Sessions, doc.Published
	return []Row{draft, published}
}

// EntryTexts are the texts in an entry's data: the title of a note, and all others,
// a line each, in the order in which they stand.
func EntryTexts(data json.RawMessage, toolType string) (title, body string) {
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
