package domain

import "time"

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

// SearchQuery asks for the things in which every word of Text stands; the last word
// may be the beginning of one. Case and accents do not matter.
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
	// Snippet is a part of the text, plain, where the words stand; Marks say where.
	Snippet string
	Marks   []SearchMark
	// Matches are the words found, as they stand in title and snippet.
	Matches []string
}

// SearchMark is where a word found stands in a snippet: from Start up to and without
// End, in characters (Unicode code points).
type SearchMark struct {
	Start int
	End   int
}
