package commands

import (
	"context"
	"fmt"
	"strconv"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/mergepatch"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

var zoneProperties = schema.Properties[userdata.ZoneFields](map[string]string{
	"name":               `"minLength": 1`,
	"colour":             `"description": "Like teal or #2563eb."`,
	"require_validation": `"description": "Ask before it changes."`,
})

type updateZoneParams struct {
	ZoneID string
	Patch  userdata.ZonePatch
}

func (p *updateZoneParams) UnmarshalJSON(text []byte) (err error) {
	p.ZoneID, p.Patch, err = mergepatch.IDAndPatch[userdata.ZoneFields](text, "zone_id")
	return err
}

type deleteZoneParams struct {
	ZoneID string `json:"zone_id"`
	Force  bool   `json:"force,omitempty"`
}

func zoneActions() []*command {
	return []*command{
		newAction("CREATE_ZONE", domain.RoleMember, domain.EffectNonIdempotent, "Add a zone.",
			zoneProperties, describeCreateZone, runCreateZone).require("name"),
		newAction("UPDATE_ZONE", domain.RoleMember, domain.EffectIdempotent, "Change a zone: give only what changes.",
			zoneIDProperty+", "+zoneProperties, describeUpdateZone, runUpdateZone).require("zone_id"),
		newAction(
			"DELETE_ZONE",
			domain.RoleMember,
			domain.EffectIdempotent,
			"Delete a zone; force deletes its tools too.",
			zoneIDProperty+`, "force": {"type": "boolean"}`,
			describeDeleteZone,
			runDeleteZone,
		).require("zone_id").forceTerms(),
	}
}

func describeCreateZone(_ context.Context, c *call, p userdata.ZoneFields) (card, error) {
	return card{text: domain.Say("Add the zone %s", "Ajouter la zone %s", nameText(p.Name)), after: jsonbody.EncodeGiven(p)}, nil
}

func runCreateZone(ctx context.Context, c *call, p userdata.ZoneFields) (done, error) {
	zone, change, err := c.rules().CreateZone(ctx, c.store, c.env.Env, p)
	if err != nil {
		return done{}, err
	}
	return changed(zone.ID, change,
		fmt.Sprintf("Created the zone %s with the id %s.", jsonbody.Quote(zone.Name), zone.ID),
		domain.Say("Added the zone %s", "Zone %s ajoutée", nameText(zone.Name)))
}

func describeUpdateZone(ctx context.Context, c *call, p updateZoneParams) (card, error) {
	zone, err := c.zone(ctx, "/zone_id", p.ZoneID)
	if err != nil {
		return card{}, err
	}
	after := *zone
	if err := p.Patch.Apply(&after.ZoneFields); err != nil {
		return card{}, err
	}
	d := card{text: domain.Say("Change the zone %s", "Modifier la zone %s", nameText(zone.Name)),
		zones: []*userdata.Zone{zone}, version: strconv.FormatInt(zone.Version, 10)}
	d.before, d.after = diff(zoneView(zone), zoneView(&after))
	if zone.RequireValidation && !after.RequireValidation {
		d.warnings = append(d.warnings, domain.Say("From then on, changes in this zone no longer ask for your approval.",
			"Ensuite, les modifications dans cette zone ne demanderont plus votre accord."))
	}
	return d, nil
}

func runUpdateZone(ctx context.Context, c *call, p updateZoneParams) (done, error) {
	if p.Patch.Empty() {
		return done{}, domain.Invalid("", "empty", "Nothing would change: give at least one field beside zone_id.")
	}
	zone, err := c.zone(ctx, "/zone_id", p.ZoneID)
	if err != nil {
		return done{}, err
	}
	was := zoneView(zone)
	change, err := c.rules().UpdateZone(ctx, c.store, c.env.Env, zone, p.Patch)
	if err != nil {
		return done{}, err
	}
	d, err := changed(zone.ID, change,
		fmt.Sprintf("Changed the zone %s (%s).", jsonbody.Quote(zone.Name), zone.ID),
		domain.Say("Changed the zone %s", "Zone %s modifiée", nameText(zone.Name)))
	return d.from(zone.ID, was, zoneView(zone)), err
}

func describeDeleteZone(ctx context.Context, c *call, p deleteZoneParams) (card, error) {
	zone, err := c.zone(ctx, "/zone_id", p.ZoneID)
	if err != nil {
		return card{}, err
	}
	tools, err := c.store.Tools(ctx, zone.ID)
	if err != nil {
		return card{}, fmt.Errorf("read the zone's tools: %w", err)
	}
	d := card{text: domain.Say("Delete the zone %s", "Supprimer la zone %s", nameText(zone.Name)),
		before: jsonbody.Encode(zoneView(zone)), zones: []*userdata.Zone{zone}, version: strconv.FormatInt(zone.Version, 10),
		warnings: []domain.Text{deletion()}}
	for i := range tools {
		d.tools = append(d.tools, &tools[i])
	}
	if p.Force && len(tools) > 0 {
		d.text = domain.Join("", d.text, domain.Say(" with its %s", " avec ses %s", toolsText(len(tools))))
		d.warnings = append(d.warnings, domain.Say("It holds %s, deleted with all their entries.",
			"Elle contient %s, supprimés avec toutes leurs entrées.", toolsText(len(tools))))
	}
	return d, nil
}

func runDeleteZone(ctx context.Context, c *call, p deleteZoneParams) (done, error) {
	zone, err := c.zone(ctx, "/zone_id", p.ZoneID)
	if err != nil {
		return done{}, err
	}
	change, err := c.rules().DeleteZone(ctx, c.store, c.env.Env, zone, p.Force)
	if err != nil {
		return done{}, err
	}
	return changed(p.ZoneID, change,
		fmt.Sprintf("Deleted the zone %s. The person can undo it for 30 days.", p.ZoneID),
		domain.Say("Deleted the zone %s", "Zone %s supprimée", nameText(zone.Name)))
}

func deletion() domain.Text {
	return domain.Say("This is a deletion; it can be undone for 30 days.", "C’est une suppression ; elle peut être annulée pendant 30 jours.")
}
