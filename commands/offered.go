package commands

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// offers reports whether the session is offered a command of the catalogue. Control commands are always
// offered.
func (e *Env) offers(spec *domain.CommandSpec) bool {
	switch spec.Name {
	case createAutomation:
		if e.SessionType != domain.Chat {
			return false
		}
	case listTasks, cancelTask:
		if e.SessionType == domain.Agent || len(e.Tasks) == 0 && !beginsTasks(e.Outside) {
			return false
		}
	}
	return !e.Restricted || spec.Kind == domain.KindControl || slices.Contains(e.Only, spec.Name)
}

// onlyInChats: the command needs a person.
func onlyInChats(name string) bool { return name == domain.AskUser || name == createAutomation }

// SpecsIn are the commands that the AI is offered in a session.
func (c *Catalogue) SpecsIn(env *Env) []domain.CommandSpec {
	return slices.DeleteFunc(c.SpecsFor(env.SessionType, env.Outside), func(s domain.CommandSpec) bool {
		return c.commands[s.Name] != nil && !env.offers(&s)
	})
}

// unknown lists the commands that the session is offered.
func (p *planner) unknown(name string) string {
	if domain.CallsAgent(name) && p.env.SessionType == domain.Agent {
		return name + " cannot be called here: an agent calls neither itself, nor another one when an agent has called it. " +
			"Do the task yourself."
	}
	return unknown(name, p.catalogue.SpecsIn(&p.env))
}
