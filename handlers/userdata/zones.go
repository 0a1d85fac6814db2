package userdata

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ListZones(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.ZoneFrom, func(limit int) ([]*userdata.Zone, string, error) {
		return edge.Pointed(s.Zones.Zones(r.Context(), edge.Caller(r).Workspace, after, limit))
	})
}

func (s *Handlers) CreateZone(w http.ResponseWriter, r *http.Request) {
	var in api.NewZone
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	zone, seq, err := s.Zones.CreateZone(r.Context(), edge.Caller(r).Workspace, api.FieldsOf[userdata.ZoneFields](in))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, zone.Version)
	w.Header().Set("Location", "/v1/zones/"+zone.ID)
	s.WriteJSON(w, r, http.StatusCreated, api.ZoneFrom(zone))
}

func (s *Handlers) GetZone(w http.ResponseWriter, r *http.Request) {
	zone, err := s.Zones.Zone(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "zone_id"))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetETag(w, zone.Version)
	s.WriteJSON(w, r, http.StatusOK, api.ZoneFrom(zone))
}

func (s *Handlers) UpdateZone(w http.ResponseWriter, r *http.Request) {
	var in api.ZonePatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	zone, seq, err := s.Zones.UpdateZone(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "zone_id"), edge.IfMatch(r),
		api.PatchOf[userdata.ZoneFields](in))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, zone.Version)
	s.WriteJSON(w, r, http.StatusOK, api.ZoneFrom(zone))
}

func (s *Handlers) DeleteZone(w http.ResponseWriter, r *http.Request) {
	force, err := edge.BoolOf(r, "force")
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	seq, err := s.Zones.DeleteZone(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "zone_id"), edge.IfMatch(r), force)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}
