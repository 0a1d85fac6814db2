package scheduler

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Store is what the door needs of the database.
type Store interface {
	// Decide reads the session's View under its locks and writes the change that decide
	// returns (nil: nothing), in one transaction. With session "" the View has no
	// session: it is for making one.
	Decide(ctx context.Context, workspace, session string, decide func(context.Context, *domain.View) (*domain.Change, error)) (*domain.Change, error)
	// View reads the same without locks.
	View(ctx context.Context, workspace, session string) (*domain.View, error)
	Session(ctx context.Context, workspace, id string) (*domain.Session, error)
	SessionByExternalID(ctx context.Context, workspace, externalID string) (*domain.Session, error)
	Message(ctx context.Context, workspace, session, id string) (*domain.Message, error)
	Approval(ctx context.Context, workspace, id string) (*domain.Approval, error)
	// LatestApproval is the newest approval of a kind that the session has, or nil.
	LatestApproval(ctx context.Context, workspace, session string, kind domain.ApprovalKind) (*domain.Approval, error)
}

// Agenda is what the scheduler has to do, and who waits.
type Agenda interface {
	// DueWork reads in one query what is due by now, at most limit of each kind; a sweep
	// looks for who waits in all workspaces too.
	DueWork(ctx context.Context, now time.Time, limit int, sweep bool) (*domain.DueWork, error)
	// Waiters are those of a workspace who want its slot, and its holder.
	Waiters(ctx context.Context, workspace string) (*domain.Waiters, error)
}

// Orders are the automations in the database.
type Orders interface {
	// DecideAutomation reads the automation's view under the workspace's lock and writes the
	// change that decide returns (nil: nothing), in one transaction. With automation ""
	// the view has none: it is for making one.
	DecideAutomation(ctx context.Context, workspace, automation string, decide func(context.Context, *domain.AutomationView) (*domain.Change, error)) (*domain.Change, error)
	Automation(ctx context.Context, workspace, id string) (*domain.Automation, error)
	AutomationOfHook(ctx context.Context, id string) (*domain.Automation, error)
	// DueOccurrences are those of a workspace with an occurrence in state DUE,
	// WatchingAutomations those that entries start and that have not looked at all events.
	DueOccurrences(ctx context.Context, workspace string) ([]domain.AutomationRef, error)
	WatchingAutomations(ctx context.Context, workspace string) ([]domain.AutomationRef, error)
}

// Events are the log and the entries that it tells of.
type Events interface {
	Events(ctx context.Context, workspace, session string, after int64, size domain.PageSize) (events []*domain.LogEvent, more bool, err error)
	// EntriesMadeAt are the entries of a tool that were made in one call, by their
	// CreatedAt, in the order of their ids.
	EntriesMadeAt(ctx context.Context, workspace, tool string, made time.Time, limit int) ([]*domain.Entry, error)
}

// Conditions decide about the JSON Schemas of triggers. No schema holds always.
type Conditions interface {
	Holds(schema, value json.RawMessage) (bool, error)
}

// Leases say which process drives which sessions.
type Leases interface {
	Renew(ctx context.Context, ttl time.Duration) error
	Release(ctx context.Context) error
	// Claimable lists sessions at work whose driver is gone.
	Claimable(ctx context.Context, limit int) ([]domain.SessionRef, error)
	// Owned lists sessions at work whose driver this process is, or was.
	Owned(ctx context.Context) ([]domain.SessionRef, error)
	// Suspects lists sessions that stand aside and that this process has set aside.
	Suspects(ctx context.Context) ([]domain.SessionRef, error)
}

// Machine is the pure state machine.
type Machine interface {
	Run(s *domain.Session, e domain.Event, p *domain.Policy) (*domain.Step, error)
	Accepts(s *domain.Session, e domain.Event) error
}

// Runner is the run loop.
type Runner interface {
	Drive(view *domain.View, effect domain.Effect)
	// Cut ends what runs for a session under a claim older than epoch.
	Cut(session string, epoch int64, cause error)
	// Yield asks a session's driver to call SafePoint at each of its safe points from now
	// on: somebody waits for the slot.
	Yield(session string)
	// Drives says whether this very process performs the session's step.
	Drives(session string) bool
}

// Observer counts what is decided. Its methods must be quick.
type Observer interface {
	Asked(reason Reason, granted bool)
	// Waited is told how long a session queued until it was granted the slot; preempted,
	// how long a CHAT waited for an automation to give way.
	Waited(d time.Duration, preempted bool)
}

// Models says what is known of the model that a session calls.
type Models interface {
	// Estimate is from memory alone; it says no when nothing is known yet.
	Estimate(view *domain.View) (domain.CallEstimate, bool)
	// Learn finds the model out, so that Estimate knows it.
	Learn(ctx context.Context, workspace, provider string)
}

// Streams gives the text that a session has streamed so far.
type Streams interface {
	Partial(session string) (message, text string)
}

// Answers checks what a person answers.
type Answers interface {
	// RoleFor is the least role that may approve a command; an unknown one needs root.
	RoleFor(command string) domain.Role
	CheckResponse(m *domain.Module, value json.RawMessage) error
	ResponseText(m *domain.Module, value json.RawMessage, language string) string
	// Edit gives copies of the actions that the decision edits, with their new params and
	// digests, checked as they would be when they run. Errors point below /edits/{id}.
	Edit(ctx context.Context, view *domain.View, decision domain.Decision) ([]*domain.Execution, error)
	// Stale gives the actions with the present values when a record that one of the
	// approved changes is no longer as the person was shown it; else nil.
	Stale(ctx context.Context, view *domain.View, approved []string) (*domain.PlannedCommands, error)
}

// Providers finds a configured provider.
type Providers interface {
	Provider(ctx context.Context, workspace, id string) (*domain.Provider, error)
}
