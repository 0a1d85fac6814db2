package outside

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/egress"
)

func (s *ConnectorHandlers) ListConnectors(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.ConnectorFrom, func(limit int) ([]*outside.Connector, string, error) {
		all, err := s.Connectors.Connectors(r.Context(), edge.Caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		return edge.Cut(all, func(c **outside.Connector) string { return (*c).ID }, limit, after)
	})
}

func (s *ConnectorHandlers) CreateConnector(w http.ResponseWriter, r *http.Request) {
	var in api.NewConnector
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	c, err := s.Connectors.CreateConnector(r.Context(), edge.Caller(r).Workspace, in.Domain())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/connectors/"+c.ID)
	s.writeConnector(w, r, http.StatusCreated, c, nil)
}

func (s *ConnectorHandlers) GetConnector(w http.ResponseWriter, r *http.Request) {
	c, err := s.Connectors.Connector(r.Context(), edge.Caller(r).Workspace, connectorID(r))
	s.writeConnector(w, r, http.StatusOK, c, err)
}

func (s *ConnectorHandlers) UpdateConnector(w http.ResponseWriter, r *http.Request) {
	var in api.ConnectorPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	c, err := s.Connectors.UpdateConnector(r.Context(), edge.Caller(r).Workspace, connectorID(r), edge.IfMatch(r), in.Domain())
	s.writeConnector(w, r, http.StatusOK, c, err)
}

func (s *ConnectorHandlers) UpdateConnectorCommand(w http.ResponseWriter, r *http.Request) {
	var in api.ConnectorCommandPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	c, err := s.Connectors.UpdateConnectorCommand(
		r.Context(), edge.Caller(r).Workspace, connectorID(r), chi.URLParam(r, "command_name"), edge.IfMatch(r), in.Domain())
	s.writeConnector(w, r, http.StatusOK, c, err)
}

func (s *ConnectorHandlers) DeleteConnector(w http.ResponseWriter, r *http.Request) {
	if err := s.Connectors.DeleteConnector(r.Context(), edge.Caller(r).Workspace, connectorID(r), edge.IfMatch(r)); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *ConnectorHandlers) RefreshConnector(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	c, err := s.ConnectorProbe.RefreshConnector(r.Context(), edge.Caller(r).Workspace, connectorID(r))
	s.writeConnector(w, r, http.StatusOK, c, err)
}

func (s *ConnectorHandlers) TestConnector(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	result, err := s.ConnectorProbe.TestConnector(r.Context(), edge.Caller(r).Workspace, connectorID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.ConnectorTestFrom(result))
}

func (s *ConnectorHandlers) PreviewConnector(w http.ResponseWriter, r *http.Request) {
	var in api.ConnectorPreviewInput
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	from := ""
	if in.OpenapiURL != nil {
		from = *in.OpenapiURL
	}
	// Reading a document keeps a core busy: a workspace has one read at a time.
	room, err := s.RoomFor(w, r, 1, []edge.Account{edge.OfWorkspace("previews", edge.Caller(r), 1)})
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	defer room.Release()
	preview, err := s.Previewer.PreviewConnector(egress.For(r.Context(), edge.Caller(r).Workspace), in.Openapi, from)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.ConnectorPreviewFrom(preview))
}

func (s *ConnectorHandlers) writeConnector(w http.ResponseWriter, r *http.Request, status int, c *outside.Connector, err error) {
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetETag(w, c.Version)
	s.WriteJSON(w, r, status, api.ConnectorFrom(c))
}

func connectorID(r *http.Request) string { return chi.URLParam(r, "connector_id") }
