package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/commands/origins"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
)

// ActionOutcome is the outcome of a series of actions. With Stale set, nothing was run: a record changed
// since the person saw it, and a new approval is needed.
type ActionOutcome struct {
	Failed bool
	Stale  *domain.PlannedCommands
	// Next is the external action that comes next, if the series stops there. The caller begins it (Begin) and stores
	// that, then sends it (Send), and continues the series with its outcome.
	Next    *domain.Execution
	Changes []domain.DataChange
	// Made are the automations that actions made, to be written with their outcome.
	Made []*domain.Change
}

// RunActions runs the actions that have no result yet, in order, inside the caller's
// transaction and each in a savepoint, up to the next that another server carries out. The
// first failure cancels the rest; what was done stays. An error means that the transaction
// must be rolled back.
func (c *Catalogue) RunActions(
	ctx context.Context,
	store data.Store,
	env Env,
	actions []*domain.Execution,
	savepoint func(context.Context, func() error) error,
) (ActionOutcome, error) {
	stale, err := c.checkApproved(ctx, store, env, actions)
	if err != nil || stale != nil {
		return ActionOutcome{Stale: stale}, err
	}
	var outcome ActionOutcome
	for _, e := range actions {
		outcome.Failed = outcome.Failed || failed(e)
	}
	for i, e := range actions {
		if e.Status.Final() {
			continue
		}
		if outcome.Failed {
			cancelAction(&env, e)
			continue
		}
		if entry := c.entry(&env, e.Command); entry != nil && entry.external() {
			if e.Status == domain.ExecStarted && e.Effect == domain.EffectNonIdempotent {
				SetUnknown(&env, e, "The server stopped while it was being sent.")
				outcome.Failed = true
				continue
			}
			outcome.Next = e
			return outcome, bindAgain(ctx, c, store, env, actions[i+1:])
		}
		result, err := c.runAction(ctx, store, env, e, len(outcome.Made), savepoint)
		if err != nil {
			return ActionOutcome{}, fmt.Errorf("run %s: %w", e.Command, err)
		}
		outcome.add(e, result)
	}
	recall(ctx, c, store, env, actions)
	return outcome, nil
}

// add takes over what an action did.
func (o *ActionOutcome) add(e *domain.Execution, result done) {
	o.Failed, o.Changes = failed(e), append(o.Changes, result.changes...)
	if result.made != nil {
		o.Made = append(o.Made, result.made)
	}
}

func failed(e *domain.Execution) bool {
	return e.Status == domain.ExecFailed || e.Status == domain.ExecUnknown
}

// checkApproved compares what would run with what the person was shown. All of it is compared before
// anything runs, because the actions change versions themselves. A grant that is no longer valid is no
// approval either.
func (c *Catalogue) checkApproved(
	ctx context.Context, store data.Store, env Env, actions []*domain.Execution,
) (*domain.PlannedCommands, error) {
	approved, changed, appeared := false, false, false
	all, err := c.describeAll(ctx, store, env, actions)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		appeared = appeared || d.appeared(&env)
		if e := d.execution; e.ApprovalID != "" && e.Digest != "" {
			approved = true
			changed = changed || d.err == nil && digest(e, d.card) != e.Digest
		}
	}
	ungranted := c.ungranted(&env, all)
	// A target that is gone cannot be shown again: the action fails, with nothing done.
	if !approved && !ungranted && !appeared || failMissing(&env, all) || !changed && !ungranted && !appeared {
		return nil, nil
	}
	if hopeless, err := c.failHopeless(ctx, store, env, all); err != nil || hopeless {
		return nil, err
	}
	why := recordChanged()
	switch {
	case ungranted:
		why = domain.Say("A grant that covered this was withdrawn, has expired or is used up.",
			"Une autorisation qui couvrait ceci a été retirée, a expiré ou est épuisée.")
	case appeared:
		why = domain.Say("What it changes was added after it was planned.", "Ce qu’elle modifie a été ajouté après sa préparation.")
	}
	return c.showAgain(ctx, store, env, actions, why)
}

func recordChanged() domain.Text {
	return domain.Say("A record changed since you were shown it.", "Une donnée a changé depuis qu’elle vous a été montrée.")
}

