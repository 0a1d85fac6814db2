package automation

import (
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// HookSecret is the secret in the webhook URL of an automation; empty without a webhook trigger.
type HookSecret struct {
	HookHash   string // hex SHA-256
	HookSealed string // sealed, to show the URL again
}

// Belonging is whose an automation is, and whose slot its runs need.
type Belonging struct {
	// Ownership is of the person who created it. Its runs have the same.
	domain.Ownership
	Lane LanePolicy
}

// Automation is a recurring task: a SEED, a schedule, triggers, a provider. Each of its runs is a session
// of type AUTOMATION (the constant Run).
type Automation struct {
	ID          string
	WorkspaceID string
	Belonging
	Name          string
	SeedSessionID string // its SEED: the message that every run begins with
	ProviderID    string // empty: the workspace's default
	Enabled       bool
	// DisabledReason is why the server disabled it ("failures"); empty if a person did.
	DisabledReason string
	Schedule       *Schedule // nil: only by hand or by its triggers
	Misfire        MisfirePolicy
	Overlap        OverlapPolicy
	// Validation decides about what the configuration demands: park, refuse, allow.
	// Empty: as the workspace has it.
	Validation        string
	RequireValidation bool
	Completion        CompletionPolicy
	Tags              []string
	// Commands are the external commands its runs may be offered, within those the workspace allows
	// (AllowsCommand). A run keeps the list it began with.
	Commands []string
	Triggers []Trigger
	Budgets  domain.Budgets
	// ScheduleSince is when the schedule was made, changed or enabled again: occurrences
	// up to then do not count.
	ScheduleSince time.Time
	// NextAt is the next time at which the scheduler must look at it. It is computed
	// from the history of occurrences and kept only so that it can be found.
	NextAt *time.Time
	// SeenSeq is the number of the last event that was looked at for its triggers.
	SeenSeq int64
	HookSecret
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt *time.Time
}

// Watches reports whether new entries of a tool start it.
func (a *Automation) Watches() bool {
	if !a.Enabled || a.DeletedAt != nil {
		return false
	}
	for _, t := range a.Triggers {
		if t.Type == TriggerEntryCreated {
			return true
		}
	}
	return false
}

// Trigger finds its trigger of a type, or nil.
func (a *Automation) Trigger(kind string) *Trigger {
	for i := range a.Triggers {
		if a.Triggers[i].Type == kind {
			return &a.Triggers[i]
		}
	}
	return nil
}

// FailuresToDisable is how many failed runs in a row disable an automation.
const FailuresToDisable = 5

// MisfirePolicy decides about missed occurrences.
type MisfirePolicy string

const (
	MisfireOnce MisfirePolicy = "once" // one run for all, at the latest of their times
	MisfireAll  MisfirePolicy = "all"  // each, in order, bounded to 100
	MisfireSkip MisfirePolicy = "skip" // none
)

// OverlapPolicy decides about an occurrence that is due before the automation's previous run has ended.
type OverlapPolicy string

const (
	OverlapSkip    OverlapPolicy = "skip"
	OverlapQueue   OverlapPolicy = "queue"
	OverlapRestart OverlapPolicy = "restart" // the old run ends with CANCELLED
)

// LanePolicy decides which slot the runs of an automation need, where each person has a lane.
type LanePolicy string

const (
	laneOwner  LanePolicy = "owner"  // its owner's, whose chats pre-empt them
	laneShared LanePolicy = "shared" // that of the workspace's automations
)

// LaneOwner is the person in whose lane its runs are; empty if it is that of the workspace's automations.
func (a *Automation) LaneOwner() string {
	if a.Lane == laneShared {
		return ""
	}
	return a.Owner
}

// CompletionPolicy decides who confirms that a run is done.
type CompletionPolicy string

const (
	CompletionAuto CompletionPolicy = "auto" // the timer
	CompletionAsk  CompletionPolicy = "ask"  // a person
)

// Trigger starts a run on an event: a call of the automation's webhook, or an entry
// created in a tool of the workspace.
type Trigger struct {
	Type   string `json:"type"` // webhook, entry_created
	ToolID string `json:"tool_id,omitempty"`
	// Condition is a JSON Schema: of the entry ({"timestamp", "data"}), or of the
	// webhook's body. Empty: always.
	Condition json.RawMessage `json:"condition,omitempty"`
}

// Types of triggers.
const (
	TriggerWebhook      = "webhook"
	TriggerEntryCreated = "entry_created"
)

// OccurrenceState is the state of one scheduled instant.
type OccurrenceState string

const (
	OccurrenceDue       OccurrenceState = "DUE"   // waits for the slot
	OccurrenceFired     OccurrenceState = "FIRED" // has its session
	OccurrenceSkipped   OccurrenceState = "SKIPPED"
	OccurrenceMissed    OccurrenceState = "MISSED"
	OccurrenceCoalesced OccurrenceState = "COALESCED" // another one runs for it
	OccurrenceFailed    OccurrenceState = "FAILED"
)

// Reasons of occurrences that did not run.
const (
	SkippedOverlap  = "overlap"
	SkippedBudget   = "budget"
	SkippedDisabled = "disabled"
	SkippedPolicy   = "policy"
)

// Occurrence is one instant at which an automation was due: unique for (automation,
// scheduled instant), so that nothing fires twice and nothing is skipped in silence.
type Occurrence struct {
	ID            string
	WorkspaceID   string
	AutomationID  string
	ScheduledAt   time.Time // of an event: when it came
	Trigger       string    // BySchedule (or empty), ByEvent
	State         OccurrenceState
	Reason        string
	SessionID     string     // FIRED: its run
	CoalescedInto *time.Time // of a COALESCED one: the instant that runs for it
	RecordedAt    time.Time
}

// OccurrenceFilter restricts a list of occurrences; empty fields match all.
type OccurrenceFilter struct {
	AutomationID string
	States       []OccurrenceState
	Since        time.Time
	Until        time.Time // not included
	Limit        int
	Cursor       string
}

// View is the data for a decision about an automation, read in one transaction under the
// workspace's lock. Its View has no session.
type View struct {
	domain.View
	Automation *Automation
	// Seed are the SEED's messages, in their order; SeedSession is the SEED itself.
	Seed        []*domain.Message
	SeedSession *domain.Session
	// Unended are its runs that have not ended, oldest first.
	Unended []*domain.Session
	// Due are its occurrences in state DUE, oldest first; LastScheduled is the latest
	// instant that has a row (zero: none since ScheduleSince).
	Due           []*Occurrence
	LastScheduled time.Time
	// Ends are the end reasons of its latest runs since ScheduleSince, newest first, at
	// most FailuresToDisable.
	Ends []domain.EndReason
}

// RunRecord is one line of an automation's history of executions.
type RunRecord struct {
	Session   *domain.Session
	FinalText string     // of its last answer
	StartedAt *time.Time // nil: it has not begun
	EndedAt   *time.Time
}
