package commands

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

// builtinTimeout bounds each built-in command.
const builtinTimeout = 10 * time.Second

// Catalogue holds every command. It is made once and safe for concurrent use.
type Catalogue struct {
	commands map[string]*command
	names    []string
	offered  definitions.Cache
	rules    *data.Rules
	schemas  *data.Schemas
	// automations are the rules by which automations are made.
	automations Automations
}

// command is one entry: what is offered, how it is described to a person, and how it
// is run. Which functions are set depends on its kind.
type command struct {
	spec   domain.CommandSpec
	family string
	own    json.RawMessage // the schema of its own parameters, without the common ones
	// words describes what a query reads.
	words func(ctx context.Context, c *call) domain.Text
	query func(ctx context.Context, c *call) (answer, error)
	// describe makes the card of an action from the data as it is now.
	describe func(ctx context.Context, c *call) (card, error)
	// terms, if set, returns the approval terms of an action.
	terms func(c *call) terms
	run   func(ctx context.Context, c *call) (done, error)
}

// call is a command with its params, about to be described or run.
type call struct {
	catalogue *Catalogue
	store     data.Store
	env       Env
	name      string
	params    json.RawMessage
	// execution is what is described or run.
	execution *domain.Execution
	// earlier are the actions before this one in the same answer that are to run.
	earlier []*domain.Execution
	// send carries out a call of another server; nil: none can be.
	send Caller
	// made is how many automations earlier actions of the same series made, which are not stored yet.
	made int
}

// New makes the catalogue of the built-in commands, which change the user's data, and make
// automations, by these rules.
func New(rules *data.Rules, automations Automations) *Catalogue {
	c := &Catalogue{commands: map[string]*command{}, rules: rules, schemas: rules.Schemas(), automations: automations}
	for family, groups := range builtIns() {
		for _, entry := range slices.Concat(groups...) {
			entry.family = family
			c.commands[entry.spec.Name] = entry
			c.names = append(c.names, entry.spec.Name)
		}
	}
	slices.Sort(c.names)
	return c
}

// Specs are all commands, by name.
func (c *Catalogue) Specs() []domain.CommandSpec {
	specs := make([]domain.CommandSpec, 0, len(c.names))
	for _, name := range c.names {
		specs = append(specs, c.commands[name].spec)
	}
	return specs
}

// With are all commands, and after them those from outside.
func (c *Catalogue) With(outside []domain.CommandSpec) []domain.CommandSpec {
	return c.with(outside, true)
}

// with offers the AI the request for an approval where it counts (asks).
func (c *Catalogue) with(outside []domain.CommandSpec, asks bool) []domain.CommandSpec {
	specs := c.Specs()
	for _, spec := range outside {
		specs = append(specs, outsider(&c.offered, spec).spec)
	}
	if asks {
		return specs
	}
	for i := range specs {
		if specs[i].Kind == domain.KindAction {
			specs[i].Params = c.offered.Unasked(specs[i].Params)
		}
	}
	return specs
}

// SpecsFor are the commands that the AI is offered in a session of this type: an AUTOMATION has no person
// to ask, and reports to no other assistant; a CHAT never ends by itself; and an AGENT reports to its
// caller. External commands follow the catalogue's own, in their order.
func (c *Catalogue) SpecsFor(t domain.SessionType, outside []domain.CommandSpec) []domain.CommandSpec {
	looksAfter := beginsTasks(outside) && t != domain.Agent // an agent cannot wait for a task
	specs := slices.DeleteFunc(c.with(outside, t.CountsAIRequest()), func(s domain.CommandSpec) bool {
		return s.Name == domain.AddCommands || onlyInChats(s.Name) && t != domain.Chat || s.Name == domain.Complete && t == domain.Chat ||
			s.Name == domain.AskPrincipal && t != domain.Agent || (s.Name == listTasks || s.Name == cancelTask) && !looksAfter
	})
	if t == domain.Agent {
		for i := range specs {
			if specs[i].Name == domain.Complete {
				specs[i].Description, specs[i].Params = reportText, reportParams
			}
		}
	}
	return specs
}