// Stale compares what a person is about to approve with what they were shown: nil when
// it is still the same, else the cards with the present values. approved are the
// actions that count; none means all. Nothing given is changed.
func (c *Catalogue) Stale(
	ctx context.Context, store data.Store, env Env, actions []*domain.Execution, approved []string,
) (*domain.PlannedCommands, error) {
	now := make([]*domain.Execution, len(actions))
	for i, e := range actions {
		own := *e
		now[i] = &own
	}
	all, err := c.describeAll(ctx, store, env, now)
	if err != nil {
		return nil, err
	}
	changed := false
	for _, d := range all {
		counts := len(approved) == 0 || slices.Contains(approved, d.execution.ID)
		changed = changed || counts && d.err == nil && d.execution.Digest != "" && digest(d.execution, d.card) != d.execution.Digest
	}
	if !changed {
		return nil, nil
	}
	if hopeless, err := c.failHopeless(ctx, store, env, all); err != nil || hopeless {
		return nil, err
	}
	return c.showAgain(ctx, store, env, now, recordChanged())
}

// showAgain makes new cards of actions that a person must approve again, with the reason.
func (c *Catalogue) showAgain(
	ctx context.Context, store data.Store, env Env, actions []*domain.Execution, why domain.Text,
) (*domain.PlannedCommands, error) {
	stale := &domain.PlannedCommands{Actions: make([]*domain.Execution, len(actions))}
	for i, e := range actions {
		again := *e
		if !e.Status.Final() {
			again.Status, again.ApprovalID, again.Digest = domain.ExecPlanned, "", ""
		}
		stale.Actions[i] = &again
	}
	all, err := c.describeAll(ctx, store, env, stale.Actions)
	if err != nil {
		return nil, err
	}
	stale.Reasons = append(reasonsFor(&env, c.cover(&env, all, false), false),
		domain.ReasonOf(domain.LevelCommand, "", why, env.Settings.Language))
	stale.Cards = cardsOf(&env, all)
	return stale, nil
}

// runAction runs one action and fills its outcome. Only errors that concern the whole
// transaction are returned.
func (c *Catalogue) runAction(
	ctx context.Context,
	store data.Store,
	env Env,
	e *domain.Execution,
	made int,
	savepoint func(context.Context, func() error) error,
) (done, error) {
	started := env.time()
	e.StartedAt, e.Attempt = &started, e.Attempt+1
	var result done
	read := origins.Watch(store)
	defer read.Mark(e)
	// The savepoint has the outer context: it must be able to roll back when the action's
	// own time is up.
	err := savepoint(ctx, func() error {
		var err error
		result, err = c.perform(ctx, read, env, e, made)
		return err
	})
	if err != nil {
		var known *domain.Error
		if !errors.As(err, &known) {
			return done{}, err
		}
		failAction(&env, e, known)
		return done{}, nil
	}
	e.Status, e.EndedAt = domain.ExecSuccess, new(env.time())
	e.Result, e.Text, e.Summary = result.result, result.text, result.summary
	return result, nil
}

func failAction(env *Env, e *domain.Execution, err error) {
	e.Status, e.Error, e.EndedAt = domain.ExecFailed, commandError(err), new(env.time())
	// The reason is in the error, which is for the AI: people see a text for its code.
	e.Summary = domain.Say("Failed: %s", "Échec : %s", whatOf(e))
}

func cancelAction(env *Env, e *domain.Execution) {
	e.Status, e.EndedAt = domain.ExecCancelled, new(env.time())
	e.Error = &domain.CommandError{Code: codeEarlier, Message: "An action before it failed, so it was not run. What was done before stays."}
	e.Summary = domain.Say("Not done: %s", "Pas fait : %s", whatOf(e))
}

// whatOf describes an action, also if it can no longer be described from the data. External commands keep
// their names.
func whatOf(x *domain.Execution) domain.Text {
	if x.Summary == (domain.Text{}) || x.Summary == domain.Same(x.Command) && x.Foreign == nil {
		return domain.Say("a change", "une modification")
	}
	return x.Summary
}

func summaryOf(e *domain.Execution) domain.Text { return cmp.Or(e.Summary, domain.Same(e.Command)) }
