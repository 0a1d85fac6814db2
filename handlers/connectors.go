package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
)

func (s *connectorRoutes) listConnectors(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.ConnectorFrom, func(limit int) ([]*outside.Connector, string, error) {
		all, err := s.Connectors.Connectors(r.Context(), caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		return cut(all, func(c **outside.Connector) string { return (*c).ID }, limit, after)
	})
}

func (s *connectorRoutes) createConnector(w http.ResponseWriter, r *http.Request) {
	var in api.NewConnector
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	c, err := s.Connectors.CreateConnector(r.Context(), caller(r).Workspace, in.Domain())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/connectors/"+c.ID)
	s.writeConnector(w, r, http.StatusCreated, c, nil)
}

func (s *connectorRoutes) getConnector(w http.ResponseWriter, r *http.Request) {
	c, err := s.Connectors.Connector(r.Context(), caller(r).Workspace, connectorID(r))
	s.writeConnector(w, r, http.StatusOK, c, err)
}

func (s *connectorRoutes) updateConnector(w http.ResponseWriter, r *http.Request) {
	var in api.ConnectorPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	c, err := s.Connectors.UpdateConnector(r.Context(), caller(r).Workspace, connectorID(r), ifMatch(r), in.Domain())
	s.writeConnector(w, r, http.StatusOK, c, err)
}

func (s *connectorRoutes) updateConnectorCommand(w http.ResponseWriter, r *http.Request) {
	var in api.ConnectorCommandPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	c, err := s.Connectors.UpdateConnectorCommand(
		r.Context(), caller(r).Workspace, connectorID(r), chi.URLParam(r, "command_name"), ifMatch(r), in.Domain())
	s.writeConnector(w, r, http.StatusOK, c, err)
}

func (s *connectorRoutes) deleteConnector(w http.ResponseWriter, r *http.Request) {
	if err := s.Connectors.DeleteConnector(r.Context(), caller(r).Workspace, connectorID(r), ifMatch(r)); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *connectorRoutes) refreshConnector(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	c, err := s.ConnectorProbe.RefreshConnector(r.Context(), caller(r).Workspace, connectorID(r))
	s.writeConnector(w, r, http.StatusOK, c, err)
}

func (s *connectorRoutes) testConnector(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	result, err := s.ConnectorProbe.TestConnector(r.Context(), caller(r).Workspace, connectorID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.ConnectorTestFrom(result))
}

func (s *connectorRoutes) previewConnector(w http.ResponseWriter, r *http.Request) {
	var in api.ConnectorPreviewInput
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	from := ""
	if in.OpenapiURL != nil {
		from = *in.OpenapiURL
	}
	// Reading a document keeps a core busy: a workspace has one read at a time.
	room, err := s.roomFor(w, r, 1, []account{ofWorkspace("previews", caller(r), 1)})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer room.release()
	preview, err := s.Previewer.PreviewConnector(egress.For(r.Context(), caller(r).Workspace), in.Openapi, from)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.ConnectorPreviewFrom(preview))
}

func (s *connectorRoutes) writeConnector(w http.ResponseWriter, r *http.Request, status int, c *outside.Connector, err error) {
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setETag(w, c.Version)
	s.writeJSON(w, r, status, api.ConnectorFrom(c))
}

func connectorID(r *http.Request) string { return chi.URLParam(r, "connector_id") }
