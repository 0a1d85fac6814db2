package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

// Names of models. That of a provider is ModelSession, a slash and the provider's name.
const (
	ModelSession = "fermata"
	ModelRaw     = "fermata/raw"
)

type wireModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// Models serves GET /v1/models.
type Models struct {
	ErrorWriter
	Config
}

// Serve lists the models, with stable ids.
func (m *Models) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	models, err := m.models(r.Context(), who.Workspace)
	if err != nil {
		return err
	}
	WriteJSON(w, struct {
		Object string      `json:"object"`
		Data   []wireModel `json:"data"`
	}{"list", models})
	return nil
}

// models returns the models of a workspace.
func (c *Config) models(ctx context.Context, workspace string) ([]wireModel, error) {
	providers, err := c.Providers.Providers(ctx, workspace)
	if err != nil {
		return nil, err
	}
	models := []wireModel{{ModelSession, "model", 0, "fermata"}, {ModelRaw, "model", 0, "fermata"}}
	for _, p := range providers {
		if id := ModelSession + "/" + p.Name; id != ModelRaw {
			models = append(models, wireModel{id, "model", p.CreatedAt.Unix(), p.Kind})
		}
	}
	return models, nil
}

// Model serves GET /v1/models/{model}.
type Model struct {
	ErrorWriter
	Config
}

// Serve writes one model.
func (m *Model) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, _ []byte) error {
	models, err := m.models(r.Context(), who.Workspace)
	if err != nil {
		return err
	}
	id := strings.TrimPrefix(r.URL.Path, "/v1/models/") // may contain a slash, escaped or not
	for _, model := range models {
		if model.ID == id {
			WriteJSON(w, model)
			return nil
		}
	}
	return errNoModel
}

// NotImplemented serves endpoints of OpenAI that do not exist here, with an error that clients can
// show.
type NotImplemented struct{ ErrorWriter }

// Serve returns the error.
func (NotImplemented) Serve(http.ResponseWriter, *http.Request, *auth.Identity, []byte) error {
	return domain.Errorf(domain.CodeNotFound, "This server does not implement this endpoint. It implements /v1/chat/completions, /v1/responses and /v1/models.")
}

// providerOf returns the id of the provider that a model names; "" for the default provider.
func (c *Config) providerOf(ctx context.Context, ws, model string) (string, error) {
	if model == ModelSession {
		return "", nil
	}
	name, ours := strings.CutPrefix(model, ModelSession+"/")
	if ours {
		providers, err := c.Providers.Providers(ctx, ws)
		if err != nil {
			return "", err
		}
		for _, p := range providers {
			if p.Name == name {
				return p.ID, nil
			}
		}
	}
	return "", errNoModel
}

var errNoModel = &domain.Error{
	Code: domain.CodeNotFound, Message: "There is no such model. GET /v1/models lists the models.",
	Fields: []domain.FieldError{{Pointer: "/model", Code: "unknown_model", Message: "There is no such model."}},
}

// WriteJSON writes an answer.
func WriteJSON(w http.ResponseWriter, v any) {
	body, _ := json.Marshal(v) // structs of texts and numbers: cannot fail
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(body, '\n')) // the client may have gone
}
