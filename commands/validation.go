package commands

import (
	"context"
	"errors"
	"slices"

	"github.com/fermata-dev/fermata/commands/origins"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
)

// described is an action with its card.
type described struct {
	execution *domain.Execution
	card      card
	role      domain.Role   // that the command needs
	err       *domain.Error // its target does not exist
	read      *origins.Store
}

// describeAll makes the cards of the actions that are to run, as the data is now.
func (c *Catalogue) describeAll(ctx context.Context, store data.Store, env Env, actions []*domain.Execution) ([]described, error) {
	var all []described
	var earlier []*domain.Execution
	for _, e := range actions {
		entry := c.entry(&env, e.Command)
		if e.Status.Final() || entry == nil || entry.describe == nil {
			continue
		}
		read := origins.Watch(store)
		target := c.call(read, env, e)
		target.earlier = slices.Clone(earlier)
		earlier = append(earlier, e)
		d := described{execution: e, role: entry.spec.Role, read: read}
		var err error
		d.card, err = entry.describe(ctx, target)
		if err != nil && !errors.As(err, &d.err) {
			return nil, err
		}
		if d.err != nil {
			d.read.Mark(e)
		}
		if entry.terms != nil {
			d.card.terms = d.card.with(entry.terms(target))
		}
		d.card.sensitive = entry.spec.Sensitive || domain.AllowsCommand(env.Settings.SensitiveCommands, e.Command)
		if e.Summary = d.card.text; e.Summary == (domain.Text{}) {
			e.Summary = domain.Same(e.Command)
		}
		all = append(all, d)
	}
	return all, nil
}

// demands returns why an approval is required before these actions run, with a card for each. One reason
// makes all of them wait. An action that would fail is failed at once, and the others with it: no approval
// is requested for a series that cannot run. What a grant covers gives no reason.
func (c *Catalogue) demands(
	ctx context.Context, store data.Store, env Env, actions []*domain.Execution, aiAsked bool,
) ([]domain.ApprovalReason, []domain.ApprovalAction, error) {
	all, err := c.describeAll(ctx, store, env, actions)
	if err != nil || len(all) == 0 {
		return nil, nil, err
	}
	reasons := reasonsFor(&env, c.cover(&env, all, aiAsked), aiAsked)
	if len(reasons) == 0 {
		markUndescribed(all)
		return nil, nil, nil
	}
	if failMissing(&env, all) {
		return nil, nil, nil
	}
	reasons = env.Approving.Reasons(reasons, actions)
	if len(reasons) == 0 { // they run without an approval, as far as they come
		return nil, cardsOf(&env, all), nil
	}
	if hopeless, err := c.failHopeless(ctx, store, env, all); err != nil || hopeless {
		return nil, nil, err
	}
	return reasons, cardsOf(&env, all), nil
}

// undescribed is the digest of an action whose card could not be made when it was planned, because its
// target was missing: which zones and tools require an approval of it is not known.
const undescribed = "undescribed"

func markUndescribed(all []described) {
	for _, d := range all {
		if d.err != nil {
			d.execution.Digest = undescribed
		}
	}
}

// appeared reports whether an action that could not be described when it was planned can be now, and
// requires an approval.
func (d *described) appeared(env *Env) bool {
	return d.execution.Digest == undescribed && d.execution.ApprovalID == "" && d.err == nil && d.asks(env, false)
}

// failMissing fails the actions whose target is missing and cancels the others; it does nothing if all
// targets exist.
func failMissing(env *Env, all []described) bool {
	return fail(env, all, func(d described) *domain.Error { return d.err })
}

// failHopeless fails the actions that would fail if they ran now, as failMissing does.
func (c *Catalogue) failHopeless(ctx context.Context, store data.Store, env Env, all []described) (bool, error) {
	if failMissing(&env, all) {
		return true, nil
	}
	actions := make([]*domain.Execution, len(all))
	for i := range all {
		actions[i] = all[i].execution
	}
	wrong, err := c.rehearse(ctx, store, env, actions)
	return err == nil && fail(&env, all, func(d described) *domain.Error { return wrong[d.execution.ID] }), err
}

