package configured

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/providers"
)

// Rows is the database access of a Service.
type Rows interface {
	Finder
	Providers(ctx context.Context, workspace string) ([]*outside.Provider, error)
	InsertProvider(ctx context.Context, p *outside.Provider) error
	UpdateProvider(ctx context.Context, p *outside.Provider) error
	DeleteProvider(ctx context.Context, workspace, id string) error
}

// Schemas validates a value against a JSON Schema.
type Schemas interface {
	CheckSchema(schema, value json.RawMessage, prefix string) error
}

// Config configures a Service.
type Config struct {
	Rows    Rows
	Schemas Schemas
	Keys    *seal.Keys
	Env     Env
	Client  *http.Client // makes the requests
	Clock   clock.Clock
	NewID   domain.IDSource
	Script  bool // support the kind for tests
	// Back is called when a provider has recovered; it must return quickly.
	Back func(workspace, provider string)
}

// Service manages the configured providers. Configs are validated against their kind's schema; keys
// are sealed and never returned.
type Service struct {
	// Models selects them for calls.
	Models *Models
	// Board tracks their availability.
	Board *Board

	rows     Rows
	registry *providers.Registry
	keys     *seal.Keys
	env      Env
	schemas  Schemas
	client   *http.Client
	clock    clock.Clock
	newID    domain.IDSource
}

// New returns a Service.
func New(c Config) *Service {
	s := &Service{
		Board: NewBoard(BoardConfig{Clock: c.Clock, Back: c.Back}), registry: providers.NewRegistry(kinds(c.Script)...),
		rows: c.Rows, keys: c.Keys, env: c.Env, schemas: c.Schemas, client: c.Client, clock: c.Clock, newID: c.NewID,
	}
	s.Models = &Models{
		store: c.Rows, registry: s.registry, keys: c.Keys, env: c.Env, client: c.Client, clock: c.Clock, board: s.Board,
		ready: cache.Map[string, readyModel]{Most: 4096},
	}
	return s
}

func (s *Service) Providers(ctx context.Context, workspace string) ([]*outside.Provider, error) {
	return s.rows.Providers(ctx, workspace)
}

func (s *Service) Provider(ctx context.Context, workspace, id string) (*outside.Provider, error) {
	return s.rows.Provider(ctx, workspace, id)
}

// CreateProvider stores a new provider.
func (s *Service) CreateProvider(ctx context.Context, workspace string, in outside.NewProvider) (*outside.Provider, error) {
	if _, ok := s.registry.Kind(in.Kind); !ok {
		return nil, domain.Invalid("/kind", "unknown_kind", "%s GET /v1/provider-kinds lists the supported kinds.", unknownKind(in.Kind))
	}
	now := s.clock()
	p := &outside.Provider{
		ID: s.newID(domain.PrefixProvider), WorkspaceID: workspace, Name: in.Name, Kind: in.Kind,
		IsDefault: in.IsDefault, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if err := s.configure(p, in.Config, in.ByOperator); err != nil {
		return nil, err
	}
	if err := s.rows.InsertProvider(ctx, p); err != nil {
		return nil, err
	}
	s.Models.forget()
	return p, nil
}

// maxConflicts bounds the retries of a change after conflicts.
const maxConflicts = 5

// UpdateProvider merges a patch into a provider. Without a version from the client, a conflicting
// change is not an error: the patch is applied to the newer row.
func (s *Service) UpdateProvider(ctx context.Context, workspace, id string, version int64,
	patch outside.ProviderPatch) (*outside.Provider, error) {
	for try := 1; ; try++ {
		p, err := s.update(ctx, workspace, id, version, patch)
		if version != 0 || try == maxConflicts || !errors.Is(err, domain.ErrStale) {
			return p, changed(err)
		}
	}
}

func (s *Service) update(ctx context.Context, workspace, id string, version int64,
	patch outside.ProviderPatch) (*outside.Provider, error) {
	p, err := s.rows.Provider(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	if version != 0 && version != p.Version {
		return nil, domain.ChangedSince("provider")
	}
	if patch.Name != nil {
		p.Name = *patch.Name
	}
	if patch.IsDefault != nil {
		p.IsDefault = *patch.IsDefault
	}
	if len(patch.Config) > 0 {
		merged, err := mergeConfig(p.Config, patch.Config)
		if err != nil {
			return nil, err
		}
		if err := s.configure(p, merged, patch.ByOperator && names(patch.Config, "api_key_env", "base_url", "preset")); err != nil {
			return nil, err
		}
	}
	p.UpdatedAt = s.clock()
	if err := s.rows.UpdateProvider(ctx, p); err != nil {
		return nil, err
	}
	s.Models.forget()
	s.Models.board.Forget(workspace, id) // failures belonged to the old config
	return p, nil
}

func (s *Service) DeleteProvider(ctx context.Context, workspace, id string, version int64) error {
	p, err := s.rows.Provider(ctx, workspace, id)
	if err != nil {
		return err
	}
	if version != 0 && version != p.Version {
		return domain.ChangedSince("provider")
	}
	defer func() {
		s.Models.forget()
		s.Models.board.Forget(workspace, id)
	}()
	return s.rows.DeleteProvider(ctx, workspace, id)
}

// changed converts a lost race to a version conflict.
func changed(err error) error {
	if errors.Is(err, domain.ErrStale) {
		return domain.ChangedSince("provider")
	}
	return err
}
