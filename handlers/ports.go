package handlers

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Sessions is the part of the one door that is about a session as a whole.
type Sessions interface {
	// CreateSession makes a session. With a known ExternalID it makes none and gives
	// that session back, with Receipt.Created false.
	CreateSession(ctx context.Context, ws string, in domain.NewSession) (*domain.Receipt, error)
	UpdateSession(ctx context.Context, ws, session string, patch domain.SessionPatch) (*domain.Receipt, error)
	DeleteSession(ctx context.Context, ws, session string) error
	ActivateSession(ctx context.Context, ws, session string) (*domain.Receipt, error)
}

// Steering is the part of the door by which a person steers a session. by is who asks.
type Steering interface {
	InterruptSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	StopSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	ResumeSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	ReleaseSlot(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	LeaveQueue(ctx context.Context, ws, session string) (*domain.Receipt, error)
}

// Again retries the last round, chooses one of its answers, and continues a chat from an earlier message.
type Again interface {
	RetrySession(ctx context.Context, ws, session string, ask domain.RetryRequest) (*domain.Receipt, error)
	ChooseAnswer(ctx context.Context, ws, session, message string, by domain.Author) (*domain.Receipt, error)
	// ForkSession makes a chat that begins with the record of a session.
	ForkSession(ctx context.Context, ws, session string, in domain.NewFork) (*domain.Receipt, error)
}

// Messages is the part of the door that takes messages.
type Messages interface {
	SendMessage(ctx context.Context, ws, session string, in domain.NewMessage) (*domain.Receipt, error)
	EditMessage(ctx context.Context, ws, session, message string, rich domain.RichContent, by domain.Author) (*domain.Receipt, error)
	WithdrawMessage(ctx context.Context, ws, session, message string) (*domain.Receipt, error)
}

// Answers is the part of the door that takes a person's answers.
type Answers interface {
	ResumeValidation(ctx context.Context, ws, session string, d domain.Decision) (*domain.Receipt, error)
	ResumeResponse(ctx context.Context, ws, session string, d domain.Decision) (*domain.Receipt, error)
	ConfirmCompletion(ctx context.Context, ws, session string, d domain.Decision) (*domain.Receipt, error)
	AnswerApproval(ctx context.Context, ws, approval string, d domain.Decision) (*domain.Receipt, error)
}

// SessionReader reads sessions and their messages. An unknown id, or one of another
// workspace, is a domain not_found error; a cursor that is none is a domain invalid
// error.
type SessionReader interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	Sessions(ctx context.Context, ws string, filter domain.SessionFilter) ([]*domain.Session, string, error)
	// MessagePage lists the messages in their order, queued ones last; or, latest first, the
	// other way round.
	MessagePage(ctx context.Context, session *domain.Session, cursor string, limit int, latest bool) ([]*domain.Message, string, error)
	Message(ctx context.Context, ws, session, id string) (*domain.Message, error)
}

// WorkspaceReader reads what belongs to the workspace as a whole.
type WorkspaceReader interface {
	Slot(ctx context.Context, ws string) (*domain.SlotState, error)
	Queue(ctx context.Context, ws string) ([]domain.QueueRow, error)
	Approvals(ctx context.Context, ws string, f domain.ApprovalFilter) ([]*domain.Approval, string, error)
	Approval(ctx context.Context, ws, id string) (*domain.Approval, error)
}

// SettingsReader reads a workspace with its settings.
type SettingsReader interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// SessionLog reads sessions and the log of events. An unknown session is a domain not_found error.
type SessionLog interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	// SessionEventBounds are the numbers between which the session's own log is whole.
	SessionEventBounds(ctx context.Context, ws, session string) (oldest, newest int64, err error)
	// Events after the number after; session "" means the whole workspace. more: there are
	// some behind the page.
	Events(ctx context.Context, ws, session string, after int64, size domain.PageSize) (events []*domain.LogEvent, more bool, err error)
}

