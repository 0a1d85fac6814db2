package suite

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository"
)

// ceilings: as many of a noun as the contract says, not one more, and again one when one was
// deleted; what another workspace has does not count.
func ceilings(w *world) {
	ctx := w.Context()
	// Data is inserted many at a time, as imports do.
	inData := func(insert func(ctx context.Context, d *repository.Data, i int) error) func(from, to int) error {
		return func(from, to int) error {
			return w.tryWrite(func(ctx context.Context, d *repository.Data) error {
				for i := from; i < to; i++ {
					if err := insert(ctx, d, i); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	each := func(insert func(i int) error) func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				if err := insert(i); err != nil {
					return err
				}
			}
			return nil
		}
	}
	key := func(workspace string, i int) *people.Key {
		id := fmt.Sprintf("key_%s_%d", workspace, i)
		return &people.Key{ID: id, WorkspaceID: workspace, Role: domain.RoleAdmin, Hash: id, CreatedAt: T0}
	}
	w.ok(w.Keys.InsertKey(ctx, key("other", 0), nil))
	for _, c := range []struct {
		noun   string
		most   int
		insert func(from, to int) error
	}{
		{"zones", 500, inData(func(ctx context.Context, d *repository.Data, i int) error {
			return d.InsertZone(ctx, zone(fmt.Sprintf("zon_%d", i), "z"))
		})},
		{"tools", 2000, inData(func(ctx context.Context, d *repository.Data, i int) error {
			return d.InsertTool(ctx, tool(fmt.Sprintf("tol_%d", i), "zon_0", "t"))
		})},
		{"tool types", 200, inData(func(ctx context.Context, d *repository.Data, i int) error {
			return d.InsertToolType(ctx, &userdata.ToolType{
				ID:             fmt.Sprintf("type_%d", i),
				ToolTypeFields: userdata.ToolTypeFields{Name: "t", ConfigSchema: json.RawMessage(`{}`), EntrySchema: json.RawMessage(`{}`)},
				CreatedAt:      T0,
				UpdatedAt:      T0,
			})
		})},
		{"documents", 1000, inData(func(ctx context.Context, d *repository.Data, i int) error {
			id := fmt.Sprintf("doc_%d", i)
			return d.PutDocument(ctx, &userdata.Document{ID: id, Key: id, CreatedAt: T0, UpdatedAt: T0})
		})},
		{"keys", 500, each(func(i int) error { return w.Keys.InsertKey(ctx, key(domain.DefaultWorkspace, i), nil) })},
		{"providers", 100, each(func(i int) error {
			return w.Providers.InsertProvider(ctx, &outside.Provider{ID: fmt.Sprintf("prv_%d", i), WorkspaceID: domain.DefaultWorkspace,
				Config: json.RawMessage(`{}`), CreatedAt: T0, UpdatedAt: T0})
		})},
		{"connectors", 50, each(func(i int) error {
			return w.Connectors.InsertConnector(ctx, connector(fmt.Sprintf("con_%d", i), fmt.Sprintf("C%d", i)))
		})},
		{"agents", 100, each(func(i int) error {
			return w.Agents.InsertAgent(ctx, definition(fmt.Sprintf("agt_%d", i), fmt.Sprintf("agent%d", i)))
		})},
	} {
		if err := c.insert(0, c.most); err != nil {
			w.Fatalf("%d %s: %v", c.most, c.noun, err)
		}
		w.code(c.insert(c.most, c.most+1), domain.CodeTooMany)
	}
	w.ok(w.Keys.RevokeKey(ctx, domain.DefaultWorkspace, "key_"+domain.DefaultWorkspace+"_0", nil))
	w.ok(w.Keys.InsertKey(ctx, key(domain.DefaultWorkspace, 500), nil))
}
