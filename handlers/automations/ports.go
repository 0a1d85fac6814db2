package automations

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// Automations keeps the automations. Mistakes are domain invalid errors with pointers
// into the automation: "/schedule/expression", "/triggers/0/tool_id".
type Automations interface {
	Automations(ctx context.Context, ws string, enabled *bool, cursor string, limit int) ([]*automation.Automation, string, error)
	Automation(ctx context.Context, ws, id string) (*automation.Automation, error)
	CreateAutomation(ctx context.Context, ws string, in automation.NewAutomation) (a *automation.Automation, seq int64, err error)
	// UpdateAutomation merges the patch into the automation as it is; patch.Version is what
	// If-Match demanded (0: nothing).
	UpdateAutomation(ctx context.Context, ws, id string, patch automation.Patch) (a *automation.Automation, seq int64, err error)
	// DeleteAutomation refuses one with a run under way without force.
	DeleteAutomation(ctx context.Context, ws, id string, version int64, force bool) error
	RenewHook(ctx context.Context, ws, id string) (a *automation.Automation, seq int64, err error)
	// WebhookURL is where the automation's webhook is called; "" without one.
	WebhookURL(a *automation.Automation) string
}

// Runs starts and lists the runs of automations.
type Runs interface {
	// RunAutomation starts a run by hand, with what differs in this run alone.
	RunAutomation(ctx context.Context, ws, id string, ask automation.RunRequest) (*domain.Receipt, error)
	// TriggerAutomation is a call of a webhook. A wrong token and an unknown automation
	// are the same not_found error; an event that does not meet the condition is
	// domain.CodeConditionNotMet.
	TriggerAutomation(ctx context.Context, id, token string, body json.RawMessage) (*domain.Receipt, error)
	// WorkspaceOfHook is where such a call belongs, or the same not_found error.
	WorkspaceOfHook(ctx context.Context, id, token string) (string, error)
	RunRecords(ctx context.Context, ws string, f domain.SessionFilter) ([]automation.RunRecord, string, error)
	Occurrences(ctx context.Context, ws string, f automation.OccurrenceFilter) ([]*automation.Occurrence, string, error)
}

// Seeds reads SEEDs and checks what is to become one: as RichText, but periods stay
// relative.
type Seeds interface {
	Seed(ctx context.Context, ws, automationID string) (*automation.Automation, *domain.Message, error)
	ResolveSeed(ctx context.Context, ws string, segments []domain.Segment) (*domain.RichContent, error)
}

// Grants keeps what people said yes to in advance. Mistakes have pointers into the
// grant.
type Grants interface {
	Grants(ctx context.Context, ws, automationID, cursor string, limit int) ([]*domain.Grant, string, error)
	GiveGrant(ctx context.Context, ws, automationID string, g domain.Grant) (*domain.Grant, int64, error)
	WithdrawGrant(ctx context.Context, ws, automationID, grant string) (seq int64, err error)
}

// Ports are about automations and their runs.
type Ports struct {
	Automations Automations
	Runs        Runs
	RunReader   RunReader
	Seeds       Seeds
	Grants      Grants
	Schedules   Schedules
}

// RunReader reads the session of a run.
type RunReader interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
}

// Schedules says what a schedule would do, before it is saved. Mistakes are domain
// invalid errors with pointers into the schedule.
type Schedules interface {
	// PreviewSchedule says it in a language; in "", in the workspace's.
	PreviewSchedule(ctx context.Context, ws string, schedule automation.Schedule, after time.Time, count int, language string) (
		*automation.SchedulePreview, error)
}