// WorkspaceState is what a listener gets first of a workspace.
type WorkspaceState interface {
	Slot(ctx context.Context, ws string) (*domain.SlotState, error)
	Queue(ctx context.Context, ws string) ([]domain.QueueRow, error)
	Approvals(ctx context.Context, ws string, f domain.ApprovalFilter) ([]*domain.Approval, string, error)
	// EventBounds are the numbers of the oldest event that is kept and of the newest.
	EventBounds(ctx context.Context, ws string) (oldest, newest int64, err error)
}

// RunReader reads the session of a run.
type RunReader interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
}

// WorkspaceList reads the workspaces of a person.
type WorkspaceList interface {
	Workspaces(ctx context.Context) ([]*domain.Workspace, error)
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// ProviderReader reads a configured provider.
type ProviderReader interface {
	Provider(ctx context.Context, ws, id string) (*domain.Provider, error)
}

// RichText checks what a person wrote and computes the rest: the enrichments' params
// against their schemas and the workspace's data, their summaries and queries, and the
// linear text. Mistakes are domain invalid errors whose pointers begin at
// "/segments/0".
type RichText interface {
	Resolve(ctx context.Context, ws string, segments []domain.Segment) (*domain.RichContent, error)
}

// Catalogue lists the commands a workspace has.
type Catalogue interface {
	Commands(ctx context.Context, ws string) ([]domain.CommandSpec, error)
}

// Schedules says what a schedule would do, before it is saved. Mistakes are domain
// invalid errors with pointers into the schedule.
type Schedules interface {
	// PreviewSchedule says it in a language; in "", in the workspace's.
	PreviewSchedule(ctx context.Context, ws string, schedule domain.Schedule, after time.Time, count int, language string) (
		*domain.SchedulePreview, error)
}

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
	CreateZone(ctx context.Context, ws string, in userdata.NewZone) (zone *userdata.Zone, seq int64, err error)
	UpdateZone(ctx context.Context, ws, id string, version int64, patch userdata.ZonePatch) (zone *userdata.Zone, seq int64, err error)
	DeleteZone(ctx context.Context, ws, id string, version int64, force bool) (seq int64, err error)
}

