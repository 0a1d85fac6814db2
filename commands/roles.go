package commands

import (
	"cmp"
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// RoleFor is the lowest role that may approve an action. For an external one it is on the card: the
// command may be gone by now. An unknown action needs a role that no member of a workspace has.
func (c *Catalogue) RoleFor(action *domain.ApprovalAction) domain.Role {
	if entry := c.commands[action.Command]; entry != nil {
		return entry.spec.Role
	}
	return cmp.Or(action.Role, domain.RoleRoot)
}

// forbidden is the error, for the AI, if the author's role does not allow this; nil otherwise.
func (c *command) forbidden(env *Env) error {
	if env.Role.Allows(c.spec.Role) {
		return nil
	}
	return domain.Errorf(
		domain.CodeForbidden,
		"%s needs the role %s, and the person you act for has the role %s. Nothing was done. Do not try it again; tell the person that somebody with the role %s has to ask for it.",
		c.spec.Name,
		c.spec.Role,
		env.Role,
		c.spec.Role,
	)
}

// forbid fails the actions that the author's role does not allow, and cancels the others of the answer: no
// approval is requested for a series that cannot run as a whole.
func (p *planner) forbid(ctx context.Context) {
	refused := false
	for _, e := range slices.Concat(p.plan.Commands.Queries, p.plan.Commands.Actions) {
		err := p.catalogue.entry(&p.env, e.Command).forbidden(&p.env)
		if err == nil || e.Status.Final() {
			continue
		}
		e.Error = commandError(err)
		e.Summary = domain.Say("Not allowed (role %s): %s", "Non permis (rôle %s) : %s", p.env.Role, p.words(ctx, e))
		p.end(e, domain.ExecFailed)
		refused = refused || e.Kind == domain.KindAction
	}
	for _, e := range p.plan.Commands.Actions {
		if refused && !e.Status.Final() {
			e.Error = &domain.CommandError{
				Code:    codeEarlier,
				Message: "Another action of this answer is not allowed; nothing was run, and the person was not asked.",
			}
			e.Summary = domain.Say("Not done: %s", "Pas fait : %s", p.words(ctx, e))
			p.end(e, domain.ExecCancelled)
		}
	}
}
