package data

import (
	"context"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// RestoreZone undoes the deletion of a zone: it is restored with the tools and entries that were deleted
// with it. An existing zone is returned unchanged, without a change.
func (r *Rules) RestoreZone(ctx context.Context, store Store, env Env, id string) (*userdata.Zone, []domain.DataChange, error) {
	back, err := store.RestoreZone(ctx, id, env.Now.Add(-userdata.UndoWithin))
	if err != nil {
		return nil, nil, restoring(err, "zone")
	}
	zone, err := store.Zone(ctx, id)
	if err != nil || !back {
		return zone, nil, err
	}
	tools, err := store.Tools(ctx, id)
	if err != nil {
		return nil, nil, fmt.Errorf("read the zone's tools: %w", err)
	}
	if err := r.stillFit(ctx, store, tools); err != nil {
		return nil, nil, err
	}
	return zone, []domain.DataChange{env.change("zone", id, "restored")}, nil
}

// RestoreTool undoes the deletion of a tool, with the entries that went with it.
func (r *Rules) RestoreTool(ctx context.Context, store Store, env Env, id string) (*userdata.Tool, []domain.DataChange, error) {
	back, err := store.RestoreTool(ctx, id, env.Now.Add(-userdata.UndoWithin))
	if err != nil {
		return nil, nil, restoring(err, "tool")
	}
	tool, err := store.Tool(ctx, id)
	if err != nil || !back {
		return tool, nil, err
	}
	if err := r.stillFit(ctx, store, []userdata.Tool{*tool}); err != nil {
		return nil, nil, err
	}
	return tool, []domain.DataChange{toolChange(&env, tool, "restored")}, nil
}

// RestoreEntry undoes the deletion of an entry.
func (r *Rules) RestoreEntry(ctx context.Context, store Store, env Env, id string) (*userdata.Entry, []domain.DataChange, error) {
	back, err := store.RestoreEntry(ctx, id, env.Now.Add(-userdata.UndoWithin))
	if err != nil {
		return nil, nil, restoring(err, "entry")
	}
	entry, err := store.Entry(ctx, id)
	if err != nil || !back {
		return entry, nil, err
	}
	tool, t, err := r.typedTool(ctx, store, entry.ToolID)
	if err != nil {
		return nil, nil, err
	}
	if err := r.checkData(t, tool, entry.Data, ""); err != nil {
		fit := fitting{t: t, rows: 1}
		fit.misfit("/entry_schema", "entry", id, err)
		return nil, nil, fit.verdict()
	}
	return entry, []domain.DataChange{entryChange(&env, tool, id, "restored", 1)}, nil
}

// RestoreDocument undoes the deletion of a document.
func (r *Rules) RestoreDocument(ctx context.Context, store Store, env Env, id string) (*userdata.Document, []domain.DataChange, error) {
	back, err := store.RestoreDocument(ctx, id, env.Now.Add(-userdata.UndoWithin))
	if err != nil {
		return nil, nil, restoring(err, "document")
	}
	doc, err := store.DocumentByID(ctx, id)
	if err != nil || !back {
		return doc, nil, err
	}
	return doc, []domain.DataChange{env.change("document", id, "restored")}, nil
}

// stillFit refuses to restore tools whose type has changed, or has been deleted, since: stored data must
// satisfy the rules of its type.
func (r *Rules) stillFit(ctx context.Context, store Store, tools []userdata.Tool) error {
	types, err := AllToolTypes(ctx, store)
	if err != nil {
		return err
	}
	known := map[string]*userdata.ToolType{}
	for i := range types {
		known[types[i].ID] = &types[i]
	}
	for _, tool := range tools {
		t := known[tool.ToolType]
		if t == nil {
			return domain.Errorf(domain.CodeTypeMisfit,
				"The tool %s (%s) has the type %s, which was deleted since. Nothing was changed; create the type again, then repeat.",
				jsonbody.Quote(tool.Name), tool.ID, jsonbody.Quote(tool.ToolType))
		}
		if t.BuiltIn {
			continue // these do not change
		}
		fit := fitting{rules: r, store: store, t: t, configs: true, entries: true}
		if err := fit.these(ctx, []userdata.Tool{tool}); err != nil {
			return err
		}
	}
	return nil
}

// restoring keeps errors of the data that are for people, and explains the rest.
func restoring(err error, noun string) error {
	if _, known := errors.AsType[*domain.Error](err); known {
		return err
	}
	return fmt.Errorf("restore the %s: %w", noun, err)
}
