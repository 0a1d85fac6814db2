package acp

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/fermata-dev/fermata/api"
)

const (
	providerOption  = "provider"
	defaultProvider = "default"
)

// options returns the settings of a session that the editor shows: its provider, and with it the
// model.
func (s *session) options(ctx context.Context, found *api.Session) ([]fields, error) {
	var page api.ProviderList
	if err := s.Server.Call(ctx, http.MethodGet, "/v1/providers?limit=200", nil, &page); err != nil {
		return nil, err
	}
	current, room := defaultProvider, int64(0)
	if found.ProviderID != nil {
		current = *found.ProviderID
	}
	choices := []fields{{"value": defaultProvider, "name": "Default", "description": "The workspace's provider"}}
	for _, p := range page.Data {
		var config struct {
			Model  string `json:"model"`
			Window int64  `json:"context_window"`
		}
		if text, err := json.Marshal(p.Config); err == nil {
			_ = json.Unmarshal(text, &config) // missing fields are empty
		}
		name := p.Name
		if config.Model != "" {
			name += " (" + config.Model + ")"
		}
		choices = append(choices, fields{"value": p.ID, "name": name, "description": p.Kind})
		if p.ID == current || p.IsDefault && current == defaultProvider {
			room = config.Window
		}
	}
	s.mu.Lock()
	s.contextWindow = room
	s.mu.Unlock()
	return []fields{{
		"id": providerOption, "name": "Provider and model", "category": "model", "type": "select",
		"currentValue": current, "options": choices,
	}}, nil
}

// configure changes a setting of a session.
func (a *Agent) configure(_ context.Context, params json.RawMessage) (finishFunc, error) {
	var in configParams
	if err := read(params, &in); err != nil {
		return nil, err
	}
	value, isText := in.Value.(string)
	if in.ConfigID != providerOption || !isText {
		return nil, newFailure(codeParams, "invalid", "There is one option, %q; its value must be one of the listed ones.", providerOption)
	}
	return func(ctx context.Context) (any, error) {
		s, err := a.sessionByID(ctx, in.SessionID)
		if err != nil {
			return nil, err
		}
		change := fields{"provider_id": value}
		if value == defaultProvider {
			change["provider_id"] = nil
		}
		var changed api.Session
		if err := a.Server.Call(ctx, http.MethodPatch, sessionPath(s.id), change, &changed); err != nil {
			return nil, err
		}
		options, err := s.options(ctx, &changed)
		if err != nil {
			return nil, err
		}
		return fields{"configOptions": options}, nil
	}, nil
}
