package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/orchestrator"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/health"
)

// providerRows is what keeping providers needs of the database.
type providerRows interface {
	providerStore
	Providers(ctx context.Context, workspace string) ([]*domain.Provider, error)
	InsertProvider(ctx context.Context, p *domain.Provider) error
	UpdateProvider(ctx context.Context, p *domain.Provider) error
	DeleteProvider(ctx context.Context, workspace, id string) error
}

// schemaChecker holds a value against a JSON Schema.
type schemaChecker interface {
	CheckSchema(schema, value json.RawMessage, prefix string) error
}

// providerService keeps the configured providers: configs fit their kind's schema,
// keys are sealed and never given back.
type providerService struct {
	rows     providerRows
	registry *providers.Registry
	sealer   *sealer
	env      providerEnv
	models   *models
	schemas  schemaChecker
	client   *http.Client
	clock    clock.Clock
	newID    domain.IDSource
}

func (s *providerService) Providers(ctx context.Context, workspace string) ([]*domain.Provider, error) {
	return s.rows.Providers(ctx, workspace)
}

func (s *providerService) Provider(ctx context.Context, workspace, id string) (*domain.Provider, error) {
	return s.rows.Provider(ctx, workspace, id)
}

// CreateProvider stores a new provider.
func (s *providerService) CreateProvider(ctx context.Context, workspace string, in handlers.NewProvider) (*domain.Provider, error) {
	if _, ok := s.registry.Kind(in.Kind); !ok {
		return nil, domain.Invalid("/kind", "unknown_kind", "%s GET /v1/provider-kinds lists the kinds there are.", unknownKind(in.Kind))
	}
	now := s.clock()
	p := &domain.Provider{
		ID: s.newID(domain.PrefixProvider), WorkspaceID: workspace, Name: in.Name, Kind: in.Kind,
		IsDefault: in.IsDefault, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if err := s.configure(p, in.Config, in.ByOperator); err != nil {
		return nil, err
	}
	if err := s.rows.InsertProvider(ctx, p); err != nil {
		return nil, err
	}
	s.models.forget()
	return p, nil
}

// UpdateProvider changes a provider; its config is merged.
func (s *providerService) UpdateProvider(ctx context.Context, workspace, id string, version int64, patch handlers.ProviderPatch) (*domain.Provider, error) {
	p, err := s.rows.Provider(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	if version != 0 && version != p.Version {
		return nil, changedMeanwhile("provider")
	}
	if patch.Name != nil {
		p.Name = *patch.Name
	}
	if patch.IsDefault != nil {
		p.IsDefault = *patch.IsDefault
	}
	if len(patch.Config) > 0 {
		merged, err := mergePatch(p.Config, patch.Config)
		if err != nil {
			return nil, err
		}
		if err := s.configure(p, merged, patch.ByOperator && names(patch.Config, "api_key_env", "base_url", "preset")); err != nil {
			return nil, err
		}
	}
	p.UpdatedAt = s.clock()
	if err := s.rows.UpdateProvider(ctx, p); err != nil {
		return nil, stale(err, "provider")
	}
	s.models.forget()
	s.models.board.Forget(workspace, id) // what failed was another config
	return p, nil
}

func (s *providerService) DeleteProvider(ctx context.Context, workspace, id string, version int64) error {
	p, err := s.rows.Provider(ctx, workspace, id)
	if err != nil {
		return err
	}
	if version != 0 && version != p.Version {
		return changedMeanwhile("provider")
	}
	defer func() {
		s.models.forget()
		s.models.board.Forget(workspace, id)
	}()
	return s.rows.DeleteProvider(ctx, workspace, id)
}

// configure checks a config, takes its key out and seals it. The mask, sent back,
// keeps the stored key; null takes it away. grant: the operator says that the variable
// which the config names goes where the config's requests go.
func (s *providerService) configure(p *domain.Provider, config json.RawMessage, grant bool) error {
	kind, ok := s.registry.Kind(p.Kind)
	if !ok { // it was made by a server that offered it
		return domain.Invalid("/config", "unknown_kind", "%s", unknownKind(p.Kind))
	}
	if len(config) == 0 {
		config = json.RawMessage("{}")
	}
	if err := s.schemas.CheckSchema(kind.Schema, withoutNullKey(config), "/config"); err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(config, &fields); err != nil {
		return domain.Invalid("/config", "type", "The config is a JSON object.")
	}
	key, given := fields["api_key"]
	delete(fields, "api_key")
	stored, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("encode the config: %w", err)
	}
	origin, err := originOf(kind, stored)
	if err != nil {
		return unusableConfig(err)
	}
	was := p.Config
	p.Config = stored
	kept := true
	if given {
		if kept, err = s.takeKey(p, key, origin); err != nil {
			return err
		}
	}
	if kept && p.SecretSealed != "" {
		if err := checkKept(kind, was, origin); err != nil {
			return err
		}
	}
	if err := s.checkEnv(p, origin, grant); err != nil {
		return err
	}
	secret := "unknown"
	if p.SecretSealed == "" {
		secret = ""
	}
	if _, err := kind.New(stored, secret, s.client); err != nil {
		return unusableConfig(err)
	}
	return nil
}

func unusableConfig(err error) error {
	if known, ok := errors.AsType[*domain.Error](err); ok {
		return known // it names the field
	}
	return domain.Invalid("/config", "unusable", "This configuration cannot be used: %v.", err)
}

// checkKept refuses to take a key that was stored before to another place: who may
// change a provider does not get its key that way.
func checkKept(kind providers.Kind, was json.RawMessage, origin string) error {
	if before, err := originOf(kind, was); err == nil && before == origin {
		return nil
	}
	return domain.Invalid("/config/api_key", "enter_again",
		"The stored key was entered for another base URL, and goes to no other. Enter the key again; nothing was changed.")
}

// checkEnv refuses a variable that is not for providers, or not for this one.
func (s *providerService) checkEnv(p *domain.Provider, origin string, grant bool) error {
	var common commonConfig
	if err := json.Unmarshal(p.Config, &common); err != nil {
		return fmt.Errorf("read the config: %w", err)
	}
	if common.APIKeyEnv == "" {
		p.EnvGrant = ""
		return nil
	}
	if grant {
		p.EnvGrant = envGrant(common.APIKeyEnv, origin)
	}
	return s.env.check(common.APIKeyEnv, origin, p.EnvGrant)
}

// names says whether a patch speaks of one of these members.
func names(patch json.RawMessage, members ...string) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(patch, &fields) != nil {
		return false
	}
	return slices.ContainsFunc(members, func(m string) bool { _, ok := fields[m]; return ok })
}