func fail(env *Env, all []described, wrong func(described) *domain.Error) bool {
	if !slices.ContainsFunc(all, func(d described) bool { return wrong(d) != nil }) {
		return false
	}
	for _, d := range all {
		e := d.execution
		if err := wrong(d); err != nil {
			failAction(env, e, err)
			continue
		}
		cancelAction(env, e)
		e.Error = &domain.CommandError{
			Code:    codeEarlier,
			Message: "Another action of this answer cannot be run; nothing was run, and the person was not asked.",
		}
	}
	return true
}

func cardsOf(env *Env, all []described) []domain.ApprovalAction {
	cards := make([]domain.ApprovalAction, 0, len(all))
	for _, d := range all {
		e := d.execution
		e.Digest = digest(e, d.card)
		action := domain.ApprovalAction{ID: e.ID, Command: e.Command, Params: e.Params,
			Before: visibleJSON(d.card.before), After: visibleJSON(d.card.after),
			Digest: e.Digest, GrantID: e.GrantID, Role: d.role, Sensitive: d.card.sensitive}
		action.Say(env.Settings.Language, d.card.text, d.card.warnings...)
		for language, words := range action.Translations {
			words.After = visibleJSON(d.card.afterIn[language])
			action.Translations[language] = words
		}
		cards = append(cards, action)
	}
	return cards
}

// digest binds the command, the version of what it changes, its exact parameters, and how the approval is
// given.
func digest(e *domain.Execution, d card) string {
	if d.sensitive {
		return hash("sensitive digest", e.Command, d.version, string(e.Params))
	}
	return hash("digest", e.Command, d.version, string(e.Params))
}

// reasonsFor lists every level that asks for validation, each once.
func reasonsFor(env *Env, all []described, aiAsked bool) []domain.ApprovalReason {
	if len(all) == 0 {
		return nil
	}
	var reasons []domain.ApprovalReason
	add := func(level domain.ValidationLevel, id string, text domain.Text) {
		reason := domain.ReasonOf(level, id, text, env.Settings.Language)
		reasons = domain.WithReason(reasons, &reason)
	}
	if env.Settings.RequireValidation {
		add(
			domain.LevelWorkspace,
			"",
			domain.Say("The workspace asks for every action.", "L’espace de travail demande un accord pour chaque action."),
		)
	}
	for _, d := range all {
		for _, z := range d.card.zones {
			if z.RequireValidation {
				add(domain.LevelZone, z.ID, domain.Say("The zone %s asks for it.", "La zone %s le demande.", nameText(z.Name)))
			}
		}
	}
	for _, d := range all {
		for _, t := range d.card.tools {
			if t.RequireValidation {
				add(domain.LevelTool, t.ID, domain.Say("The tool %s asks for it.", "L’outil %s le demande.", nameText(t.Name)))
			}
		}
	}
	if env.SessionRequiresValidation {
		add(
			domain.LevelSession,
			env.SessionID,
			domain.Say("This session asks for every action.", "Cette session demande un accord pour chaque action."),
		)
	}
	if aiAsked {
		add(domain.LevelAI, "", domain.Say("The AI asked for your approval.", "L’IA demande votre accord."))
	}
	for _, d := range all {
		for _, why := range []domain.Text{d.card.always, d.card.asks} {
			if why != (domain.Text{}) {
				add(domain.LevelCommand, "", why)
			}
		}
		for _, why := range d.card.personal(d.execution.Command) {
			reason := domain.ReasonOf(domain.LevelCommand, "", why, env.Settings.Language)
			reason.Always = true
			reasons = domain.WithReason(reasons, &reason)
		}
	}
	if slices.ContainsFunc(all, func(d described) bool { return d.guarded(env) }) {
		reasons = append(reasons, env.Settings.OutsideReason(env.Taint))
	}
	return reasons
}

// personal are the reasons that neither a policy nor a grant can replace.
func (d *card) personal(command string) []domain.Text {
	var why []domain.Text
	if d.person != (domain.Text{}) {
		why = append(why, d.person)
	}
	if d.sensitive {
		why = append(why, domain.Say("%s is sensitive: it is approved with a passkey.",
			"%s est sensible : elle s’approuve avec une clé d’accès.", command))
	}
	return why
}

// guarded: it has an external or lasting effect, and the session has read external content.
func (d *described) guarded(env *Env) bool {
	return env.Taint.Guards(d.execution) || env.Taint != nil && d.card.lasts
}
