package userdata

import (
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain/trust"
)

// ZoneFields is what people and models set of a zone.
type ZoneFields struct {
	Name              string `json:"name"`
	Description       string `json:"description"`
	Colour            string `json:"colour"`
	Position          int    `json:"position"`
	RequireValidation bool   `json:"require_validation"`
}

// Zone is an area of the user's life or work; it holds tools.
type Zone struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"-"`
	ZoneFields
	Trust     trust.Record `json:"-"`
	Version   int64        `json:"version"`
	CreatedAt time.Time    `json:"created_at"`
	UpdatedAt time.Time    `json:"updated_at"`
	DeletedAt *time.Time   `json:"-"`
}

// ToolTypeFields is what people set of a tool type. A schema is replaced whole: null is a value in it.
type ToolTypeFields struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	ConfigSchema json.RawMessage `json:"config_schema" patch:"replace"`
	EntrySchema  json.RawMessage `json:"entry_schema" patch:"replace"`
}

// ToolType is a pair of JSON Schemas with a name. The built-in ones belong to no
// workspace (WorkspaceID empty) and are defined in package data.
type ToolType struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"-"`
	ToolTypeFields
	Trust     trust.Record `json:"-"`
	BuiltIn   bool         `json:"built_in"`
	Version   int64        `json:"version"`
	CreatedAt time.Time    `json:"created_at,omitzero"`
	UpdatedAt time.Time    `json:"updated_at,omitzero"`
}

// ToolFields is what people and models set of a tool: its type once, the rest at any time.
type ToolFields struct {
	ZoneID            string          `json:"zone_id"`
	ToolType          string          `json:"tool_type"`
	Name              string          `json:"name"`
	Description       string          `json:"description"`
	Config            json.RawMessage `json:"config"`
	AlwaysSend        bool            `json:"always_send"`
	RequireValidation bool            `json:"require_validation"`
	Position          int             `json:"position"`
}

// Tool is an instance of a tool type in a zone, with a config valid for its type.
type Tool struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"-"`
	ToolFields
	Trust     trust.Record `json:"-"`
	Version   int64        `json:"version"`
	CreatedAt time.Time    `json:"created_at"`
	UpdatedAt time.Time    `json:"updated_at"`
	DeletedAt *time.Time   `json:"-"`
}

// EntryFields is what people and models send of an entry. Timestamp is RFC 3339, or a local date or date-time; empty in a
// new entry: now.
type EntryFields struct {
	Timestamp string          `json:"timestamp,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

// Entry is a dated piece of data in a tool. Timestamp is when it happened.
type Entry struct {
	ID          string          `json:"id"`
	WorkspaceID string          `json:"-"`
	ToolID      string          `json:"tool_id"`
	Timestamp   time.Time       `json:"timestamp"`
	Data        json.RawMessage `json:"data"`
	Version     int64           `json:"version"`
	SessionID   string          `json:"session_id,omitempty"` // which session wrote it last; empty: a client
	Trust       trust.Record    `json:"-"`
	CreatedAt   time.Time       `json:"created_at"`
	UpdatedAt   time.Time       `json:"updated_at"`
	DeletedAt   *time.Time      `json:"-"`
}

// EntryFilter selects entries of one tool. Zero times: no bound; From is included,
// Until is not. Cursor is that of the page before.
type EntryFilter struct {
	ToolID     string
	From       time.Time
	Until      time.Time
	Limit      int
	Cursor     string
	Descending bool
	// Conditions must all hold.
	Conditions []Condition
	// Order is the field to order by, nil for the time. Entries without the field are last in both directions.
	Order Field
	// IDs, if any, select entries of the tool; the rest of the filter is ignored, and there is one page.
	IDs []string
}

// StatsFilter selects the entries of a tool whose numeric field is computed. Zero times: no bound; From is included, Until
// is not. Field nil: entries are only counted.
type StatsFilter struct {
	ToolID     string
	Field      Field
	From       time.Time
	Until      time.Time
	Conditions []Condition
}

// ImportResult counts what an import changed, or would change (DryRun).
type ImportResult struct {
	DryRun    bool
	Count     int // entries that were added
	Changed   int
	Unchanged int        // lines equal to their entry
	First     *time.Time // the earliest timestamp of what was added or changed; nil without
	Last      *time.Time
}

// DocumentFields is what people and models set of a document: its draft.
type DocumentFields struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

// Document is one of the workspace's context texts.
type Document struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"-"`
	Key         string `json:"key"`
	DocumentFields
	Trust       trust.Record `json:"-"` // of title, body and published_body
	Published   string       `json:"published_body,omitempty"`
	Version     int64        `json:"version"`
	PublishedAt *time.Time   `json:"published_at,omitempty"`
	CreatedAt   time.Time    `json:"created_at"`
	UpdatedAt   time.Time    `json:"updated_at"`
	DeletedAt   *time.Time   `json:"-"`
}

// DocumentVersion is a text that was published. Version is that of the document when
// it was.
type DocumentVersion struct {
	Version     int64
	Title       string
	Body        string // empty in lists
	PublishedAt time.Time
	// AuthorID and AuthorName are the person or the key that published it, or in whose round it was
	// published; SessionID is that round's session. Empty: unknown or none.
	AuthorID   string
	AuthorName string
	SessionID  string
}

// UndoWithin is how long a deletion can be undone.
const UndoWithin = 30 * 24 * time.Hour

// Stats are the statistics of a numeric field over a period, or over one bucket of
// it (Bucket is the bucket's first local day, empty for the whole).
type Stats struct {
	Bucket string `json:"bucket,omitempty"`
	// Group is the value, as JSON, that all entries of a group have in the field by which they are grouped.
	Group json.RawMessage `json:"group,omitempty"`
	Count int64           `json:"count"`
	Min   *float64        `json:"min,omitempty"`
	Max   *float64        `json:"max,omitempty"`
	Mean  *float64        `json:"mean,omitempty"`
	Sum   *float64        `json:"sum,omitempty"`
	Last  *float64        `json:"last,omitempty"`
	// Trust is the least of all entries of the tool: figures do not show of which they were made.
	Trust trust.Record `json:"-"`
}
