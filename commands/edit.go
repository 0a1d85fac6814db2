package commands

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Edit makes copies of the actions whose parameters a person replaced, with new digests. They are
// validated as at run time: with the other approved actions of the series (none named: all), in their
// order, on data that is discarded. All errors are reported at once, below /edits/{id}.
func (c *Catalogue) Edit(
	ctx context.Context,
	store data.Store,
	env Env,
	actions []*domain.Execution,
	approved []string,
	edits map[string]json.RawMessage,
) ([]*domain.Execution, error) {
	var series, edited []*domain.Execution
	var wrong editErrors
	for _, e := range actions {
		params, isEdited := edits[e.ID]
		if e.Status.Final() || !isEdited && len(approved) > 0 && !slices.Contains(approved, e.ID) {
			continue
		}
		own := *e
		if isEdited {
			if err := c.rewrite(&env, &own, params); err != nil {
				wrong.add(e.ID, err)
				continue
			}
			edited = append(edited, &own)
		}
		series = append(series, &own)
	}
	if err := wrong.err(); err != nil || len(edited) == 0 {
		return nil, err
	}
	return edited, c.checkEdited(ctx, store, env, series, edited)
}

// rewrite gives an action a person's parameters.
func (c *Catalogue) rewrite(env *Env, e *domain.Execution, params json.RawMessage) error {
	entry := c.entry(env, e.Command)
	if entry == nil || entry.describe == nil {
		return domain.Errorf(domain.CodeInvalid, "%s cannot be edited.", jsonbody.Quote(e.Command))
	}
	own, _, err := canonical(params, entry.flags()...)
	if err != nil {
		return err
	}
	e.Params, e.CommandID = own, commandID(e.Command, own)
	return c.schemas.Check(entry.own, own, "") // before anything is described by it
}

// checkEdited performs a series in which some actions are edited, without keeping it, and
// binds the edited ones to what they would change.
func (c *Catalogue) checkEdited(ctx context.Context, store data.Store, env Env, series, edited []*domain.Execution) error {
	fails, err := c.rehearse(ctx, store, env, series)
	if err != nil {
		return err
	}
	all, err := c.describeAll(ctx, store, env, series)
	if err != nil {
		return err
	}
	var wrong editErrors
	for _, d := range all {
		e := d.execution
		switch {
		case !slices.Contains(edited, e):
		case fails[e.ID] != nil:
			wrong.add(e.ID, fails[e.ID])
		case d.err != nil:
			wrong.add(e.ID, d.err)
		default:
			e.Digest = digest(e, d.card)
		}
	}
	return wrong.err()
}

// editErrors collects the errors of edited actions: always as invalid values of the request (422),
// regardless of the action's own error.
type editErrors struct{ found *domain.Error }

func (m *editErrors) add(id string, err error) {
	cause := commandError(err)
	fields := cause.Fields
	if len(fields) == 0 {
		fields = []domain.FieldError{{Code: cause.Code, Message: cause.Message}}
	}
	if m.found == nil {
		m.found = &domain.Error{Code: domain.CodeInvalid, Message: cause.Message}
	}
	for _, f := range fields {
		f.Pointer = "/edits/" + id + f.Pointer
		m.found.Fields = append(m.found.Fields, f)
	}
}

func (m *editErrors) err() error {
	if m.found == nil {
		return nil
	}
	return m.found
}
