package commands

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

type noParams struct{}

type zoneParams struct {
	ZoneID string `json:"zone_id"`
}

const zoneIDProperty = `"zone_id": {"type": "string"}`

func zoneQueries() []*command {
	return []*command{
		newQuery("ZONES", domain.RoleViewer, "List the zones.", ``,
			func(_ context.Context, c *call, _ noParams) domain.Text {
				return domain.Say("List the zones", "Lister les zones")
			},
			listZones),
		newQuery("ZONE_CONFIG", domain.RoleViewer, "Show a zone with its settings.", zoneIDProperty,
			func(ctx context.Context, c *call, p zoneParams) domain.Text {
				return domain.Say("Read the zone %s", "Lire la zone %s", c.zoneName(ctx, p.ZoneID))
			}, showZone).require("zone_id"),
	}
}

// require names the params that must be there.
func (c *command) require(names ...string) *command {
	add := func(own json.RawMessage) json.RawMessage {
		required, _ := json.Marshal(names) // strings only: it cannot fail
		return schema.Compact(string(own[:len(own)-1]) + `,"required":` + string(required) + "}")
	}
	c.own, c.spec.Params = add(c.own), add(c.spec.Params)
	return c
}

// zoneRow is a zone as the AI reads it.
type zoneRow struct {
	ID                string `json:"id"`
	Name              string `json:"name"`
	Description       string `json:"description,omitempty"`
	RequireValidation bool   `json:"require_validation,omitempty"`
}

func listZones(ctx context.Context, c *call, _ noParams) (answer, error) {
	zones, err := c.store.Zones(ctx)
	if err != nil {
		return answer{}, fmt.Errorf("read the zones: %w", err)
	}
	a := answer{head: domain.Plural(len(zones), "zone", "zones") + ":", key: "zones",
		count: domain.Count(len(zones), "zone", "zones", "zone", "zones")}
	for _, z := range zones {
		a.rows = append(a.rows, jsonbody.Encode(zoneRow{z.ID, z.Name, z.Description, z.RequireValidation}))
	}
	return a, nil
}

func showZone(ctx context.Context, c *call, p zoneParams) (answer, error) {
	zone, err := c.zone(ctx, "/zone_id", p.ZoneID)
	if err != nil {
		return answer{}, err
	}
	return answer{head: "The zone " + jsonbody.Quote(zone.Name) + ":", body: jsonbody.Encode(zoneView(zone))}, nil
}

// zoneSettings is a zone with what people and the AI set of it.
type zoneSettings struct {
	ID string `json:"id,omitempty"`
	userdata.ZoneFields
}

func zoneView(z *userdata.Zone) zoneSettings { return zoneSettings{z.ID, z.ZoneFields} }
