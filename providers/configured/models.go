package configured

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/script"
)

// Finder is the database access of Models.
type Finder interface {
	Provider(ctx context.Context, workspace, id string) (*outside.Provider, error)
	DefaultProvider(ctx context.Context, workspace string) (*outside.Provider, error)
}

// modelAge is the TTL of a cached provider: another node may have changed it.
const modelAge = 2 * time.Second

// Models selects and caches the providers of sessions.
type Models struct {
	store    Finder
	registry *providers.Registry
	keys     *seal.Keys
	env      Env
	client   *http.Client
	clock    clock.Clock
	board    *Board

	ready cache.Map[string, readyModel] // by workspace and provider ID
}

type readyModel struct {
	model *providers.Model
	row   string // ID and version of the configured provider
	at    time.Time
}

// For returns the model of a provider, of the workspace's default, or the demo. The ID may be
// followed by a slash and a model name, which overrides the configured model.
func (m *Models) For(ctx context.Context, workspace, id string) (*providers.Model, error) {
	key := workspace + "/" + id
	have, ok := m.ready.Get(key)
	now := m.clock()
	if ok && now.Sub(have.at) < modelAge {
		return have.model, nil
	}
	provider, name, _ := strings.Cut(id, "/")
	row, err := m.find(ctx, workspace, provider)
	if err != nil {
		return nil, err
	}
	version := fmt.Sprintf("%s@%d", row.ID, row.Version)
	if !ok || have.row != version {
		if have.model, err = m.build(row, name); err != nil {
			return nil, err
		}
	}
	m.ready.Set(key, readyModel{model: have.model, row: version, at: now})
	return have.model, nil
}

// Known returns the cached model without a database query; nil if it is not cached.
func (m *Models) Known(workspace, id string) *providers.Model {
	have, _ := m.ready.Get(workspace + "/" + id)
	return have.model
}

// forget clears the cache after a change of the workspace's providers.
func (m *Models) forget() { m.ready.Clear() }

func (m *Models) find(ctx context.Context, workspace, id string) (*outside.Provider, error) {
	if id != "" {
		row, err := m.store.Provider(ctx, workspace, id)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			return nil, domain.Errorf(domain.CodeProviderMissing, "The provider of this session was deleted. Choose another one, then retry.")
		}
		return row, err
	}
	row, err := m.store.DefaultProvider(ctx, workspace)
	if err != nil || row != nil {
		return row, err
	}
	return &outside.Provider{WorkspaceID: workspace, Name: "Demo", Kind: "demo", Config: json.RawMessage("{}")}, nil
}

// build creates a provider from its stored config, with another model unless name is "".
func (m *Models) build(row *outside.Provider, name string) (*providers.Model, error) {
	kind, ok := m.registry.Kind(row.Kind)
	if !ok {
		return nil, domain.Errorf("provider_unknown_kind", "%s", unknownKind(row.Kind))
	}
	config, err := withModel(row.Config, name)
	if err != nil {
		return nil, domain.Errorf("provider_config_unreadable", "The configuration of provider %q cannot be read.", row.Name)
	}
	var common providers.Config
	if err := json.Unmarshal(config, &common); err != nil {
		return nil, domain.Errorf("provider_config_unreadable", "The configuration of provider %q cannot be read.", row.Name)
	}
	secret, err := m.secret(kind, row, common.APIKeyEnv)
	if err != nil {
		return nil, err
	}
	provider, err := kind.New(config, secret, egress.Of(m.client, row.WorkspaceID))
	if err != nil {
		return nil, &domain.Error{
			Code:    "provider_unusable",
			Message: "The provider " + row.Name + " cannot be used: " + err.Error(),
			Err:     err,
		}
	}
	key := ModelKey{Workspace: row.WorkspaceID, Provider: row.ID, Model: common.Model}
	guarded := m.board.Guard(key, providers.Bounded(providers.Fitted(provider)))
	model := &providers.Model{
		Provider: guarded, ID: row.ID, Kind: row.Kind, Name: common.Model,
		Protocol: domain.Protocol(common.Protocol), MaxTokens: common.MaxTokens,
	}
	if model.Protocol == "" {
		model.Protocol = domain.ProtocolJSON
		if provider.Abilities().NativeCalls {
			model.Protocol = domain.ProtocolNative
		}
	}
	if model.MaxTokens != 0 {
		model.MaxTokens = max(model.MaxTokens, providers.MinToolTokens)
	}
	return model, nil
}

// withModel replaces the model of a config.
func withModel(config json.RawMessage, name string) (json.RawMessage, error) {
	if name == "" {
		return config, nil
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(config, &fields); err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	fields["model"] = jsonbody.Encode(name)
	return jsonbody.Encode(fields), nil
}

// unknownKind explains that a kind is not supported here.
func unknownKind(name string) string {
	if name == script.KindName {
		return "Providers of kind \"script\" are for tests and require FERMATA_SCRIPT_PROVIDER=true on this server. Choose another provider."
	}
	return fmt.Sprintf("This server does not support providers of kind %q.", name)
}

// secret returns the provider's key for its origin: sealed in the database, or in an environment
// variable that the config names and the operator permits. Stored configs are checked like new
// ones.
func (m *Models) secret(kind providers.Kind, row *outside.Provider, variable string) (string, error) {
	if row.SecretSealed == "" && variable == "" {
		return "", nil
	}
	origin, err := originOf(kind, row.Config)
	if err != nil {
		return "", domain.Errorf("provider_config_unreadable", "The configuration of provider %q cannot be read.", row.Name)
	}
	if row.SecretSealed != "" {
		return openKey(m.keys, row, origin)
	}
	if err := m.env.check(variable, origin, row.EnvGrant); err != nil {
		known, _ := errors.AsType[*domain.Error](err)
		return "", domain.Errorf("provider_key_not_allowed", "%s", known.Fields[0].Message)
	}
	if secret := strings.TrimSpace(os.Getenv(variable)); isKey(secret) {
		return secret, nil
	} else if secret != "" {
		return "", domain.Errorf("provider_key_unusable",
			"The environment variable %s does not contain a key: a key has only visible ASCII characters, without spaces or line breaks.", variable)
	}
	return "", domain.Errorf("provider_key_missing",
		"The environment variable %s, which should contain the provider's key, is not set on this server.", variable)
}

// originOf returns the origin of a config's requests; "" for kinds without requests.
func originOf(kind providers.Kind, config json.RawMessage) (string, error) {
	if kind.Origin == nil {
		return "", nil
	}
	return kind.Origin(config)
}