// takeKey stores the key that was sent, for an origin, or says that the stored one is
// kept.
func (s *providerService) takeKey(p *domain.Provider, raw json.RawMessage, origin string) (kept bool, err error) {
	var key *string
	if err := json.Unmarshal(raw, &key); err != nil {
		return false, domain.Invalid("/config/api_key", "type", "The key is a string.")
	}
	if key == nil || *key == "" {
		p.SecretSealed, p.SecretMask = "", ""
		return false, nil
	}
	if *key == p.SecretMask && p.SecretSealed != "" {
		return true, nil
	}
	entered := strings.TrimSpace(*key) // what was copied often ends with a line break
	if !isKey(entered) {
		return false, domain.Invalid("/config/api_key", "format", "A key has visible ASCII characters only, without spaces or line breaks. Copy it again.")
	}
	sealed, err := s.sealer.sealProvider(entered, p, origin)
	if err != nil {
		return false, err
	}
	p.SecretSealed, p.SecretMask = sealed, mask(entered)
	return false, nil
}

// withoutNullKey leaves a null key out of what is checked: null says "take it away".
func withoutNullKey(config json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(config, &fields) != nil || !bytes.Equal(bytes.TrimSpace(fields["api_key"]), []byte("null")) {
		return config
	}
	delete(fields, "api_key")
	b, err := json.Marshal(fields)
	if err != nil {
		return config
	}
	return b
}

// mergePatch applies an RFC 7396 merge patch to the top level of an object; a null
// key stays, for the caller to see.
func mergePatch(target, patch json.RawMessage) (json.RawMessage, error) {
	var have, want map[string]json.RawMessage
	if err := json.Unmarshal(target, &have); err != nil {
		return nil, fmt.Errorf("read the stored config: %w", err)
	}
	if err := json.Unmarshal(patch, &want); err != nil {
		return nil, domain.Invalid("/config", "type", "The config is a JSON object.")
	}
	for key, value := range want {
		if bytes.Equal(bytes.TrimSpace(value), []byte("null")) && key != "api_key" {
			delete(have, key)
			continue
		}
		have[key] = value
	}
	return json.Marshal(have)
}

// Kinds lists what can be configured.
func (s *providerService) Kinds() []handlers.ProviderKind {
	var kinds []handlers.ProviderKind
	for _, k := range s.registry.Kinds() {
		kinds = append(kinds, handlers.ProviderKind{Name: k.Name, DisplayName: k.DisplayName, ConfigSchema: k.Schema})
	}
	return kinds
}

// testTimeout bounds a test call.
const testTimeout = 30 * time.Second

