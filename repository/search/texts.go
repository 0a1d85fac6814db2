package search

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain/userdata"
)

// EntryRow returns the row of an entry; false if it has no text.
func EntryRow(e *userdata.Entry, toolType string) (Row, bool) {
	title, body := EntryTexts(e.Data, toolType)
	row := Row{Kind: userdata.SearchEntries, ID: e.ID, ToolID: e.ToolID, At: e.Timestamp, Title: title, Body: body}
	if toolType == userdata.NotesType {
		row.Kind = userdata.SearchNotes
	}
	return row, title != "" || body != ""
}

// DocumentRows returns the rows of a document: the draft for people, the published version for
// sessions.
func DocumentRows(doc *userdata.Document) []Row {
	row := Row{Kind: userdata.SearchDocuments, ID: doc.ID, At: doc.UpdatedAt, Title: doc.Title, Body: doc.Body}
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

// EntryTexts returns the texts in an entry's data: the title of a note, and all others, one per
// line, in order.
func EntryTexts(data json.RawMessage, toolType string) (title, body string) {
	if bytes.Count(data, []byte(`"`)) < 4 {
		return "", "" // a single field without text: a number
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var texts []string
	var open []bool // for each level: whether it is an object
	name, named := "", false
	for {
		token, err := decoder.Token()
		if err != nil {
			return title, strings.Join(texts, "\n") // the end: stored data is valid JSON
		}
		object := len(open) > 0 && open[len(open)-1]
		if text, ok := token.(string); ok {
			switch {
			case object && !named:
				name, named = text, true
				continue
			case toolType == userdata.NotesType && len(open) == 1 && name == "title":
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
