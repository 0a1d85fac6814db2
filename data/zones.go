package data

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

var colourPattern = regexp.MustCompile(`^(#[0-9A-Fa-f]{3}|#[0-9A-Fa-f]{6}|[a-z]{1,30})?$`)

func checkZone(z *userdata.Zone) error {
	err := checkNamed(z.Name, z.Description)
	if err == nil && !colourPattern.MatchString(z.Colour) {
		err = domain.Invalid("/colour", "format", "A colour is written like #2563eb, or as a name like teal.")
	}
	return err
}

// CreateZone adds a zone.
func (r *Rules) CreateZone(ctx context.Context, store Zones, env Env, in userdata.ZoneFields) (*userdata.Zone, domain.DataChange, error) {
	zone := userdata.Zone{
		ID: env.NewID(domain.PrefixZone), WorkspaceID: env.WorkspaceID, ZoneFields: in, Trust: env.Writer.Created(in),
		Version: 1, CreatedAt: env.Now, UpdatedAt: env.Now,
	}
	if err := checkZone(&zone); err != nil {
		return nil, domain.DataChange{}, err
	}
	if err := store.InsertZone(ctx, &zone); err != nil {
		return nil, domain.DataChange{}, fmt.Errorf("insert the zone: %w", err)
	}
	return &zone, env.change("zone", zone.ID, "created"), nil
}

// UpdateZone changes a zone.
func (r *Rules) UpdateZone(ctx context.Context, store Zones,
	env Env, zone *userdata.Zone, p userdata.ZonePatch) (domain.DataChange, error) {
	if err := p.Apply(&zone.ZoneFields); err != nil {
		return domain.DataChange{}, err
	}
	zone.UpdatedAt, zone.Trust = env.Now, env.Writer.Changed(zone.Trust, json.RawMessage(p))
	if err := checkZone(zone); err != nil {
		return domain.DataChange{}, err
	}
	if err := store.UpdateZone(ctx, zone); err != nil {
		return domain.DataChange{}, changedMeanwhile(err, "update the zone")
	}
	return env.change("zone", zone.ID, "updated"), nil
}

// DeleteZone deletes a zone; one that holds tools only with force, and they go with
// it.
func (r *Rules) DeleteZone(ctx context.Context, store Store, env Env, zone *userdata.Zone, force bool) (domain.DataChange, error) {
	tools, err := store.Tools(ctx, zone.ID)
	if err != nil {
		return domain.DataChange{}, fmt.Errorf("read the zone's tools: %w", err)
	}
	if len(tools) > 0 && !force {
		return domain.DataChange{}, domain.Errorf(domain.CodeNotEmpty,
			"The zone %s holds %s. Nothing was deleted. With force, they are deleted too.",
			jsonbody.Quote(zone.Name), domain.Plural(len(tools), "tool", "tools"))
	}
	if err := store.DeleteZone(ctx, zone.ID, env.Now); err != nil {
		return domain.DataChange{}, changedMeanwhile(err, "delete the zone")
	}
	return env.change("zone", zone.ID, "deleted"), nil
}
