package commands

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/visible"
)

// definitionControls are COMMANDS. It needs no approval, and runs among the queries of an answer.
func definitionControls() []*command {
	add := newQuery(
		domain.AddCommands, domain.RoleViewer,
		"Get the definitions of commands of which you know the name only.",
		`"names": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"type": "string", "maxLength": 200}}`,
		func(_ context.Context, _ *call, p definitions.Params) domain.Text {
			return domain.Say("Read how to use %s", "Lire comment utiliser %s", visible.Line(strings.Join(p.Names, ", ")))
		},
		func(_ context.Context, c *call, p definitions.Params) (answer, error) { return c.definitions(p.Names) },
	).require("names")
	add.spec.Kind, add.spec.Effect = domain.KindControl, domain.EffectIdempotent
	return []*command{add}
}

// definitions are those of commands that the session is offered, by their names in the catalogue or on the
// wire to a model. The error for an unknown name lists those that are offered by name.
func (c *call) definitions(names []string) (answer, error) {
	offer := c.catalogue.Offer(&c.env)
	found := answer{key: "commands", unsaid: true}
	for i, name := range names {
		spec := definitions.Find(offer.All(), name)
		if spec == nil {
			var there []string
			for _, s := range offer.Named {
				there = append(there, s.Name)
			}
			return answer{}, domain.Invalid(fmt.Sprintf("/names/%d", i), codeUnknown,
				"There is no command %s. Offered by name are: %s.", jsonbody.Quote(name), strings.Join(there, ", "))
		}
		short := c.catalogue.short(&c.env, *spec)
		row := definitions.Row{Name: spec.WireName(), Kind: spec.Kind, Description: short.Description, Params: short.Params}
		found.rows = append(found.rows, jsonbody.Encode(row))
		found.unsaid = found.unsaid && !spec.External()
		found.adds = append(found.adds, spec.Name)
	}
	found.head = "Nothing was run. " + domain.Plural(len(found.rows), "definition", "definitions") + ", offered from the next answer on:"
	return found, nil
}

// lacksDefinition reports whether a call is answered with the command's definition: only its name is offered, and
// its params are another server's to define, or do not fit.
func (p *planner) lacksDefinition(entry *command, err error) bool {
	name := entry.spec.Name
	if !entry.external() || err == nil && domain.CallsAgent(name) {
		return false
	}
	if p.byName == nil {
		p.byName = p.env.Uses.Named(p.env.Outside)
	}
	return p.byName[name]
}

// define turns a call into COMMANDS for it. err is what does not fit in its params, where that is known.
func (p *planner) define(e *domain.Execution, entry *command, err error) {
	if err != nil {
		p.guide(entry.spec.Name + " was not run: " + explain(commandError(err)))
	}
	p.defines = append(p.defines, entry.spec.Name)
	e.Command, e.Params = domain.AddCommands, jsonbody.Encode(definitions.Params{Names: []string{entry.spec.Name}})
	e.CommandID, e.Kind, e.Effect = commandID(e.Command, e.Params), domain.KindQuery, domain.EffectIdempotent
	p.plan.Commands.Queries = append(p.plan.Commands.Queries, e)
}

// awaitDefinitions cancels the actions beside a call that is answered with a definition: the AI chose them as
// parts of one series.
func (p *planner) awaitDefinitions() {
	if len(p.defines) == 0 {
		return
	}
	for _, e := range p.plan.Commands.Actions {
		if !e.Status.Final() {
			p.end(e, domain.ExecCancelled)
			e.Error = &domain.CommandError{
				Code: codeIgnored, Message: "Not run: " + strings.Join(p.defines, ", ") + " comes first. Send the actions again, together.",
			}
		}
	}
	p.plan.Commands.Refused = append(p.plan.Commands.Refused, p.plan.Commands.Actions...)
	p.plan.Commands.Actions = nil
}

// short is a command as a model is offered it: what holds for all actions is in the rules of the prompt, and
// what a call is checked against is not repeated where a model does not need it. With prompt_detail=minimal the
// params of the catalogue's commands are named and not described.
func (c *Catalogue) short(env *Env, spec domain.CommandSpec) domain.CommandSpec {
	entry, shorten := c.commands[spec.Name], c.offered.Short
	if env.Settings.PromptDetail == "minimal" {
		shorten = c.offered.Bare
	}
	switch {
	case entry == nil && spec.Kind != domain.KindAction:
	case entry == nil:
		spec.Params = c.offered.Open(spec.Params)
	case spec.Kind == domain.KindAction:
		spec.Params = shorten(entry.own)
	default:
		spec.Params = shorten(spec.Params)
	}
	return spec
}
