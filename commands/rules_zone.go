package commands

import (
	"context"
	"fmt"
	"regexp"

	"github.com/fermata-dev/fermata/domain"
)

// ZoneInput is a new zone.
type ZoneInput struct {
	Name              string `json:"name"`
	Description       string `json:"description,omitempty"`
	Colour            string `json:"colour,omitempty"`
	Position          int    `json:"position,omitempty"`
	RequireValidation bool   `json:"require_validation,omitempty"`
}

// ZonePatch changes a zone. Nil: unchanged. Version, if set, is the one that its
// author saw.
type ZonePatch struct {
	Name              *string
	Description       *string
	Colour            *string
	Position          *int
	RequireValidation *bool
	Version           *int64
}

var colourPattern = regexp.MustCompile(`^(#[0-9A-Fa-f]{3}|#[0-9A-Fa-f]{6}|[a-z]{1,30})?$`)

func checkZone(z *domain.Zone) error {
	err := firstError(checkName("/name", z.Name), checkText("/description", z.Description, maxDescription))
	if err == nil && !colourPattern.MatchString(z.Colour) {
		err = domain.Invalid("/colour", "format", "A colour is written like #2563eb, or as a name like teal.")
	}
	return err
}

// CreateZone adds a zone.
func (c *Catalogue) CreateZone(ctx context.Context, data ZoneData, env Env, in ZoneInput) (*domain.Zone, domain.DataChange, error) {
	zone := &domain.Zone{ID: env.NewID(domain.PrefixZone), WorkspaceID: env.WorkspaceID, Name: in.Name, Description: in.Description,
		Colour: in.Colour, Position: in.Position, RequireValidation: in.RequireValidation,
		Version: 1, CreatedAt: env.Now, UpdatedAt: env.Now}
	if err := checkZone(zone); err != nil {
		return nil, domain.DataChange{}, err
	}
	if err := data.InsertZone(ctx, zone); err != nil {
		return nil, domain.DataChange{}, fmt.Errorf("insert the zone: %w", err)
	}
	return zone, env.change("zone", zone.ID, "created"), nil
}

// UpdateZone changes a zone.
func (c *Catalogue) UpdateZone(ctx context.Context, data ZoneData, env Env, id string, p ZonePatch) (*domain.Zone, domain.DataChange, error) {
	zone, err := findZone(ctx, data, "/zone_id", id)
	if err == nil {
		err = checkVersion(p.Version, zone.Version)
	}
	if err != nil {
		return nil, domain.DataChange{}, err
	}
	p.apply(zone)
	zone.UpdatedAt = env.Now
	if err := checkZone(zone); err != nil {
		return nil, domain.DataChange{}, err
	}
	if err := data.UpdateZone(ctx, zone); err != nil {
		return nil, domain.DataChange{}, changedMeanwhile(err, "update the zone")
	}
	return zone, env.change("zone", zone.ID, "updated"), nil
}

func (p ZonePatch) apply(zone *domain.Zone) {
	set(&zone.Name, p.Name)
	set(&zone.Description, p.Description)
	set(&zone.Colour, p.Colour)
	set(&zone.Position, p.Position)
	set(&zone.RequireValidation, p.RequireValidation)
}

// DeleteZone deletes a zone; one that holds tools only with force, and they go with
// it.
func (c *Catalogue) DeleteZone(ctx context.Context, data Data, env Env, id string, force bool) (domain.DataChange, error) {
	zone, err := findZone(ctx, data, "/zone_id", id)
	if err != nil {
		return domain.DataChange{}, err
	}
	tools, err := data.Tools(ctx, id)
	if err != nil {
		return domain.DataChange{}, fmt.Errorf("read the zone's tools: %w", err)
	}
	if len(tools) > 0 && !force {
		return domain.DataChange{}, domain.Errorf(domain.CodeNotEmpty, "The zone %s holds %s. Nothing was deleted. With force, they are deleted too.",
			quoted(zone.Name), plural(len(tools), "tool", "tools"))
	}
	if err := data.DeleteZone(ctx, id, env.Now); err != nil {
		return domain.DataChange{}, changedMeanwhile(err, "delete the zone")
	}
	return env.change("zone", id, "deleted"), nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