// TestProvider makes one short call and says how it went.
func (s *providerService) TestProvider(ctx context.Context, workspace, id string) (*handlers.ProviderTest, error) {
	if _, err := s.rows.Provider(ctx, workspace, id); err != nil {
		return nil, err
	}
	s.models.forget()
	model, err := s.models.For(ctx, workspace, id)
	if err != nil {
		return failedTest(err), nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, testTimeout, providers.Errorf(providers.ClassNetwork, "no answer within %s", testTimeout))
	defer cancel()
	query := model.Provider.Query
	if guarded, ok := model.Provider.(*health.Guarded); ok {
		query = guarded.Try // a person wants to know, even if it was down just now
	}
	started := s.clock()
	answer, err := query(ctx, &providers.Request{
		Prompt: &domain.Prompt{
			System: "This is a test of the connection. Answer with one word.", Protocol: model.Protocol,
			Turns: []*domain.Turn{{Role: domain.TurnUser, Blocks: []domain.Block{{Kind: domain.BlockText, Text: "Say OK."}}}},
		},
		MaxTokens: 64, NewID: s.newID,
	})
	if err != nil {
		failed := failedTest(err)
		failed.Model, failed.Latency = model.Name, s.clock().Sub(started)
		return failed, nil
	}
	return &handlers.ProviderTest{
		OK: true, Model: firstOf(answer.Raw.Model, model.Name), Latency: s.clock().Sub(started), Said: shortened(answer.Raw.Text, maxSaid),
	}, nil
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// maxSaid bounds what is shown of the answer to a test, in characters.
const maxSaid = 200

func shortened(text string, limit int) string {
	if r := []rune(strings.TrimSpace(text)); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return strings.TrimSpace(text)
}

// classWords say what a class of failures means and what mends it.
var classWords = map[providers.Class][2]string{
	providers.ClassNetwork:        {"The provider could not be reached, or its answer broke off.", "Check base_url, DNS and the firewall, and for private hosts FERMATA_ALLOWED_HOSTS; else wait."},
	providers.ClassRateLimited:    {"The provider limits how often it is called.", "Wait, or ask the provider for more."},
	providers.ClassOverloaded:     {"The provider has too much to do.", "Wait, or name another provider in fallback_providers."},
	providers.ClassAuthentication: {"The key was refused.", "Set api_key or api_key_env in the provider's config."},
	providers.ClassInvalidRequest: {"The provider refuses the request.", "Check model, base_url and the parameters in the provider's config."},
	providers.ClassContextTooLong: {"The request is too long for the model.", "Choose a model with a larger context."},
	providers.ClassRefused:        {"The provider's policy refuses the request.", "Choose another model."},
	providers.ClassCancelled:      {"The call was cut.", "Try again."},
}

const (
	unusable     = "The provider cannot be used as it is configured."
	changeConfig = "Change its config."
)

func failedTest(err error) *handlers.ProviderTest {
	if call, ok := errors.AsType[*providers.Error](err); ok {
		words := classWords[call.Class]
		return &handlers.ProviderTest{Code: "provider_" + string(call.Class), Message: call.Message, Meaning: words[0], Mend: words[1]}
	}
	if known, ok := errors.AsType[*domain.Error](err); ok {
		return &handlers.ProviderTest{Code: string(known.Code), Message: known.Message, Meaning: unusable, Mend: changeConfig}
	}
	return &handlers.ProviderTest{Code: "provider_unusable", Message: err.Error(), Meaning: unusable, Mend: changeConfig}
}

// ProviderModels lists what the configured endpoint offers.
func (s *providerService) ProviderModels(ctx context.Context, workspace, id string) ([]string, error) {
	p, err := s.rows.Provider(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	kind, ok := s.registry.Kind(p.Kind)
	if !ok || kind.Models == nil {
		return []string{}, nil
	}
	var common commonConfig
	if err := json.Unmarshal(p.Config, &common); err != nil {
		return nil, fmt.Errorf("read the config: %w", err)
	}
	secret, err := s.models.secret(kind, p, common.APIKeyEnv)
	if known, ok := errors.AsType[*domain.Error](err); ok {
		return nil, &domain.Error{Code: handlers.CodeProviderFailed, Message: "The provider cannot be asked for its models: " + known.Message, Err: err}
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	names, err := kind.Models(ctx, p.Config, secret, s.client)
	if call, ok := errors.AsType[*providers.Error](err); ok {
		return nil, &domain.Error{Code: handlers.CodeProviderFailed, Message: "The provider did not list its models: " + call.Message, Err: err}
	}
	return names, err
}

// changedMeanwhile is what a failed If-Match gives.
func changedMeanwhile(noun string) error {
	return domain.Errorf(handlers.CodePreconditionFailed, "The %s changed since you read it. Nothing was written; read it again.", noun)
}

// stale turns a lost race into the same answer.
func stale(err error, noun string) error {
	if errors.Is(err, domain.ErrStale) {
		return changedMeanwhile(noun)
	}
	return err
}

var _ interface {
	handlers.Providers
	handlers.ProviderProbe
} = (*providerService)(nil)

var _ orchestrator.Models = (*models)(nil)
