package handlers

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// Agents keeps the definitions of agents. Mistakes are domain invalid errors with pointers
// into the agent.
type Agents interface {
	Agents(ctx context.Context, ws string) ([]*domain.AgentDefinition, error)
	Agent(ctx context.Context, ws, id string) (*domain.AgentDefinition, error)
	// AgentVersions are what it was, the latest first.
	AgentVersions(ctx context.Context, ws, id, cursor string, limit int) ([]*domain.AgentDefinition, string, error)
	Create(ctx context.Context, ws string, in domain.AgentPatch) (*domain.AgentDefinition, error)
	Update(ctx context.Context, ws, id string, patch domain.AgentPatch) (*domain.AgentDefinition, error)
	Delete(ctx context.Context, ws, id string, version int64) error
	// Try gives an agent a task without anybody who calls it.
	Try(ctx context.Context, ws, id, query string, by domain.Author) (*domain.Receipt, error)
}

// agentRoutes handles requests for agents.
type agentRoutes struct {
	*edge
	Agents Agents
}

func (s *agentRoutes) listAgents(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.AgentFrom, func(limit int) ([]*domain.AgentDefinition, string, error) {
		all, err := s.Agents.Agents(r.Context(), caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		return cut(all, func(a **domain.AgentDefinition) string { return (*a).ID }, limit, after)
	})
}

func (s *agentRoutes) createAgent(w http.ResponseWriter, r *http.Request) {
	var in api.NewAgent
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	a, err := s.Agents.Create(r.Context(), caller(r).Workspace, in.Domain())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/agents/"+a.ID)
	s.writeAgent(w, r, http.StatusCreated, a)
}

// madeAgent is the answer about an agent that was made.
func (s *agentRoutes) madeAgent(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*domain.AgentDefinition, error) {
		return s.Agents.Agent(r.Context(), ws, id)
	}, api.AgentFrom)
}

func (s *agentRoutes) getAgent(w http.ResponseWriter, r *http.Request) {
	a, err := s.Agents.Agent(r.Context(), caller(r).Workspace, agentID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeAgent(w, r, http.StatusOK, a)
}

func (s *agentRoutes) updateAgent(w http.ResponseWriter, r *http.Request) {
	var in api.AgentPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	a, err := s.Agents.Update(r.Context(), caller(r).Workspace, agentID(r), in.Domain(ifMatch(r)))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeAgent(w, r, http.StatusOK, a)
}

func (s *agentRoutes) deleteAgent(w http.ResponseWriter, r *http.Request) {
	if err := s.Agents.Delete(r.Context(), caller(r).Workspace, agentID(r), ifMatch(r)); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *agentRoutes) listAgentVersions(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.AgentFrom, func(limit int) ([]*domain.AgentDefinition, string, error) {
		return s.Agents.AgentVersions(r.Context(), caller(r).Workspace, agentID(r), after, limit)
	})
}

func (s *agentRoutes) tryAgent(w http.ResponseWriter, r *http.Request) {
	var in api.AgentTry
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	who := caller(r)
	receipt, err := s.Agents.Try(r.Context(), who.Workspace, agentID(r), in.Query, who.Author())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusAccepted, api.ActivationFrom(receipt))
}

func (s *agentRoutes) writeAgent(w http.ResponseWriter, r *http.Request, status int, a *domain.AgentDefinition) {
	setETag(w, a.Version)
	s.writeJSON(w, r, status, api.AgentFrom(a))
}

func agentID(r *http.Request) string { return chi.URLParam(r, "agent_id") }
