package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// readyWithin is how long the database may take to answer before a node counts as not
// ready: less than the time-out of the usual probes.
const readyWithin = 2 * time.Second

func (s *Handlers) CheckInvariants(w http.ResponseWriter, r *http.Request) {
	counts, err := s.Admin.Invariants(r.Context(), edge.Caller(r).Workspace)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	out := api.InvariantList{Data: make([]api.Invariant, 0, len(counts))}
	for _, c := range counts {
		out.Data = append(out.Data, api.Invariant{Name: c.Name, Count: c.Count, Description: c.Description})
	}
	s.WriteJSON(w, r, http.StatusOK, out)
}

func (s *Handlers) GetStatus(w http.ResponseWriter, r *http.Request) {
	who := edge.Caller(r)
	status, err := s.Admin.Status(r.Context(), who.Workspace, who.Role == domain.RoleRoot)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	nodes := make([]api.Node, 0, len(status.Nodes))
	for _, n := range status.Nodes {
		nodes = append(nodes, api.Node{
			ID: n.ID, Incarnation: n.Incarnation, LeaseUntil: api.Time(n.LeaseUntil), Alive: n.Alive, Sessions: n.Sessions,
		})
	}
	s.WriteJSON(w, r, http.StatusOK, api.NodeStatus{
		Node: status.Node, Incarnation: status.Incarnation, StartedAt: api.Time(status.StartedAt),
		Database: api.NodeStatusDatabase(status.Database), Sessions: status.Sessions, StreamClients: status.StreamClients,
		LeaseUntil: api.TimeOrNil(status.LeaseUntil), Draining: s.draining(), Version: s.Version.Version,
		Breakers: breakersFrom(status.Breakers), Nodes: nodes,
	})
}

func breakersFrom(breakers []Breaker) []api.Breaker {
	out := make([]api.Breaker, 0, len(breakers))
	for _, b := range breakers {
		mapped := api.Breaker{State: api.BreakerState(b.State), Failures: b.Failures, LastError: b.LastError}
		if b.ProviderID != "" {
			mapped.ProviderID = &b.ProviderID
		}
		if b.Model != "" {
			mapped.Model = &b.Model
		}
		if !b.Until.IsZero() {
			mapped.Until = api.TimeOrNil(&b.Until)
		}
		out = append(out, mapped)
	}
	return out
}

func (s *Handlers) draining() bool { return s.Draining != nil && s.Draining() }

func (s *Handlers) GetHealth(w http.ResponseWriter, r *http.Request) {
	s.WriteJSON(w, r, http.StatusOK, api.Health{Status: api.HealthStatusOk})
}

func (s *Handlers) GetReadiness(w http.ResponseWriter, r *http.Request) {
	if s.draining() {
		s.Fail(w, r, domain.Errorf(domain.CodeUnavailable, "The server is shutting down."))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyWithin)
	defer cancel()
	if err := s.Health.Ping(ctx); err != nil {
		s.Fail(w, r, &domain.Error{Code: domain.CodeUnavailable, Message: "The database cannot be reached.", Err: err})
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.Health{Status: api.HealthStatusOk})
}

func (s *Handlers) GetVersion(w http.ResponseWriter, r *http.Request) {
	out := api.Version{Version: s.Version.Version}
	if s.Version.Commit != "" {
		out.Commit = &s.Version.Commit
	}
	if s.Version.BuiltAt != "" {
		out.BuiltAt = &s.Version.BuiltAt
	}
	s.WriteJSON(w, r, http.StatusOK, out)
}

func (s *Handlers) GetMetrics(w http.ResponseWriter, r *http.Request) {
	if s.MetricsPage == nil {
		s.NotFound(w, r)
		return
	}
	s.MetricsPage.ServeHTTP(w, r)
}