const reportText = "End your work and report to the assistant that called you; actions beside it run first and must all succeed, " +
	"beside queries it is ignored."

var reportParams = schema.Object(`"reason": {"type": "string", "description": "Why you end: done, or what keeps you from it."},
	"result": {"type": "string", "description": "What was asked for. It must stand by itself: nothing else of yours is passed on."},
	"conclusion": {"type": "string", "description": "What follows from it, in one or two sentences."}`)

// unknown lists the existing commands, similar ones first.
func unknown(name string, specs []domain.CommandSpec) string {
	var names []string
	for _, s := range specs {
		if s.Kind != domain.KindControl {
			names = append(names, s.Name)
		}
	}
	like := strings.ToUpper(strings.TrimSpace(name))
	if slices.Contains(names, like) {
		return "There is no command " + jsonbody.Quote(name) + "; its name is written " + like + "."
	}
	return "There is no command " + jsonbody.Quote(name) + ". The commands are: " + strings.Join(names, ", ") + "."
}

func newQuery[P any](name string, role domain.Role, description, params string, words func(context.Context, *call, P) domain.Text,
	run func(context.Context, *call, P) (answer, error)) *command {
	own := schema.Object(params)
	return &command{
		own: own,
		spec: domain.CommandSpec{Name: name, Kind: domain.KindQuery, Role: role, Effect: domain.EffectRead,
			Source: domain.SourceBuiltin, Description: description, Params: own, Timeout: builtinTimeout},
		words: func(ctx context.Context, c *call) domain.Text {
			p, err := decode[P](c.params)
			if err != nil {
				return domain.Same(name)
			}
			return words(ctx, c, p)
		},
		query: func(ctx context.Context, c *call) (answer, error) {
			p, err := decode[P](c.params)
			if err != nil {
				return answer{}, err
			}
			return run(ctx, c, p)
		},
	}
}

func newAction[P any](name string, role domain.Role, effect domain.CommandEffect, description, params string,
	describe func(context.Context, *call, P) (card, error), run func(context.Context, *call, P) (done, error)) *command {
	own := schema.Object(params)
	return &command{
		own: own,
		spec: domain.CommandSpec{Name: name, Kind: domain.KindAction, Role: role, Effect: effect, Source: domain.SourceBuiltin,
			Description: description, Params: definitions.WithFlags(own), Timeout: builtinTimeout},
		describe: func(ctx context.Context, c *call) (card, error) {
			p, err := decode[P](c.params)
			if err != nil {
				return card{}, err
			}
			return describe(ctx, c, p)
		},
		run: func(ctx context.Context, c *call) (done, error) {
			p, err := decode[P](c.params)
			if err != nil {
				return done{}, err
			}
			return run(ctx, c, p)
		},
	}
}

func controls() []*command {
	ask := schema.Object(
		`"type": {"type": "string", "enum": ["MultipleChoice", "Validation", "Text", "Form", "Plan"]},
		"data": {"type": "object", "description": "MultipleChoice {question, options: 2 or more texts, multiple?, allow_other?}, Validation {message}, Text {question, placeholder?}, Form {title?, schema: flat JSON Schema}, Plan {title?, steps: texts}"}`,
		"type",
		"data",
	)
	end := schema.Object(`"summary": {"type": "string", "description": "What was done, in one to three sentences."}`)
	control := func(name, description string, own json.RawMessage) *command {
		return &command{own: own, spec: domain.CommandSpec{Name: name, Kind: domain.KindControl, Role: domain.RoleMember,
			Effect: domain.EffectNonIdempotent, Source: domain.SourceBuiltin, Description: description, Params: own,
			Timeout: builtinTimeout}}
	}
	return []*command{
		control(domain.AskUser, "Ask the person, and wait.", ask),
		control(
			domain.Complete,
			"End this run; actions beside it run first and must all succeed, beside queries it is ignored.",
			end,
		),
		control(
			domain.AskPrincipal,
			"Ask the assistant that called you, where the task is not clear; it ends your work, and you are called again with the answer.",
			schema.Object(`"question": {"type": "string", "minLength": 1, "description": "What you need to know."}`, "question"),
		),
	}
}
