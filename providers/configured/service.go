package configured

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/providers"
)

// Rows is what keeping providers needs of the database.
type Rows interface {
	Finder
	Providers(ctx context.Context, workspace string) ([]*domain.Provider, error)
	InsertProvider(ctx context.Context, p *domain.Provider) error
	UpdateProvider(ctx context.Context, p *domain.Provider) error
	DeleteProvider(ctx context.Context, workspace, id string) error
}

// Schemas holds a value against a JSON Schema.
type Schemas interface {
	CheckSchema(schema, value json.RawMessage, prefix string) error
}

// Config is what a Service needs.
type Config struct {
	Rows    Rows
	Schemas Schemas
	Keys    *seal.Keys
	Env     Env
	Client  *http.Client // makes the requests
	Clock   clock.Clock
	NewID   domain.IDSource
	Script  bool // offer the kind for tests
	// Back is told of a provider that answers again; it must be quick.
	Back func(workspace, provider string)
}

// Service keeps the configured providers: configs fit their kind's schema, keys are
// sealed and never given back.
type Service struct {
	// Models finds them again, ready to be called.
	Models *Models
	// Board remembers which of them are down.
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

// New makes a Service.
func New(c Config) *Service {
	s := &Service{
		Board: NewBoard(BoardConfig{Clock: c.Clock, Back: c.Back}), registry: providers.NewRegistry(kinds(c.Script)...),
		rows: c.Rows, keys: c.Keys, env: c.Env, schemas: c.Schemas, client: c.Client, clock: c.Clock, newID: c.NewID,
	}
	s.Models = &Models{
		store: c.Rows, registry: s.registry, keys: c.Keys, env: c.Env, client: c.Client, clock: c.Clock, board: s.Board,
		ready: map[string]readyModel{},
	}
	return s
}

func (s *Service) Providers(ctx context.Context, workspace string) ([]*domain.Provider, error) {
	return s.rows.Providers(ctx, workspace)
}

func (s *Service) Provider(ctx context.Context, workspace, id string) (*domain.Provider, error) {
	return s.rows.Provider(ctx, workspace, id)
}

// CreateProvider stores a new provider.
func (s *Service) CreateProvider(ctx context.Context, workspace string, in domain.NewProvider) (*domain.Provider, error) {
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
	s.Models.forget()
	return p, nil
}

// fasterOthers bounds how often a change is tried again because somebody else made one.
const fasterOthers = 5

// UpdateProvider merges a patch into a provider. Who named no version is not told of
// somebody who was faster: the patch is merged into what that one left.
func (s *Service) UpdateProvider(ctx context.Context, workspace, id string, version int64,
	patch domain.ProviderPatch) (*domain.Provider, error) {
	for try := 1; ; try++ {
		p, err := s.update(ctx, workspace, id, version, patch)
		if version != 0 || try == fasterOthers || !errors.Is(err, domain.ErrStale) {
			return p, changed(err)
		}
	}
}

func (s *Service) update(ctx context.Context, workspace, id string, version int64,
	patch domain.ProviderPatch) (*domain.Provider, error) {
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
	s.Models.board.Forget(workspace, id) // what failed was another config
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

// changed turns a lost race into the refusal of an old version.
func changed(err error) error {
	if errors.Is(err, domain.ErrStale) {
		return domain.ChangedSince("provider")
	}
	return err
}
