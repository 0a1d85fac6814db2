package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/userdata"
)

func (s *dataRoutes) listZones(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.ZoneFrom, func(limit int) ([]*userdata.Zone, string, error) {
		return pointed(s.Zones.Zones(r.Context(), caller(r).Workspace, after, limit))
	})
}

func (s *dataRoutes) createZone(w http.ResponseWriter, r *http.Request) {
	var in api.NewZone
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	zone, seq, err := s.Zones.CreateZone(r.Context(), caller(r).Workspace, in.Domain())
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
	var in api.ZonePatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	zone, seq, err := s.Zones.UpdateZone(r.Context(), caller(r).Workspace, chi.URLParam(r, "zone_id"), ifMatch(r), in.Domain())
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
