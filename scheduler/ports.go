package scheduler

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// Store decides and writes in one transaction.
type Store interface {
	// Decide reads the session's View under its locks and writes the change that decide
	// returns (nil: nothing). With session "" the View has no session: it is for making
	// one, in the lane that is made's.
	Decide(ctx context.Context, workspace, session string, made *domain.Session,
		decide func(context.Context, *domain.View) (*domain.Change, error)) (*domain.Change, error)
	// DecideAutomation is the same for an automation, under the workspace's lock. With
	// automation "" the view has none: it is for making one.
	DecideAutomation(ctx context.Context, workspace, automationID string,
		decide func(context.Context, *automation.View) (*domain.Change, error)) (*domain.Change, error)
}

// Work is what the scheduler has to do.
type Work interface {
	// DueWork reads in one query what is due by now, at most limit of each kind; a sweep
	// looks for who waits in all workspaces too.
	DueWork(ctx context.Context, now time.Time, limit int, sweep bool) (*automation.DueWork, error)
}

// Waiters are those who want the slot of a lane, and its holder.
type Waiters interface {
	Waiters(ctx context.Context, lane domain.LaneRef) (*domain.Waiters, error)
	// WaitingLanes are the lanes of a workspace in which a session may be waiting, or an occurrence is due.
	WaitingLanes(ctx context.Context, workspace string) ([]string, error)
}

// Automations do what has come due of them.
type Automations interface {
	// RecordOccurrences records what came due of an automation, and starts what may start.
	RecordOccurrences(ctx context.Context, ref domain.AutomationRef) error
	// SettleOverlap applies the overlap policy to an occurrence that has waited.
	SettleOverlap(ctx context.Context, ref domain.AutomationRef)
	// DisableIfFailing disables an automation whose latest runs all failed.
	DisableIfFailing(ctx context.Context, ref domain.AutomationRef)
	// StartByEntries starts what the new entries of a workspace start.
	StartByEntries(ctx context.Context, workspace string) error
}

// Tasks do what has come due of the work at other services.
type Tasks interface {
	TaskDue(ctx context.Context, ref domain.TaskRef) error
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
	// Yield has a session's driver call SafePoint at each of its safe points from now on: another session
	// waits for the slot.
	Yield(session string)
	// Drives says whether this very process performs the session's step.
	Drives(session string) bool
}

// Observer counts what is decided. Its methods must be quick.
type Observer interface {
	Asked(reason slot.Reason, granted bool)
	// Waited reports how long a session queued until it was granted the slot; preempted: how long a CHAT
	// waited for an automation to yield.
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

// AnswerChecks checks what a person answers.
type AnswerChecks interface {
	// RoleFor is the least role that may approve an action; an unknown one needs root.
	RoleFor(action *domain.ApprovalAction) domain.Role
	CheckResponse(m *domain.Module, value json.RawMessage) error
	ResponseText(m *domain.Module, value json.RawMessage, language string) string
	// Edit gives copies of the actions that the decision edits, with their new params and
	// digests, checked as they would be when they run. Errors point below /edits/{id}.
	Edit(ctx context.Context, view *domain.View, decision domain.Decision) ([]*domain.Execution, error)
	// Stale gives the actions with the present values when a record that one of the
	// approved changes is no longer as the person was shown it; else nil.
	Stale(ctx context.Context, view *domain.View, approved []string) (*domain.PlannedCommands, error)
	// Again plans an action of unknown outcome as a new one that needs an approval.
	Again(ctx context.Context, view *domain.View, sent *domain.Execution) (*domain.PlannedCommands, error)
}

// Providers finds a configured provider.
type Providers interface {
	Provider(ctx context.Context, workspace, id string) (*outside.Provider, error)
}
