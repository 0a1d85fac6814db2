package api

import "github.com/fermata-dev/fermata/domain/userdata"

// AgentFrom is an agent as clients see it.
func AgentFrom(a *userdata.AgentDefinition) *Agent {
	out := &Agent{ID: a.ID, Command: a.Command(), BuiltIn: a.BuiltIn, Version: a.Version}
	withFields(out, &a.AgentFields).Commands = append([]string{}, a.Commands...)
	if !a.CreatedAt.IsZero() {
		made, changed := Time(a.CreatedAt), Time(a.UpdatedAt)
		out.CreatedAt, out.UpdatedAt = &made, &changed
	}
	return out
}
