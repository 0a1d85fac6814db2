package outside

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *AgentHandlers) ListAgents(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.AgentFrom, func(limit int) ([]*userdata.AgentDefinition, string, error) {
		all, err := s.Agents.Agents(r.Context(), edge.Caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		return edge.Cut(all, func(a **userdata.AgentDefinition) string { return (*a).ID }, limit, after)
	})
}

func (s *AgentHandlers) CreateAgent(w http.ResponseWriter, r *http.Request) {
	var in api.NewAgent
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	a, err := s.Agents.Create(r.Context(), edge.Caller(r).Workspace, api.PatchOf[userdata.AgentFields](in))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/agents/"+a.ID)
	s.writeAgent(w, r, http.StatusCreated, a)
}

// MadeAgent is the answer about an agent that was made.
func (s *AgentHandlers) MadeAgent(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	return edge.RebuildCreated(r, ws, claim, func(id string) (*userdata.AgentDefinition, error) {
		return s.Agents.Agent(r.Context(), ws, id)
	}, api.AgentFrom)
}

func (s *AgentHandlers) GetAgent(w http.ResponseWriter, r *http.Request) {
	a, err := s.Agents.Agent(r.Context(), edge.Caller(r).Workspace, agentID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeAgent(w, r, http.StatusOK, a)
}

func (s *AgentHandlers) UpdateAgent(w http.ResponseWriter, r *http.Request) {
	var in api.AgentPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	a, err := s.Agents.Update(r.Context(), edge.Caller(r).Workspace, agentID(r), edge.IfMatch(r), api.PatchOf[userdata.AgentFields](in))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeAgent(w, r, http.StatusOK, a)
}

func (s *AgentHandlers) DeleteAgent(w http.ResponseWriter, r *http.Request) {
	if err := s.Agents.Delete(r.Context(), edge.Caller(r).Workspace, agentID(r), edge.IfMatch(r)); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *AgentHandlers) ListAgentVersions(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.AgentFrom, func(limit int) ([]*userdata.AgentDefinition, string, error) {
		return s.Agents.AgentVersions(r.Context(), edge.Caller(r).Workspace, agentID(r), after, limit)
	})
}

func (s *AgentHandlers) TryAgent(w http.ResponseWriter, r *http.Request) {
	var in api.AgentTry
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	receipt, err := s.Agents.Try(r.Context(), who.Workspace, agentID(r), in.Query, who.Author())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusAccepted, api.ActivationFrom(receipt))
}

func (s *AgentHandlers) writeAgent(w http.ResponseWriter, r *http.Request, status int, a *userdata.AgentDefinition) {
	edge.SetETag(w, a.Version)
	s.WriteJSON(w, r, status, api.AgentFrom(a))
}

func agentID(r *http.Request) string { return chi.URLParam(r, "agent_id") }
