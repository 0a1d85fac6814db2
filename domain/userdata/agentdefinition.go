package userdata

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/mergepatch"
)

// AgentFields is what people set of an agent. It is stored as it is here.
type AgentFields struct {
	Name            string `json:"name"`
	Description     string `json:"description,omitempty"` // what the calling AI reads
	SystemPrompt    string `json:"system_prompt,omitempty"`
	Strategy        string `json:"strategy,omitempty"`
	SuccessCriteria string `json:"success_criteria,omitempty"`
	ExitReport      string `json:"exit_report,omitempty"`
	// Commands are the names that it may use; what is not among them is not offered and
	// does not run.
	Commands   []string `json:"commands,omitempty"`
	ProviderID string   `json:"provider_id,omitempty"` // "": that of its caller
	Model      string   `json:"model,omitempty"`       // "": that of the provider
	// MaxTurns bounds its answers, TokenBudget its history: above it, that is summarised.
	MaxTurns    int  `json:"max_turns"`
	TokenBudget int  `json:"token_budget"`
	Enabled     bool `json:"enabled"`
}

// AgentDefinition is that of a sub-agent: an assistant that another one calls as a command
// for one task.
type AgentDefinition struct {
	ID          string
	WorkspaceID string
	AgentFields
	BuiltIn   bool
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// AgentPatch changes an agent.
type AgentPatch = mergepatch.Patch[AgentFields]

// Command is the name of the command that calls the agent: AGENT.CONTEXT_MANAGER for one
// named ContextManager.
func (a *AgentDefinition) Command() string {
	return domain.AgentCommandPrefix + domain.AgentCommandName(a.Name)
}
