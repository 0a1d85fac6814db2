package checks

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// Automations validates automations against the catalogue and the workspace's data.
type Automations struct{ Config }

// CheckTriggers validates the triggers of an automation.
func (c Automations) CheckTriggers(ctx context.Context, workspace string, triggers []automation.Trigger) error {
	return c.Catalogue.CheckTriggers(ctx, c.Data(workspace), triggers)
}

// CheckCommands looks each name up among the connectors' commands, in any state, and among the
// agents.
func (c Automations) CheckCommands(ctx context.Context, workspace string, commands []string) error {
	if !slices.ContainsFunc(commands, func(name string) bool { return name != domain.AllCommands }) {
		return nil
	}
	all, err := c.Connectors.Connectors(ctx, workspace)
	if err != nil {
		return err
	}
	agents, err := c.Agents.Agents(ctx, workspace)
	if err != nil {
		return err
	}
	known := map[string]bool{domain.AllCommands: true, domain.AgentCommandPrefix + "*": true}
	for _, connector := range all {
		known[connector.Prefix+".*"] = true
		for _, command := range connector.Commands {
			known[connector.Prefix+"."+command.Name] = true
		}
	}
	for _, agent := range agents {
		known[agent.Command()] = true
	}
	for i, name := range commands {
		if !known[name] {
			return domain.Invalid(fmt.Sprintf("/commands/%d", i), "unknown_command",
				"No connector and no agent of this workspace has a command %q. Nothing was changed.", name)
		}
	}
	return nil
}

// CheckGrant validates a grant.
func (c Automations) CheckGrant(ctx context.Context, workspace string, now time.Time, g *domain.Grant) error {
	outside, err := c.Offers(ctx, workspace)
	if err != nil {
		return err
	}
	return c.Catalogue.CheckGrant(ctx, c.Data(workspace), now, g, outside)
}

// Conditions evaluates the JSON Schemas of triggers.
type Conditions struct{ Catalogue *commands.Catalogue }

// Holds reports whether a value matches a schema.
func (c Conditions) Holds(schema, value json.RawMessage) (bool, error) {
	if len(schema) == 0 {
		return true, nil
	}
	err := c.Catalogue.CheckSchema(schema, value, "")
	if domain.ErrorCode(err) == domain.CodeInvalid {
		return false, nil
	}
	return err == nil, err
}
