package commands

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Data is the user's data of one workspace, bound to a transaction (actions) or to
// the read pool (queries). The repository implements it. Every method sees only that
// workspace and nothing that is deleted; an unknown id is a domain not_found error.
//
// It is made of small parts, one for each noun.
type Data interface {
	ZoneData
	ToolData
	ToolTypeData
	EntryData
	EntryUndo
	DocumentData
	SearchData
}

// ZoneData keeps zones. Update is conditional on Version and bumps it (a conflict is
// domain.ErrStale); Delete is soft and takes along what the zone holds; Restore undoes
// one that is not older than since (false: there was nothing to undo).
type ZoneData interface {
	Zones(ctx context.Context) ([]domain.Zone, error) // by position, then name
	Zone(ctx context.Context, id string) (*domain.Zone, error)
	InsertZone(ctx context.Context, zone *domain.Zone) error
	UpdateZone(ctx context.Context, zone *domain.Zone) error
	DeleteZone(ctx context.Context, id string, at time.Time) error
	RestoreZone(ctx context.Context, id string, since time.Time) (bool, error)
}

// ToolData keeps tools; zoneID empty means those of every zone.
type ToolData interface {
	Tools(ctx context.Context, zoneID string) ([]domain.Tool, error)
	Tool(ctx context.Context, id string) (*domain.Tool, error)
	InsertTool(ctx context.Context, tool *domain.Tool) error
	UpdateTool(ctx context.Context, tool *domain.Tool) error
	DeleteTool(ctx context.Context, id string, at time.Time) error
	RestoreTool(ctx context.Context, id string, since time.Time) (bool, error)
}

// ToolTypeData keeps the workspace's own tool types (the built-in ones are in this
// package).
type ToolTypeData interface {
	ToolTypes(ctx context.Context) ([]domain.ToolType, error)
	InsertToolType(ctx context.Context, t *domain.ToolType) error
	UpdateToolType(ctx context.Context, t *domain.ToolType) error
	DeleteToolType(ctx context.Context, id string) error
}

// EntryData keeps entries. Entries returns a page and the cursor of the next one
// ("" at the end). Stats counts the numeric field of the entries in [from, until);
// a zero time is no bound.
type EntryData interface {
	Entries(ctx context.Context, filter domain.EntryFilter) ([]domain.Entry, string, error)
	Entry(ctx context.Context, id string) (*domain.Entry, error)
	InsertEntries(ctx context.Context, entries []domain.Entry) error
	UpdateEntry(ctx context.Context, entry *domain.Entry) error
	DeleteEntries(ctx context.Context, ids []string, at time.Time) error
	CountEntries(ctx context.Context, toolID string) (int64, error)
	Stats(ctx context.Context, toolID, field string, from, until time.Time) (domain.Stats, error)
}

// EntryUndo brings deleted entries back.
type EntryUndo interface {
	RestoreEntry(ctx context.Context, id string, since time.Time) (bool, error)
}

// DocumentData keeps the workspace's context texts.
type DocumentData interface {
	Documents(ctx context.Context) ([]domain.Document, error)
	Document(ctx context.Context, key string) (*domain.Document, error)
	DocumentByID(ctx context.Context, id string) (*domain.Document, error)
	PutDocument(ctx context.Context, doc *domain.Document) error // insert, or update by id and Version
	// KeepDocumentVersion keeps what a document has just published.
	KeepDocumentVersion(ctx context.Context, doc *domain.Document) error
	RestoreDocument(ctx context.Context, id string, since time.Time) (bool, error)
}

// SearchData finds texts by their words, the best first, and gives the cursor of the
// next page ("" at the end).
type SearchData interface {
	Search(ctx context.Context, query domain.SearchQuery) ([]domain.SearchHit, string, error)
}
