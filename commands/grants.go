package commands

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// cover finds a grant for each action that would require an approval, and records it. It returns the
// actions without one.
func (c *Catalogue) cover(env *Env, all []described, aiAsked bool) []described {
	used := map[string]int64{}
	for _, g := range env.Grants {
		used[g.ID] = g.UsesInRun
	}
	var left []described
	for _, d := range all {
		d.execution.GrantID = ""
		// No grant covers what external content may have caused.
		if d.asks(env, aiAsked) && !d.guarded(env) {
			for _, g := range env.Grants {
				if (g.MaxPerRun == 0 || used[g.ID] < int64(g.MaxPerRun)) && c.covers(env, g, d) {
					d.execution.GrantID = g.ID
					used[g.ID]++
					break
				}
			}
		}
		if d.execution.GrantID == "" {
			left = append(left, d)
		}
	}
	return left
}

// asks reports whether the action would require an approval without a grant. What the policy allows anyway
// uses up no grant.
func (d *described) asks(env *Env, aiAsked bool) bool {
	return len(env.Approving.Reasons(reasonsFor(env, []described{*d}, aiAsked), []*domain.Execution{d.execution})) > 0
}

// covers holds an action against one grant. Each list that the grant has must name all
// that the action touches: a deletion of a zone touches its tools too.
func (c *Catalogue) covers(env *Env, g *domain.Grant, d described) bool {
	e := d.execution
	if d.err != nil || d.card.person != (domain.Text{}) || d.card.sensitive || !g.Active(env.Now) ||
		!slices.Contains(g.Commands, e.Command) {
		return false
	}
	var zones, tools []string
	for _, z := range d.card.zones {
		zones = append(zones, z.ID)
	}
	for _, t := range d.card.tools {
		tools = append(tools, t.ID)
	}
	if !within(g.ZoneIDs, zones) || !within(g.ToolIDs, tools) {
		return false
	}
	// Bounds that cannot be used cover nothing.
	return len(g.Bounds) == 0 || c.schemas.Check(g.Bounds, e.Params, "") == nil
}

// within reports whether all touched ids are in a list; an empty list allows all.
func within(list, touched []string) bool {
	if len(list) == 0 {
		return true
	}
	return len(touched) > 0 && !slices.ContainsFunc(touched, func(id string) bool { return !slices.Contains(list, id) })
}

// ungranted reports whether a grant used instead of an approval is no longer valid, and nothing else
// allows the action. An approved action needs no grant.
func (c *Catalogue) ungranted(env *Env, all []described) bool {
	var granted []described
	for _, d := range all {
		if d.execution.GrantID != "" && d.execution.ApprovalID == "" && d.err == nil {
			granted = append(granted, d)
		}
	}
	aiAsked := env.SessionType.CountsAIRequest() // it may have: an expired grant covers nothing
	return slices.ContainsFunc(c.cover(env, granted, aiAsked), func(d described) bool { return d.asks(env, aiAsked) })
}