// Tools keeps the tools; zone "" means those of every zone.
type Tools interface {
	Tools(ctx context.Context, ws, zone, cursor string, limit int) ([]userdata.Tool, string, error)
	Tool(ctx context.Context, ws, id string) (*userdata.Tool, error)
	CreateTool(ctx context.Context, ws string, in userdata.NewTool) (tool *userdata.Tool, seq int64, err error)
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
	ResolvePeriod(ctx context.Context, ws string, period domain.Period) (domain.Span, error)
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
	CreateEntries(ctx context.Context, ws, tool string, in []userdata.NewEntry) (entries []userdata.Entry, seq int64, err error)
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

// Search finds texts by their words, the best first. What is wrong with the words is a
// domain invalid error at "/query".
type Search interface {
	Search(ctx context.Context, ws string, query userdata.SearchQuery) ([]userdata.SearchHit, string, error)
}

// Providers keeps the configured providers. A config comes with its api_key in it; the
// service checks it against the kind's schema, takes the key out, seals it, and keeps
// the stored key when the mask (Provider.SecretMask) is sent back. Mistakes have
// pointers that begin with "/config".
type Providers interface {
	Providers(ctx context.Context, ws string) ([]*domain.Provider, error)
	Provider(ctx context.Context, ws, id string) (*domain.Provider, error)
	CreateProvider(ctx context.Context, ws string, in domain.NewProvider) (*domain.Provider, error)
	UpdateProvider(ctx context.Context, ws, id string, version int64, patch domain.ProviderPatch) (*domain.Provider, error)
	DeleteProvider(ctx context.Context, ws, id string, version int64) error
}

// ProviderProbe asks the world about providers.
type ProviderProbe interface {
	Kinds() []domain.ProviderKind
	// TestProvider makes one short call. A call that fails is no error: it is in the
	// result.
	TestProvider(ctx context.Context, ws, id string) (*domain.ProviderTest, error)
	ProviderModels(ctx context.Context, ws, id string) ([]string, error)
}

// Connectors keeps the connectors. A config comes with its secrets in it; the service checks
// it against the kind's schema, takes them out, seals them, and keeps those whose mask is
// sent back. Mistakes have pointers that begin with "/config" or "/commands/n".
type Connectors interface {
	Connectors(ctx context.Context, ws string) ([]*outside.Connector, error)
	Connector(ctx context.Context, ws, id string) (*outside.Connector, error)
	CreateConnector(ctx context.Context, ws string, in outside.NewConnector) (*outside.Connector, error)
	UpdateConnector(ctx context.Context, ws, id string, version int64, patch outside.ConnectorPatch) (*outside.Connector, error)
	UpdateConnectorCommand(
		ctx context.Context,
		ws, id, name string,
		version int64,
		patch outside.ConnectorCommandPatch,
	) (*outside.Connector, error)
	DeleteConnector(ctx context.Context, ws, id string, version int64) error
}

// ConnectorProbe asks the servers of connectors. One that cannot be reached is no error: it
// is in what comes back.
type ConnectorProbe interface {
	RefreshConnector(ctx context.Context, ws, id string) (*outside.Connector, error)
	TestConnector(ctx context.Context, ws, id string) (*outside.ConnectorTest, error)
}

// ConnectorSignIn has people sign in to the servers of connectors.
type ConnectorSignIn interface {
	SignIn(ctx context.Context, ws, id string, browser outside.SignInBrowser, by domain.Author) (*outside.SignIn, error)
	// PendingSignIn returns the sign-in of a state, and uses nothing of it up.
	PendingSignIn(ctx context.Context, state string) (*outside.PendingSignIn, error)
	// FinishSignIn completes a sign-in. It returns the connector, if it is known, also with an error.
	FinishSignIn(ctx context.Context, answer outside.SignInAnswer) (*outside.Connector, error)
}

// ConnectorPreviewer proposes a connector of an OpenAPI document, or of the one at an address.
type ConnectorPreviewer interface {
	PreviewConnector(ctx context.Context, document json.RawMessage, from string) (*outside.ConnectorPreview, error)
}

// Settings reads and changes the workspace's settings. patch.Version is
// what If-Match demanded (0: nothing).
type Settings interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
	UpdateSettings(ctx context.Context, ws string, patch domain.SettingsPatch) (*domain.Workspace, error)
}

// NewKey is what a key is made of.
type NewKey struct {
	Name      string
	Role      domain.Role
	ExpiresAt *time.Time
}

// MintedKey is a key as it was made, with its text, this once.
type MintedKey struct {
	*people.Key
	Text string
	// Closed: the server was open until now, and requires a key from now on.
	Closed bool
}

// Keys keeps the workspace's API keys. Those that must not be made (first_key) or revoked
// (last_admin_key) are domain errors.
type Keys interface {
	Keys(ctx context.Context, ws string) ([]*people.Key, error)
	CreateKey(ctx context.Context, ws string, in NewKey) (*MintedKey, error)
	RevokeKey(ctx context.Context, ws, id string) error
}

// Workspaces keeps the workspaces. Creating one that exists is a domain conflict.
type Workspaces interface {
	Workspaces(ctx context.Context) ([]*domain.Workspace, error)
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
	CreateWorkspace(ctx context.Context, ws *domain.Workspace) error
}

// Admin says how the server is.
type Admin interface {
	Invariants(ctx context.Context, ws string) ([]domain.Invariant, error)
	// Status is that of this process, as far as it concerns the workspace; whole: all of it,
	// and all nodes, for the operator. The providers are those of the workspace.
	Status(ctx context.Context, ws string, whole bool) (*Status, error)
}

// Status is a look at this process.
type Status struct {
	Node          string
	Incarnation   string
	StartedAt     time.Time
	Database      string // "sqlite" or "postgres"
	Sessions      int    // driven by this node now
	StreamClients int
	LeaseUntil    *time.Time
	Nodes         []domain.Node // all that share the database; only for the operator
	Breakers      []Breaker
}

// Breaker is that of a provider with recent failures. Model "": of all its models.
type Breaker struct {
	ProviderID string
	Model      string
	State      string
	Failures   int
	Until      time.Time
	LastError  string
}
