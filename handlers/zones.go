package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

type newZone struct {
	Name              string `json:"name" validate:"visible,name,max=200"`
	Description       string `json:"description" validate:"max=10000"`
	Colour            string `json:"colour" validate:"max=50"`
	Position          int    `json:"position" validate:"min=0,max=1000000"`
	RequireValidation bool   `json:"require_validation"`
}

type zonePatch struct {
	Name              *string                   `json:"name" validate:"omitempty,visible,name,max=200"`
	Description       nullable.Nullable[string] `json:"description" validate:"omitempty,dive,max=10000"`
	Colour            nullable.Nullable[string] `json:"colour" validate:"omitempty,dive,max=50"`
	Position          *int                      `json:"position" validate:"omitempty,min=0,max=1000000"`
	RequireValidation *bool                     `json:"require_validation"`
}

func (p *zonePatch) patch() domain.ZonePatch {
	return domain.ZonePatch{
		Name: p.Name, Description: orEmpty(p.Description), Colour: orEmpty(p.Colour),
		Position: p.Position, RequireValidation: p.RequireValidation,
	}
}

// orEmpty is a field of a merge patch that null empties; nil where it is left out.
func orEmpty[T any](v nullable.Nullable[T]) *T {
	if !v.IsSpecified() {
		return nil
	}
	return new(v[true]) // the zero value for null
}

// set applies a field of a merge patch.
func set[T any](dst *T, v *T) {
	if v != nil {
		*dst = *v
	}
}

// setOrClear applies a field of a merge patch that null empties.
func setOrClear[T any](dst *T, v nullable.Nullable[T]) {
	if v.IsSpecified() {
		*dst = v[true] // the zero value for null
	}
}

func (s *dataRoutes) listZones(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.ZoneFrom, func(limit int) ([]*domain.Zone, string, error) {
		return pointed(s.Zones.Zones(r.Context(), caller(r).Workspace, after, limit))
	})
}

// pointers gives the mappers what they take.
func pointers[T any](items []T) []*T {
	out := make([]*T, 0, len(items))
	for i := range items {
		out = append(out, &items[i])
	}
	return out
}

func (s *dataRoutes) createZone(w http.ResponseWriter, r *http.Request) {
	var in newZone
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	zone, seq, err := s.Zones.CreateZone(r.Context(), caller(r).Workspace, domain.NewZone(in))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	setETag(w, zone.Version)
	w.Header().Set("Location", "/v1/zones/"+zone.ID)
	s.writeJSON(w, r, http.StatusCreated, api.ZoneFrom(zone))
}

func (s *dataRoutes) getZone(w http.ResponseWriter, r *http.Request) {
	zone, err := s.Zones.Zone(r.Context(), caller(r).Workspace, chi.URLParam(r, "zone_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setETag(w, zone.Version)
	s.writeJSON(w, r, http.StatusOK, api.ZoneFrom(zone))
}

func (s *dataRoutes) updateZone(w http.ResponseWriter, r *http.Request) {
	var in zonePatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	zone, seq, err := s.Zones.UpdateZone(r.Context(), caller(r).Workspace, chi.URLParam(r, "zone_id"), ifMatch(r), in.patch())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	setETag(w, zone.Version)
	s.writeJSON(w, r, http.StatusOK, api.ZoneFrom(zone))
}

func (s *dataRoutes) deleteZone(w http.ResponseWriter, r *http.Request) {
	force, err := boolOf(r, "force")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	seq, err := s.Zones.DeleteZone(r.Context(), caller(r).Workspace, chi.URLParam(r, "zone_id"), ifMatch(r), force)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}
