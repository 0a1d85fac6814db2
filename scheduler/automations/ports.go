package automations

import (
	"context"
	"encoding/json"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/scheduler"
)

// Config is what Service and Runs are made of; every field is needed.
type Config struct {
	Door       Door
	Sessions   Sessions
	Store      Store
	Events     Events
	Conditions Conditions
	Checks     Checks
	// Providers are looked up when an automation names one.
	Providers scheduler.Providers
	// SealHook encrypts the secret of a webhook for storing.
	SealHook func(workspace, automationID, token string) (string, error)
	Clock    clock.Clock
	NewID    domain.IDSource
	Log      zerolog.Logger
}

// Door is the one door.
type Door interface {
	Deliver(ctx context.Context, r scheduler.Request) (*scheduler.Outcome, error)
	// Look asks for a look at a workspace: something may be due.
	Look(workspace string)
}

// Sessions stops runs.
type Sessions interface {
	StopSession(ctx context.Context, workspace, session string, by domain.Author) (*domain.Receipt, error)
}

// Store is what is read of the database before a decision about an automation.
type Store interface {
	Automation(ctx context.Context, workspace, id string) (*automation.Automation, error)
	AutomationOfHook(ctx context.Context, id string) (*automation.Automation, error)
	// DueOccurrences are those of a workspace with an occurrence in state DUE,
	// WatchingAutomations those that entries start and that have not looked at all events.
	DueOccurrences(ctx context.Context, workspace string) ([]domain.AutomationRef, error)
	WatchingAutomations(ctx context.Context, workspace string) ([]domain.AutomationRef, error)
	Session(ctx context.Context, workspace, id string) (*domain.Session, error)
}

// Events are the log and the entries it refers to.
type Events interface {
	Events(ctx context.Context, workspace, session string, after int64, size domain.PageSize) (
		events []*domain.LogEvent, more bool, err error)
	// EntriesMadeAt are the entries of a tool that were made in one call, by their
	// CreatedAt, in the order of their ids.
	EntriesMadeAt(ctx context.Context, workspace, tool string, made time.Time, limit int) ([]*userdata.Entry, error)
}

// Conditions decide about the JSON Schemas of triggers. No schema holds always.
type Conditions interface {
	Holds(schema, value json.RawMessage) (bool, error)
}

// Checks are the rules of what automations name: tools, zones, commands, JSON Schemas.
// Mistakes are domain invalid errors, with pointers into the automation or the grant.
type Checks interface {
	// CheckTriggers also puts the triggers' conditions into their compact form.
	CheckTriggers(ctx context.Context, workspace string, triggers []automation.Trigger) error
	// CheckCommands refuses a name that is no command from outside, and no pattern of some.
	CheckCommands(ctx context.Context, workspace string, commands []string) error
	CheckGrant(ctx context.Context, workspace string, now time.Time, g *domain.Grant) error
}

// rules are what a decision about an automation depends on beside its view. With the same
// two it is the same.
type rules struct {
	now   time.Time
	newID domain.IDSource
}

func (c *Config) rules() rules { return rules{now: c.Clock(), newID: c.NewID} }

// planner decides about an automation.
type planner func(p rules, v *automation.View) (scheduler.Plan, error)

// deliver passes the door with a plan. With automation "" one is made.
func (c *Config) deliver(ctx context.Context, workspace, automationID string, plan planner) (*scheduler.Outcome, error) {
	return c.Door.Deliver(ctx, scheduler.PlanRequest{
		Target: scheduler.Target{Workspace: workspace}, Automation: automationID, Planner: planning{c, plan},
	})
}

// planning is a plan with the rules of the moment at which it is made.
type planning struct {
	config *Config
	plan   planner
}

var _ scheduler.Planner = planning{}

// Plan implements scheduler.Planner.
func (p planning) Plan(v *automation.View) (scheduler.Plan, error) {
	return p.plan(p.config.rules(), v)
}

// change begins an empty change of the automation's workspace.
func (p rules) change(v *automation.View) *domain.Change {
	return &domain.Change{WorkspaceID: v.Workspace.ID, At: p.now}
}

// write adds an automation to a change, with its event.
func write(change *domain.Change, a *automation.Automation, insert bool) {
	change.Rows = append(change.Rows, automation.Write{Automation: a, Insert: insert})
	change.Emit(domain.LogEvent{Type: domain.LogAutomationChanged, Row: a})
}
