package handlers

import (
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

func (s *providerRoutes) listProviderKinds(w http.ResponseWriter, r *http.Request) {
	out := api.ProviderKindList{Data: []api.ProviderKind{}}
	for _, k := range s.ProviderProbe.Kinds() {
		out.Data = append(out.Data, api.ProviderKind{Name: k.Name, DisplayName: k.DisplayName, ConfigSchema: k.ConfigSchema})
	}
	s.writeJSON(w, r, http.StatusOK, out)
}

func (s *providerRoutes) listProviders(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	same := func(p *api.Provider) *api.Provider { return p }
	writeList(s, w, r, limit, same, func(limit int) ([]*api.Provider, string, error) {
		providers, err := s.Providers.Providers(r.Context(), caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		providers, next, err := cut(providers, func(p **domain.Provider) string { return (*p).ID }, limit, after)
		out := make([]*api.Provider, len(providers))
		for i := 0; i < len(out) && err == nil; i++ {
			if out[i], err = api.ProviderFrom(providers[i]); err != nil {
				err = fmt.Errorf("map provider %s: %w", providers[i].ID, err)
			}
		}
		return out, next, err
	})
}

func (s *providerRoutes) createProvider(w http.ResponseWriter, r *http.Request) {
	var in api.NewProvider
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	p, err := s.Providers.CreateProvider(
		r.Context(),
		caller(r).Workspace,
		domain.NewProvider{
			Name:       in.Name,
			Kind:       in.Kind,
			Config:     in.Config,
			IsDefault:  in.IsDefault != nil && *in.IsDefault,
			ByOperator: byOperator(r),
		},
	)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/providers/"+p.ID)
	s.writeProvider(w, r, http.StatusCreated, p)
}

func (s *providerRoutes) getProvider(w http.ResponseWriter, r *http.Request) {
	p, err := s.Providers.Provider(r.Context(), caller(r).Workspace, providerID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeProvider(w, r, http.StatusOK, p)
}

func (s *providerRoutes) updateProvider(w http.ResponseWriter, r *http.Request) {
	var in api.ProviderPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	p, err := s.Providers.UpdateProvider(r.Context(), caller(r).Workspace, providerID(r), ifMatch(r),
		domain.ProviderPatch{Name: in.Name, Config: in.Config, IsDefault: in.IsDefault, ByOperator: byOperator(r)})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeProvider(w, r, http.StatusOK, p)
}

func (s *providerRoutes) deleteProvider(w http.ResponseWriter, r *http.Request) {
	if err := s.Providers.DeleteProvider(r.Context(), caller(r).Workspace, providerID(r), ifMatch(r)); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *providerRoutes) testProvider(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	result, err := s.ProviderProbe.TestProvider(r.Context(), caller(r).Workspace, providerID(r))
	if err != nil {
		s.fail(w, r, err)
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
	s.writeJSON(w, r, http.StatusOK, out)
}

func (s *providerRoutes) listProviderModels(w http.ResponseWriter, r *http.Request) {
	models, err := s.ProviderProbe.ProviderModels(r.Context(), caller(r).Workspace, providerID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out := api.ModelList{Data: make([]api.Model, 0, len(models))}
	for _, m := range models {
		out.Data = append(out.Data, api.Model{ID: m})
	}
	s.writeJSON(w, r, http.StatusOK, out)
}

func (s *providerRoutes) writeProvider(w http.ResponseWriter, r *http.Request, status int, p *domain.Provider) {
	out, err := api.ProviderFrom(p)
	if err != nil {
		s.fail(w, r, fmt.Errorf("map provider %s: %w", p.ID, err))
		return
	}
	setETag(w, p.Version)
	s.writeJSON(w, r, status, out)
}

// byOperator: with the root key, or on the open loopback server, where everybody is root.
func byOperator(r *http.Request) bool { return caller(r).Role == domain.RoleRoot }

func providerID(r *http.Request) string { return chi.URLParam(r, "provider_id") }
