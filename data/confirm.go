package data

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Confirmations records that people have read the external content of rows. Everything about that is the same for all nouns
// but where the record is and how the row is stored.
type Confirmations struct{ Service *Service }

// confirm confirms one row, if it has external content.
func confirm[T any](
	ctx context.Context, c Confirmations, of noun[T], r ref, by domain.Author, record func(*T) *trust.Record,
	store func(context.Context, Store, *T) error, changed func(context.Context, Store, *Env, *T) (domain.DataChange, error),
) (*T, int64, error) {
	return change(ctx, c.Service, of, r, func(ctx context.Context, data Store, env Env, row *T) ([]domain.DataChange, error) {
		own := record(row)
		if own.Level != trust.Outside {
			return nil, nil
		}
		*own = trust.Confirm(by.ID, env.Now)
		if err := store(ctx, data, row); err != nil {
			return nil, fmt.Errorf("confirm the %s: %w", of.name, err)
		}
		return one(changed(ctx, data, &env, row))
	})
}

// updatedAs is the change of a row that an event shows without its tool.
func updatedAs[T any](noun string, id func(*T) string) func(context.Context, Store, *Env, *T) (domain.DataChange, error) {
	return func(_ context.Context, _ Store, env *Env, row *T) (domain.DataChange, error) {
		return env.change(noun, id(row), "updated"), nil
	}
}

// ConfirmZone confirms the texts of a zone.
func (c Confirmations) ConfirmZone(
	ctx context.Context, workspace, id string, version int64, by domain.Author,
) (*userdata.Zone, int64, error) {
	return confirm(ctx, c, aZone, ref{workspace, id, version}, by, func(z *userdata.Zone) *trust.Record { return &z.Trust },
		func(ctx context.Context, store Store, z *userdata.Zone) error { return store.UpdateZone(ctx, z) },
		updatedAs("zone", func(z *userdata.Zone) string { return z.ID }))
}

// ConfirmTool confirms the texts of a tool.
func (c Confirmations) ConfirmTool(
	ctx context.Context, workspace, id string, version int64, by domain.Author,
) (*userdata.Tool, int64, error) {
	return confirm(ctx, c, aTool, ref{workspace, id, version}, by, func(t *userdata.Tool) *trust.Record { return &t.Trust },
		func(ctx context.Context, store Store, t *userdata.Tool) error { return store.UpdateTool(ctx, t) },
		func(_ context.Context, _ Store, env *Env, t *userdata.Tool) (domain.DataChange, error) {
			return toolChange(env, t, "updated"), nil
		})
}

// ConfirmToolType confirms the texts of a tool type.
func (c Confirmations) ConfirmToolType(
	ctx context.Context, workspace, id string, version int64, by domain.Author,
) (*userdata.ToolType, int64, error) {
	return confirm(ctx, c, aToolType, ref{workspace, id, version}, by, func(t *userdata.ToolType) *trust.Record { return &t.Trust },
		func(ctx context.Context, store Store, t *userdata.ToolType) error {
			return store.UpdateToolType(ctx, t)
		},
		updatedAs("tool_type", func(t *userdata.ToolType) string { return t.ID }))
}

// ConfirmEntry confirms the data of an entry.
func (c Confirmations) ConfirmEntry(
	ctx context.Context, workspace, id string, version int64, by domain.Author,
) (*userdata.Entry, int64, error) {
	return confirm(ctx, c, anEntry, ref{workspace, id, version}, by, func(e *userdata.Entry) *trust.Record { return &e.Trust },
		func(ctx context.Context, store Store, e *userdata.Entry) error { return store.UpdateEntries(ctx, e) },
		func(ctx context.Context, store Store, env *Env, e *userdata.Entry) (domain.DataChange, error) {
			tool, err := store.Tool(ctx, e.ToolID)
			if err != nil {
				return domain.DataChange{}, err
			}
			return entryChange(env, tool, e.ID, "updated", 1), nil
		})
}

// ConfirmDocument confirms the texts of a document, its draft and what is published.
func (c Confirmations) ConfirmDocument(
	ctx context.Context, workspace, id string, version int64, by domain.Author,
) (*userdata.Document, int64, error) {
	return confirm(ctx, c, aDocument, ref{workspace, id, version}, by, func(d *userdata.Document) *trust.Record { return &d.Trust },
		func(ctx context.Context, store Store, d *userdata.Document) error { return store.PutDocument(ctx, d) },
		updatedAs("document", func(d *userdata.Document) string { return d.ID }))
}
