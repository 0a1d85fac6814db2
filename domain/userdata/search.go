package userdata

import (
	"time"

	"github.com/fermata-dev/fermata/domain/trust"
)

// SearchKind is what a search can find.
type SearchKind string

const (
	SearchEntries   SearchKind = "entry"    // the texts in an entry's data
	SearchNotes     SearchKind = "note"     // an entry of a tool of type notes: its title and its text
	SearchDocuments SearchKind = "document" // a document's title and body
)

// SearchKinds are all of them.
var SearchKinds = []SearchKind{SearchEntries, SearchNotes, SearchDocuments}

// NotesType is the tool type whose entries are found as notes.
const NotesType = "notes"

// SearchQuery finds the things that contain every word of Text; the last word may be a prefix. Case and
// accents do not matter.
type SearchQuery struct {
	Text  string
	Kinds []SearchKind // none: all
	// Published leaves drafts out: what is found is what sessions read.
	Published bool
	Limit     int
	Cursor    string
}

// SearchHit is a thing that was found, the best first.
type SearchHit struct {
	Kind      SearchKind
	ID        string
	ToolID    string // of entries and notes
	ToolName  string
	ZoneID    string
	ZoneName  string
	Key       string // of a document
	Title     string // of notes and documents
	Draft     bool   // the snippet is from a draft, which no session reads yet
	Timestamp time.Time
	// Snippet is a plain part of the text with the words found; Marks are their positions.
	Snippet string
	Marks   []SearchMark
	// Matches are the words found, as written in title and snippet.
	Matches []string
	// Trust is that of the entry or the document; Names are the records of the tool and the zone, if their names have
	// external content.
	Trust trust.Record
	Names []trust.Record
}

// SearchMark is the position of a word in a snippet: from Start up to and excluding End, in characters
// (Unicode code points).
type SearchMark struct {
	Start int
	End   int
}
