package userdata

import (
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// AgentDefinition is that of a sub-agent: an assistant that another one calls as a command
// for one task.
type AgentDefinition struct {
	ID              string
	WorkspaceID     string
	Name            string
	Description     string // what the calling AI reads
	SystemPrompt    string
	Strategy        string
	SuccessCriteria string
	ExitReport      string
	// Commands are the names that it may use; what is not among them is not offered and
	// does not run.
	Commands   []string
	ProviderID string // "": that of its caller
	Model      string // "": that of the provider
	// MaxTurns bounds its answers, TokenBudget its history: above it, that is summarised.
	MaxTurns    int
	TokenBudget int
	Enabled     bool
	BuiltIn     bool
	Version     int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Command is the name of the command that calls the agent: AGENT.CONTEXT_MANAGER for one
// named ContextManager.
func (a *AgentDefinition) Command() string {
	return domain.AgentCommandPrefix + domain.AgentCommandName(a.Name)
}

// AgentPatch changes an agent. Nil: unchanged. Version is the one that the client saw; 0:
// any.
type AgentPatch struct {
	Version         int64
	Name            *string
	Description     *string
	SystemPrompt    *string
	Strategy        *string
	SuccessCriteria *string
	ExitReport      *string
	Commands        *[]string
	ProviderID      *string
	Model           *string
	MaxTurns        *int
	TokenBudget     *int
	Enabled         *bool
}

// Apply merges the patch into an agent.
func (p AgentPatch) Apply(a *AgentDefinition) {
	setField(&a.Name, p.Name)
	setField(&a.Description, p.Description)
	setField(&a.SystemPrompt, p.SystemPrompt)
	setField(&a.Strategy, p.Strategy)
	setField(&a.SuccessCriteria, p.SuccessCriteria)
	setField(&a.ExitReport, p.ExitReport)
	setField(&a.ProviderID, p.ProviderID)
	setField(&a.Model, p.Model)
	setField(&a.MaxTurns, p.MaxTurns)
	setField(&a.TokenBudget, p.TokenBudget)
	setField(&a.Enabled, p.Enabled)
	if p.Commands != nil {
		a.Commands = slices.Clone(*p.Commands)
	}
}
