package commands

import (
	"context"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain/userdata"
)

func (c *call) rules() *data.Rules { return c.catalogue.rules }

// zone finds a zone; the error for an unknown id lists the zones there are.
func (c *call) zone(ctx context.Context, pointer, id string) (*userdata.Zone, error) {
	return data.FindZone(ctx, c.store, pointer, id)
}

func (c *call) tool(ctx context.Context, pointer, id string) (*userdata.Tool, error) {
	return data.FindTool(ctx, c.store, pointer, id)
}
