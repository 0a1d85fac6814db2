package userdata

import (
	"context"
	"io"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// The services of the user's data follow one pattern. Create gives the noun its ID,
// Version and times, and checks what only the data can say (the zone exists, the config
// fits its type). Update merges the patch into what is there, in one transaction; version
// is what If-Match demanded (0: nothing) and a mismatch is a domain error with code
// CodePreconditionFailed. Delete without force refuses with not_empty what still holds
// something. seq is the number of the event at which the change shows. A list gives a page
// and the cursor of the next one, "" at the end.

// Zones keeps the workspace's zones, by position, then name.
type Zones interface {
	Zones(ctx context.Context, ws, cursor string, limit int) ([]userdata.Zone, string, error)
	Zone(ctx context.Context, ws, id string) (*userdata.Zone, error)
	CreateZone(ctx context.Context, ws string, in userdata.ZoneFields) (zone *userdata.Zone, seq int64, err error)
	UpdateZone(ctx context.Context, ws, id string, version int64, patch userdata.ZonePatch) (zone *userdata.Zone, seq int64, err error)
	DeleteZone(ctx context.Context, ws, id string, version int64, force bool) (seq int64, err error)
}

// Tools keeps the tools; zone "" means those of every zone.
type Tools interface {
	Tools(ctx context.Context, ws, zone, cursor string, limit int) ([]userdata.Tool, string, error)
	Tool(ctx context.Context, ws, id string) (*userdata.Tool, error)
	CreateTool(ctx context.Context, ws string, in userdata.ToolFields) (tool *userdata.Tool, seq int64, err error)
	UpdateTool(ctx context.Context, ws, id string, version int64, patch userdata.ToolPatch) (tool *userdata.Tool, seq int64, err error)
	DeleteTool(ctx context.Context, ws, id string, version int64, force bool) (seq int64, err error)
}

// ToolTypes keeps the workspace's own tool types, and lists the built-in ones with
// them.
type ToolTypes interface {
	ToolTypes(ctx context.Context, ws string) ([]userdata.ToolType, error)
	ToolType(ctx context.Context, ws, id string) (*userdata.ToolType, error)
	CreateToolType(ctx context.Context, ws string, in userdata.NewToolType) (t *userdata.ToolType, seq int64, err error)
	UpdateToolType(ctx context.Context, ws, id string, version int64, p userdata.ToolTypePatch) (t *userdata.ToolType, seq int64, err error)
	DeleteToolType(ctx context.Context, ws, id string, version int64) (seq int64, err error)
}

// Undo brings back what was deleted in the last 30 days, with all that went with it.
type Undo interface {
	RestoreZone(ctx context.Context, ws, id string) (zone *userdata.Zone, seq int64, err error)
	RestoreTool(ctx context.Context, ws, id string) (tool *userdata.Tool, seq int64, err error)
	RestoreEntry(ctx context.Context, ws, id string) (entry *userdata.Entry, seq int64, err error)
	RestoreDocument(ctx context.Context, ws, id string) (doc *userdata.Document, seq int64, err error)
}

// Periods reads a period as seen from now, in the workspace's calendar.
type Periods interface {
	ResolvePeriod(ctx context.Context, ws string, period calendar.Period) (calendar.Span, error)
}

// DocumentVersions keeps what documents have published.
type DocumentVersions interface {
	DocumentVersions(ctx context.Context, ws, id, cursor string, limit int) ([]userdata.DocumentVersion, string, error)
	DocumentVersion(ctx context.Context, ws, id string, version int64) (*userdata.DocumentVersion, error)
}

// Entries keeps dated data. CreateEntries writes all or nothing; a mistake in entry n
// has a pointer that begins with "/entries/n".
type Entries interface {
	Entries(ctx context.Context, ws string, query userdata.EntryQuery) ([]userdata.Entry, string, error)
	Entry(ctx context.Context, ws, id string) (*userdata.Entry, error)
	CreateEntries(ctx context.Context, ws, tool string, in []userdata.EntryFields) (entries []userdata.Entry, seq int64, err error)
	UpdateEntry(ctx context.Context, ws, id string, version int64, patch userdata.EntryPatch) (entry *userdata.Entry, seq int64, err error)
	DeleteEntry(ctx context.Context, ws, id string, version int64) (seq int64, err error)
	EntryStats(ctx context.Context, ws string, query userdata.StatsQuery) ([]userdata.Stats, error)
}

// EntryFiles writes and reads entries as CSV. ExportEntries writes page by page;
// nothing is written before the first page is there. ImportEntries stores all or
// nothing; mistakes have pointers like "/lines/17/value".
type EntryFiles interface {
	ExportEntries(ctx context.Context, ws string, query userdata.EntryQuery, out io.Writer) error
	ImportEntries(ctx context.Context, ws, tool string, file io.Reader, dryRun bool) (result *userdata.ImportResult, seq int64, err error)
}

// Documents keeps the workspace's context texts, found by id.
type Documents interface {
	Documents(ctx context.Context, ws, cursor string, limit int) ([]userdata.Document, string, error)
	Document(ctx context.Context, ws, id string) (*userdata.Document, error)
	CreateDocument(ctx context.Context, ws string, in userdata.NewDocument) (doc *userdata.Document, seq int64, err error)
	UpdateDocument(
		ctx context.Context,
		ws, id string,
		version int64,
		patch userdata.DocumentPatch,
	) (doc *userdata.Document, seq int64, err error)
	DeleteDocument(ctx context.Context, ws, id string, version int64) (seq int64, err error)
	// PublishDocument makes the draft what sessions read.
	PublishDocument(ctx context.Context, ws, id string, version int64, by domain.Author) (doc *userdata.Document, seq int64, err error)
}

// Search finds texts by their words, the best first. For an invalid query it returns a domain error at "/query".
type Search interface {
	Search(ctx context.Context, ws string, query userdata.SearchQuery) ([]userdata.SearchHit, string, error)
}

// Ports are the user's data.
type Ports struct {
	Zones      Zones
	Tools      Tools
	ToolTypes  ToolTypes
	Entries    Entries
	EntryFiles EntryFiles
	Documents  Documents
	Versions   DocumentVersions
	Undo       Undo
	Confirming confirming
	Periods    Periods
	Search     Search
	Files      Files
}

// Files keeps what people upload. What a file is, Upload finds from its content.
type Files interface {
	Upload(ctx context.Context, ws, by, name string, content []byte) (*userdata.File, error)
	File(ctx context.Context, ws, id string) (*userdata.File, error)
	Files(ctx context.Context, ws, cursor string, limit int) ([]*userdata.File, string, error)
	FileContent(ctx context.Context, ws, id string) ([]byte, error)
	DeleteFile(ctx context.Context, ws, id string) error
}
