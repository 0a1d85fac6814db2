package outside

import (
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *ProviderHandlers) ListProviderKinds(w http.ResponseWriter, r *http.Request) {
	out := api.ProviderKindList{Data: []api.ProviderKind{}}
	for _, k := range s.ProviderProbe.Kinds() {
		out.Data = append(out.Data, api.ProviderKind{Name: k.Name, DisplayName: k.DisplayName, ConfigSchema: k.ConfigSchema})
	}
	s.WriteJSON(w, r, http.StatusOK, out)
}

func (s *ProviderHandlers) ListProviders(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	same := func(p *api.Provider) *api.Provider { return p }
	edge.WriteList(s, w, r, limit, same, func(limit int) ([]*api.Provider, string, error) {
		providers, err := s.Providers.Providers(r.Context(), edge.Caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		providers, next, err := edge.Cut(providers, func(p **outside.Provider) string { return (*p).ID }, limit, after)
		out := make([]*api.Provider, len(providers))
		for i := 0; i < len(out) && err == nil; i++ {
			if out[i], err = api.ProviderFrom(providers[i]); err != nil {
				err = fmt.Errorf("map provider %s: %w", providers[i].ID, err)
			}
		}
		return out, next, err
	})
}

func (s *ProviderHandlers) CreateProvider(w http.ResponseWriter, r *http.Request) {
	var in api.NewProvider
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	p, err := s.Providers.CreateProvider(
		r.Context(),
		edge.Caller(r).Workspace,
		outside.NewProvider{
			Name:       in.Name,
			Kind:       in.Kind,
			Config:     in.Config,
			IsDefault:  in.IsDefault != nil && *in.IsDefault,
			ByOperator: byOperator(r),
		},
	)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/providers/"+p.ID)
	s.writeProvider(w, r, http.StatusCreated, p)
}

func (s *ProviderHandlers) GetProvider(w http.ResponseWriter, r *http.Request) {
	p, err := s.Providers.Provider(r.Context(), edge.Caller(r).Workspace, providerID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeProvider(w, r, http.StatusOK, p)
}

func (s *ProviderHandlers) UpdateProvider(w http.ResponseWriter, r *http.Request) {
	var in api.ProviderPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	p, err := s.Providers.UpdateProvider(r.Context(), edge.Caller(r).Workspace, providerID(r), edge.IfMatch(r),
		outside.ProviderPatch{Name: in.Name, Config: in.Config, IsDefault: in.IsDefault, ByOperator: byOperator(r)})
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeProvider(w, r, http.StatusOK, p)
}

func (s *ProviderHandlers) DeleteProvider(w http.ResponseWriter, r *http.Request) {
	if err := s.Providers.DeleteProvider(r.Context(), edge.Caller(r).Workspace, providerID(r), edge.IfMatch(r)); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *ProviderHandlers) TestProvider(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	result, err := s.ProviderProbe.TestProvider(r.Context(), edge.Caller(r).Workspace, providerID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	out := api.ProviderTest{Ok: result.OK, LatencyMs: result.Latency.Milliseconds()}
	if result.Model != "" {
		out.Model = &result.Model
	}
	if result.OK {
		out.Said = &result.Said
	} else {
		out.Error = &api.ProviderError{Code: result.Code, Message: result.Message, Meaning: result.Meaning, Mend: result.Fix}
	}
	s.WriteJSON(w, r, http.StatusOK, out)
}

func (s *ProviderHandlers) ListProviderModels(w http.ResponseWriter, r *http.Request) {
	models, err := s.ProviderProbe.ProviderModels(r.Context(), edge.Caller(r).Workspace, providerID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	out := api.ModelList{Data: make([]api.Model, 0, len(models))}
	for _, m := range models {
		out.Data = append(out.Data, api.Model{ID: m})
	}
	s.WriteJSON(w, r, http.StatusOK, out)
}

func (s *ProviderHandlers) writeProvider(w http.ResponseWriter, r *http.Request, status int, p *outside.Provider) {
	out, err := api.ProviderFrom(p)
	if err != nil {
		s.Fail(w, r, fmt.Errorf("map provider %s: %w", p.ID, err))
		return
	}
	edge.SetETag(w, p.Version)
	s.WriteJSON(w, r, status, out)
}

// byOperator: with the root key, or on the open loopback server, where everybody is root.
func byOperator(r *http.Request) bool { return edge.Caller(r).Role == domain.RoleRoot }

func providerID(r *http.Request) string { return chi.URLParam(r, "provider_id") }
