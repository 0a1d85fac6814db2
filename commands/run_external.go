package commands

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
)

// Begin marks the external action that comes next as started, as of now. This is stored before the action is sent. One
// that an earlier process started comes here only if its repetition is harmless.
func Begin(e *domain.Execution, now time.Time) {
	e.Status, e.StartedAt, e.Attempt = domain.ExecStarted, &now, e.Attempt+1
}

// bindAgain renews the digests of the actions that are still to run. Earlier actions of the same approval
// have changed what the person was shown; changes from now on, while an external server is awaited, are
// not theirs.
func bindAgain(ctx context.Context, c *Catalogue, store data.Store, env Env, rest []*domain.Execution) error {
	all, err := c.describeAll(ctx, store, env, rest)
	if err != nil {
		return err
	}
	for _, d := range all {
		if d.execution.Digest != "" && d.err == nil {
			d.execution.Digest = digest(d.execution, d.card)
		}
	}
	return nil
}

// recall restores the texts of actions that ended before a crash: they are not stored.
func recall(ctx context.Context, c *Catalogue, store data.Store, env Env, actions []*domain.Execution) {
	for _, e := range actions {
		if e.Summary != (domain.Text{}) || e.StartedAt == nil {
			continue
		}
		e.Summary = domain.Same(e.Command)
		if entry := c.entry(&env, e.Command); entry != nil && entry.describe != nil {
			if d, err := entry.describe(ctx, c.call(store, env, e)); err == nil && d.text != (domain.Text{}) {
				e.Summary = d.text
			}
		}
	}
}

// Again plans an action of unknown outcome as a new one, with a key of its own, which needs an approval in
// any case.
func Again(ctx context.Context, c *Catalogue, store data.Store, env Env, sent *domain.Execution) (*domain.PlannedCommands, error) {
	entry := c.entry(&env, sent.Command)
	if entry == nil || !entry.external() {
		return nil, domain.Invalid("/outcome", "not_offered", "%s is not offered any more, so it cannot be run again. Nothing was changed.", sent.Command)
	}
	x := &domain.Execution{
		ID: env.NewID(domain.PrefixExecution), WorkspaceID: sent.WorkspaceID, SessionID: sent.SessionID,
		Command: sent.Command, Params: sent.Params, CommandID: sent.CommandID, Repeat: true,
		Kind: domain.KindAction, Effect: entry.spec.Effect, Foreign: entry.spec.Foreign(), Status: domain.ExecPlanned, CreatedAt: env.Now,
	}
	env.Unsettled = map[string]bool{sent.CommandID: true}
	planned := &domain.PlannedCommands{Actions: []*domain.Execution{x}}
	var err error
	planned.Reasons, planned.Cards, err = c.demands(ctx, store, env, planned.Actions, false)
	return planned, err
}
