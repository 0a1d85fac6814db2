package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"

	"github.com/fermata-dev/fermata/providers"
)

const maxModels = 8 << 20 // bytes of the list

// models lists what the endpoint offers, sorted.
func (k *kind) models(ctx context.Context, raw json.RawMessage, secret string, client *http.Client) ([]string, error) {
	_, base, _, err := k.parse(raw)
	if err != nil {
		return nil, err
	}
	ctx, cancel := providers.ForModels(ctx)
	defer cancel()
	response, err := newVendor(base, secret, client).send(ctx, http.MethodGet, "models", nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // nothing was written
	body, err := io.ReadAll(io.LimitReader(response.Body, maxModels))
	if err != nil {
		return nil, providers.TransportError(ctx, err, secret)
	}
	return modelNames(body, secret)
}

type model struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// modelNames reads {"data":[…]}, {"models":[…]} or a bare list.
func modelNames(body []byte, secret string) ([]string, error) {
	var object struct {
		Data   []model `json:"data"`
		Models []model `json:"models"`
	}
	var list []model
	if json.Unmarshal(body, &object) == nil {
		list = slices.Concat(object.Data, object.Models)
	} else if json.Unmarshal(body, &list) != nil {
		return nil, providers.Errorf(providers.ClassInvalidRequest, "no list of models came; is the base URL right (with /v1)? It says: %s",
			providers.Redact(providers.PageSample(body), secret))
	}
	names := []string{}
	for _, m := range list {
		if m.ID == "" {
			m.ID = m.Name
		}
		if m.ID != "" {
			names = append(names, m.ID)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
