package connectors

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/schema"
	"github.com/fermata-dev/fermata/internal/seal"
)

// Rows is the database access of a Service.
type Rows interface {
	Finder
	Connector(ctx context.Context, workspace, id string) (*outside.Connector, error)
	InsertConnector(ctx context.Context, c *outside.Connector) error
	UpdateConnector(ctx context.Context, c *outside.Connector) error
	DeleteConnector(ctx context.Context, workspace, id string) error
}

// Schemas validates a value against a JSON Schema.
type Schemas interface {
	CheckSchema(schema, value json.RawMessage, prefix string) error
}

// Config configures a Service.
type Config struct {
	Rows    Rows
	Kinds   []Kind
	Schemas Schemas
	Keys    *seal.Keys
	Client  *http.Client // makes the requests
	Clock   clock.Clock
	NewID   domain.IDSource
	// BuiltIn are the names of the built-in commands.
	BuiltIn []string
	// Called, if set, is called after each call and must return quickly.
	Called func(CallReport)
	// Grants stores OAuth sign-ins, and Redirect is the URL that people return to. Without them
	// sign-ins are not possible.
	Grants   Grants
	Redirect func() (string, error)
}

// Service manages connectors. Configs are validated against their kind's schema; secrets are sealed
// and never returned.
type Service struct {
	// Manager offers and executes their commands.
	Manager *Manager

	rows     Rows
	kinds    map[outside.ConnectorKind]*Kind
	schemas  Schemas
	compiled *schema.Cache
	keys     *seal.Keys
	clock    clock.Clock
	newID    domain.IDSource
	reserved map[string]bool
	grants   Grants
	redirect func() (string, error)
}

// New returns a Service.
func New(c Config) *Service {
	kinds := map[outside.ConnectorKind]*Kind{}
	for i := range c.Kinds {
		kinds[c.Kinds[i].Name] = &c.Kinds[i]
	}
	s := &Service{
		Manager: newManager(c, kinds), rows: c.Rows, kinds: kinds, schemas: c.Schemas, compiled: &schema.Cache{}, keys: c.Keys,
		clock: c.Clock, newID: c.NewID, reserved: reservedPrefixes(c.BuiltIn),
		grants: c.Grants, redirect: c.Redirect,
	}
	if c.Grants != nil {
		s.Manager.grants = s.grantsOf
	}
	return s
}

func (s *Service) Connectors(ctx context.Context, workspace string) ([]*outside.Connector, error) {
	all, err := s.rows.Connectors(ctx, workspace)
	for _, c := range all {
		c.PausedUntil = s.Manager.pausedUntil(workspace, c.ID)
	}
	return all, err
}

