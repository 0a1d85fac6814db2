package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/commands/origins"
	"github.com/fermata-dev/fermata/commands/trial"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// perform carries out one action on this data, with all its checks: rights, parameters, references, the
// rules of what it changes. There is no other way to run an action: planned and edited actions are
// performed on data that is discarded (rehearse), so that no check is weaker than at run time. made is how many
// automations the actions before it made.
func (c *Catalogue) perform(ctx context.Context, store data.Store, env Env, e *domain.Execution, made int) (done, error) {
	entry := c.entry(&env, e.Command)
	if entry == nil || entry.run == nil {
		return done{}, domain.Errorf(domain.Code(codeUnknown), "There is no action %s.", jsonbody.Quote(e.Command))
	}
	if err := entry.forbidden(&env); err != nil {
		return done{}, err
	}
	if err := c.schemas.Check(entry.own, e.Params, ""); err != nil {
		return done{}, err
	}
	within, cancel := context.WithTimeout(ctx, entry.spec.Timeout)
	defer cancel()
	target := c.call(store, env, e)
	target.made = made
	result, err := entry.run(within, target)
	if err != nil {
		return done{}, timedOut(within, ctx, err, entry.spec)
	}
	return result, nil
}

// rehearse performs the actions that have no result yet, in their order, on data that is discarded, and
// returns the errors of those that would fail, by id. It continues after a failure, so that each is
// checked. External actions cannot be rehearsed.
func (c *Catalogue) rehearse(
	ctx context.Context, store data.Store, env Env, actions []*domain.Execution,
) (map[string]*domain.Error, error) {
	discarded := trial.New(store)
	named, made := 0, 0
	env.NewID = func(prefix string) string { named++; return fmt.Sprintf("%s_rehearsed_%d", prefix, named) }
	wrong := map[string]*domain.Error{}
	for _, e := range actions {
		entry := c.entry(&env, e.Command)
		if e.Status.Final() || entry != nil && entry.external() {
			continue
		}
		read := origins.Watch(discarded)
		result, err := c.perform(ctx, read, env, e, made)
		var known *domain.Error
		switch {
		case err == nil:
			if result.made != nil {
				made++
			}
		case errors.As(err, &known):
			wrong[e.ID] = known
			read.Mark(e)
		default:
			return nil, err
		}
	}
	return wrong, nil
}
