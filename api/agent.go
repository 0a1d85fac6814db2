package api

import "github.com/fermata-dev/fermata/domain/userdata"

// AgentFrom is an agent as clients see it.
func AgentFrom(a *userdata.AgentDefinition) *Agent {
	out := &Agent{
		ID: a.ID, Name: a.Name, Command: a.Command(), Description: a.Description, SystemPrompt: a.SystemPrompt,
		Strategy: textPtr(a.Strategy), SuccessCriteria: textPtr(a.SuccessCriteria), ExitReport: textPtr(a.ExitReport),
		Commands: append([]string{}, a.Commands...), ProviderID: textPtr(a.ProviderID), Model: textPtr(a.Model),
		MaxTurns: a.MaxTurns, TokenBudget: a.TokenBudget, Enabled: a.Enabled, BuiltIn: a.BuiltIn, Version: a.Version,
	}
	if !a.CreatedAt.IsZero() {
		made, changed := Time(a.CreatedAt), Time(a.UpdatedAt)
		out.CreatedAt, out.UpdatedAt = &made, &changed
	}
	return out
}

// Domain returns the requested agent.
func (in *NewAgent) Domain() userdata.AgentPatch {
	return userdata.AgentPatch{
		Name: &in.Name, Description: &in.Description, SystemPrompt: &in.SystemPrompt, Strategy: orEmpty(in.Strategy),
		SuccessCriteria: orEmpty(in.SuccessCriteria), ExitReport: orEmpty(in.ExitReport), Commands: &in.Commands,
		ProviderID: orEmpty(in.ProviderID), Model: orEmpty(in.Model), MaxTurns: in.MaxTurns, TokenBudget: in.TokenBudget,
		Enabled: in.Enabled,
	}
}

// Domain returns the requested change. version is the one that the client saw.
func (in *AgentPatch) Domain(version int64) userdata.AgentPatch {
	patch := userdata.AgentPatch{
		Version: version, Name: in.Name, Description: in.Description, SystemPrompt: in.SystemPrompt, Strategy: orEmpty(in.Strategy),
		SuccessCriteria: orEmpty(in.SuccessCriteria), ExitReport: orEmpty(in.ExitReport), ProviderID: orEmpty(in.ProviderID),
		Model: orEmpty(in.Model), MaxTurns: in.MaxTurns, TokenBudget: in.TokenBudget, Enabled: in.Enabled,
	}
	if in.Commands != nil {
		patch.Commands = &in.Commands
	}
	return patch
}
