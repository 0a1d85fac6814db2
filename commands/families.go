package commands

import (
	"slices"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/domain"
)

// builtIns are the catalogue's own commands, by family.
func builtIns() map[string][][]*command {
	return map[string][][]*command{
		definitions.FamilyData:        {zoneQueries(), toolQueries(), stateQueries(), schemaQueries()},
		definitions.FamilyDataChanges: {zoneActions(), toolActions(), dataActions()},
		definitions.FamilyTypes:       {typeActions()},
		definitions.FamilyDocuments:   {documentQueries(), documentActions()},
		definitions.FamilyAutomations: {automationActions()},
		definitions.FamilyTasks:       {taskQueries(), taskControls()},
		definitions.FamilySearch:      {searchQueries()},
		definitions.FamilyControl:     {controls(), definitionControls()},
	}
}

// Offer divides the commands of a session into those with definitions and those by name. COMMANDS is offered
// where there is one by name. What has nothing to act on yet, or no use in this workspace, is not offered, and not
// forbidden either: a call of it finds nothing.
func (c *Catalogue) Offer(env *Env) definitions.Offer {
	byName, own := env.Uses.Named(env.Outside), definitions.OwnParams(env.Outside)
	var offer definitions.Offer
	for _, spec := range c.SpecsIn(env) {
		if params, external := own[spec.Name]; external {
			spec.Params = params // without the params of all actions
		}
		switch {
		case !c.hasUse(env, &spec):
			offer.Unused = append(offer.Unused, spec)
		case byName[spec.Name]:
			offer.Named = append(offer.Named, spec)
		default:
			offer.Whole = append(offer.Whole, c.short(env, spec))
		}
	}
	if len(offer.Named) > 0 {
		offer.Whole = append(offer.Whole, c.short(env, c.commands[domain.AddCommands].spec))
	}
	return offer
}

// hasUse reports whether the workspace has a use for a command. The definition of an agent names what it uses.
func (c *Catalogue) hasUse(env *Env, spec *domain.CommandSpec) bool {
	switch own := c.commands[spec.Name]; {
	case env.Restricted, slices.Contains(env.Uses.Added, spec.Name):
		return true
	case own != nil:
		return env.Uses.Has(own.family, spec.Name, env.Outside)
	}
	return spec.Source != domain.SourceAgent || env.Uses.Agents(env.Outside)
}
