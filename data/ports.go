package data

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Store is the user's data of one workspace, bound to a transaction (actions, the
// service's changes) or to the read pool (queries). Every method sees only that
// workspace and nothing that is deleted; an unknown id is a domain not_found error.
//
// It is made of small parts, one for each noun.
type Store interface {
	Zones
	Tools
	ToolTypes
	Entries
	EntryUndo
	Documents
	Whole
}

// Whole has queries about the workspace as a whole.
type Whole interface {
	Search
	Room
}

// Zones keeps zones. Update is conditional on Version and bumps it (a conflict is
// domain.ErrStale); Delete is soft and takes along what the zone holds; Restore undoes
// one that is not older than since (false: there was nothing to undo).
type Zones interface {
	Zones(ctx context.Context) ([]userdata.Zone, error) // by position, then name
	Zone(ctx context.Context, id string) (*userdata.Zone, error)
	InsertZone(ctx context.Context, zone *userdata.Zone) error
	UpdateZone(ctx context.Context, zone *userdata.Zone) error
	DeleteZone(ctx context.Context, id string, at time.Time) error
	RestoreZone(ctx context.Context, id string, since time.Time) (bool, error)
}

// Tools keeps tools; zoneID empty means those of every zone.
type Tools interface {
	Tools(ctx context.Context, zoneID string) ([]userdata.Tool, error)
	Tool(ctx context.Context, id string) (*userdata.Tool, error)
	InsertTool(ctx context.Context, tool *userdata.Tool) error
	UpdateTool(ctx context.Context, tool *userdata.Tool) error
	DeleteTool(ctx context.Context, id string, at time.Time) error
	RestoreTool(ctx context.Context, id string, since time.Time) (bool, error)
}

// ToolTypes keeps the workspace's own tool types (the built-in ones are in this
// package).
type ToolTypes interface {
	ToolTypes(ctx context.Context) ([]userdata.ToolType, error)
	InsertToolType(ctx context.Context, t *userdata.ToolType) error
	UpdateToolType(ctx context.Context, t *userdata.ToolType) error
	DeleteToolType(ctx context.Context, id string) error
}

// Entries keeps entries. Entries returns a page and the cursor of the next one
// ("" at the end).
type Entries interface {
	Entries(ctx context.Context, filter userdata.EntryFilter) ([]userdata.Entry, string, error)
	Entry(ctx context.Context, id string) (*userdata.Entry, error)
	InsertEntries(ctx context.Context, entries []userdata.Entry) error
	UpdateEntries(ctx context.Context, entries ...*userdata.Entry) error // all or none
	DeleteEntries(ctx context.Context, ids []string, at time.Time) error
	CountEntries(ctx context.Context, toolID string) (int64, error)
	EntryStats
}

// EntryStats computes statistics of entries. StatsByField returns a group for each value of a field, the largest first,
// limit of them at most.
type EntryStats interface {
	Stats(ctx context.Context, filter userdata.StatsFilter) (userdata.Stats, error)
	StatsByField(ctx context.Context, filter userdata.StatsFilter, by userdata.Field, limit int) ([]userdata.Stats, error)
}

// EntryUndo restores deleted entries.
type EntryUndo interface {
	RestoreEntry(ctx context.Context, id string, since time.Time) (bool, error)
}

// Documents keeps the workspace's context texts.
type Documents interface {
	Documents(ctx context.Context) ([]userdata.Document, error)
	Document(ctx context.Context, key string) (*userdata.Document, error)
	DocumentByID(ctx context.Context, id string) (*userdata.Document, error)
	PutDocument(ctx context.Context, doc *userdata.Document) error // insert, or update by id and Version
	// KeepDocumentVersion keeps what a document has just published.
	KeepDocumentVersion(ctx context.Context, document string, v *userdata.DocumentVersion) error
	DeleteDocument(ctx context.Context, id string, at time.Time) error
	RestoreDocument(ctx context.Context, id string, since time.Time) (bool, error)
}

// Room refuses so many more automations where there would be too many.
type Room interface {
	RoomForAutomations(ctx context.Context, more int) error
}

// Search finds texts by their words, the best first, and returns the cursor of the next page ("" at the
// end).
type Search interface {
	Search(ctx context.Context, query userdata.SearchQuery) ([]userdata.SearchHit, string, error)
}

// Pages reads lists page by page, as clients do: a cursor is the one that the page before
// gave.
type Pages interface {
	ZonesPage(ctx context.Context, cursor string, limit int) ([]userdata.Zone, string, error)
	ToolsPage(ctx context.Context, zoneID, cursor string, limit int) ([]userdata.Tool, string, error)
	DocumentsPage(ctx context.Context, cursor string, limit int) ([]userdata.Document, string, error)
	DocumentVersions(ctx context.Context, id, cursor string, limit int) ([]userdata.DocumentVersion, string, error)
	DocumentVersion(ctx context.Context, id string, version int64) (*userdata.DocumentVersion, error)
}

// Reader reads the committed data of a workspace; it cannot write.
type Reader interface {
	Store
	Pages
}

// Repository opens the data of workspaces.
type Repository interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
	Read(workspace string) Reader
	// Write runs a change in a transaction, stores its events, and returns the number of the last one. The
	// change may run again after a conflict.
	Write(ctx context.Context, workspace string, change func(ctx context.Context, store Store) ([]domain.DataChange, error)) (int64, error)
}