func (s *Service) Connector(ctx context.Context, workspace, id string) (*outside.Connector, error) {
	c, err := s.rows.Connector(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	c.PausedUntil = s.Manager.pausedUntil(workspace, id)
	return c, nil
}

func (s *Service) kind(name outside.ConnectorKind) (*Kind, error) {
	if kind, ok := s.kinds[name]; ok {
		return kind, nil
	}
	return nil, domain.Invalid("/kind", "unknown_kind", "This server does not support connectors of kind %q.", name)
}

// CreateConnector stores a new connector.
func (s *Service) CreateConnector(ctx context.Context, workspace string, in outside.NewConnector) (*outside.Connector, error) {
	kind, err := s.kind(in.Kind)
	if err != nil {
		return nil, err
	}
	if err := s.checkPrefix(in.Prefix); err != nil {
		return nil, err
	}
	now := s.clock()
	c := &outside.Connector{
		ID: s.newID(domain.PrefixConnector), WorkspaceID: workspace, Name: in.Name, Kind: in.Kind, Prefix: in.Prefix,
		Enabled: !in.Disabled, Commands: []outside.ConnectorCommand{}, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	config, made, err := kind.makeSecrets(in.Config)
	if err != nil {
		return nil, err
	}
	if err := s.configure(kind, c, config); err != nil {
		return nil, err
	}
	if len(in.Commands) > 0 || kind.Written {
		if err := s.takeCommands(kind, c, in.Commands); err != nil {
			return nil, err
		}
	}
	resetStatus(c)
	if err := s.rows.InsertConnector(ctx, c); err != nil {
		return nil, err
	}
	if !kind.Written && c.Enabled {
		// The server is listed immediately. The connector is created even if that fails.
		if listed, err := s.RefreshConnector(context.WithoutCancel(ctx), workspace, c.ID); err == nil {
			c = listed
		}
	}
	return shown(c, made)
}

// resetStatus resets the status of a connector to unknown.
func resetStatus(c *outside.Connector) {
	c.Status, c.StatusDetail = outside.ConnectorReady, ""
	if !c.Enabled {
		c.Status = outside.ConnectorDisabled
	}
}

// maxConflicts bounds the retries of a change after conflicts.
const maxConflicts = 5

// change reads, changes and stores a connector. Without a version from the client, a conflicting
// change is not an error: the change is applied to the newer row.
func (s *Service) change(ctx context.Context, workspace, id string, version int64, change func(*outside.Connector) error) (
	*outside.Connector, error,
) {
	for try := 1; ; try++ {
		c, err := s.rows.Connector(ctx, workspace, id)
		if err != nil {
			return nil, err
		}
		if version != 0 && version != c.Version {
			return nil, domain.ChangedSince("connector")
		}
		if err := change(c); err != nil {
			return nil, err
		}
		c.UpdatedAt = s.clock()
		err = s.rows.UpdateConnector(ctx, c)
		switch {
		case err == nil:
			return c, nil
		case !errors.Is(err, domain.ErrStale):
			return nil, err
		case version != 0 || try == maxConflicts:
			return nil, domain.ChangedSince("connector")
		}
	}
}

// UpdateConnector merges a patch into a connector.
func (s *Service) UpdateConnector(ctx context.Context, workspace, id string, version int64, patch outside.ConnectorPatch) (
	*outside.Connector, error,
) {
	c, err := s.change(ctx, workspace, id, version, func(c *outside.Connector) error { return s.patch(c, patch) })
	if err != nil || len(patch.Config) == 0 || s.grants == nil {
		return c, err
	}
	// The origin has changed: the old sign-in is deleted. (It could not be decrypted for another
	// origin.)
	return c, s.grants.DropGrant(ctx, workspace, id, s.signsInAt(c))
}

// signsInAt returns the origin of the connector's sign-in, or "" if it has none.
func (s *Service) signsInAt(c *outside.Connector) string {
	kind := s.kinds[c.Kind]
	if _, err := s.signer(c, domain.Author{}); kind == nil || errors.Is(err, errNoSignIn) {
		return ""
	}
	origin, err := kind.Origin(c.Config)
	if err != nil {
		return ""
	}
	return origin
}

func (s *Service) patch(c *outside.Connector, patch outside.ConnectorPatch) error {
	kind, err := s.kind(c.Kind)
	if err != nil {
		return err
	}
	if patch.Name != nil {
		c.Name = *patch.Name
	}
	if patch.Prefix != nil {
		if err := s.checkPrefix(*patch.Prefix); err != nil {
			return err
		}
		c.Prefix = *patch.Prefix
	}
	if len(patch.Config) > 0 {
		merged, err := mergeConfig(c.Config, patch.Config)
		if err != nil {
			return err
		}
		if err := s.configure(kind, c, merged); err != nil {
			return err
		}
	}
	if patch.Commands != nil {
		if err := s.takeCommands(kind, c, *patch.Commands); err != nil {
			return err
		}
	}
	if enable := patch.Enabled; enable != nil && *enable != c.Enabled || len(patch.Config) > 0 {
		c.Enabled = c.Enabled && enable == nil || enable != nil && *enable
		resetStatus(c)
	}
	return nil
}

// UpdateConnectorCommand changes a person's settings of one command. Offering a changed command
// counts as a review.
func (s *Service) UpdateConnectorCommand(
	ctx context.Context, workspace, id, name string, version int64, patch outside.ConnectorCommandPatch,
) (*outside.Connector, error) {
	return s.change(ctx, workspace, id, version, func(c *outside.Connector) error {
		command := c.Command(name)
		if command == nil {
			return domain.NotFound("command of this connector")
		}
		if patch.Effect != nil {
			command.Effect = *patch.Effect
		}
		if patch.RequireValidation != nil {
			command.RequireValidation = *patch.RequireValidation
		}
		if patch.Trusted != nil {
			command.Trusted = *patch.Trusted
		}
		if patch.Sensitive != nil {
			command.Sensitive = *patch.Sensitive
		}
		switch {
		case patch.State == nil:
		case command.State == outside.CommandGone: // takes effect when it is listed again
			command.Before = *patch.State
		default:
			command.State, command.LookedAt, command.Reviewed = *patch.State, nil, new(true)
		}
		command.Decided = true
		if patch.Timeout != nil {
			command.Timeout = *patch.Timeout
		}
		return checkTimeout(command.Timeout)
	})
}

// DeleteConnector deletes a connector and its commands.
func (s *Service) DeleteConnector(ctx context.Context, workspace, id string, version int64) error {
	c, err := s.rows.Connector(ctx, workspace, id)
	if err != nil {
		return err
	}
	if version != 0 && version != c.Version {
		return domain.ChangedSince("connector")
	}
	return s.rows.DeleteConnector(ctx, workspace, id)
}
