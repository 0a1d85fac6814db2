package domain

import "slices"

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
	set(&a.Name, p.Name)
	set(&a.Description, p.Description)
	set(&a.SystemPrompt, p.SystemPrompt)
	set(&a.Strategy, p.Strategy)
	set(&a.SuccessCriteria, p.SuccessCriteria)
	set(&a.ExitReport, p.ExitReport)
	set(&a.ProviderID, p.ProviderID)
	set(&a.Model, p.Model)
	set(&a.MaxTurns, p.MaxTurns)
	set(&a.TokenBudget, p.TokenBudget)
	set(&a.Enabled, p.Enabled)
	if p.Commands != nil {
		a.Commands = slices.Clone(*p.Commands)
	}
}
