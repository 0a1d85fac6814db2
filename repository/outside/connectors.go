package outside

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

var connectorCeiling = transaction.Ceiling{Most: 50, Noun: "connectors", From: "connectors WHERE 1 = 1"}

// ConnectorStore stores connectors.
type ConnectorStore struct {
	db      *transaction.DB
	changes connectorChanges
}

// NewConnectorStore makes the store of connectors.
func NewConnectorStore(db *transaction.DB) *ConnectorStore {
	return &ConnectorStore{db: db, changes: connectorChanges{by: cache.Map[string, int64]{Most: 10_000}}}
}

type connectorRow struct {
	WorkspaceID  string      `db:"workspace_id,key"`
	ID           string      `db:"id,key"`
	Name         string      `db:"name"`
	Kind         string      `db:"kind,once"`
	Prefix       string      `db:"prefix"`
	Enabled      bool        `db:"enabled"`
	Config       string      `db:"config"`
	SecretSealed string      `db:"secret_sealed"`
	Commands     string      `db:"commands"`
	Status       string      `db:"status"`
	StatusDetail string      `db:"status_detail"`
	LastListedAt sqldb.Stamp `db:"last_listed_at"`
	Version      int64       `db:"version,version"`
	CreatedAt    sqldb.Stamp `db:"created_at,once"`
	UpdatedAt    sqldb.Stamp `db:"updated_at"`
}

var (
	connectorTable  = sqldb.NewTable[connectorRow]("connectors")
	connectorUpdate = connectorTable.Update()
)

func connectorRowOf(c *outside.Connector) (connectorRow, error) {
	commands, err := sqldb.EncodeJSON(&c.Commands)
	if err != nil {
		return connectorRow{}, err
	}
	return connectorRow{
		WorkspaceID: c.WorkspaceID, ID: c.ID, Name: c.Name, Kind: string(c.Kind), Prefix: c.Prefix, Enabled: c.Enabled,
		Config: string(c.Config), SecretSealed: c.SecretSealed, Commands: commands, Status: string(c.Status), StatusDetail: c.StatusDetail,
		LastListedAt: sqldb.AtPtr(c.LastListedAt), Version: c.Version, CreatedAt: sqldb.At(c.CreatedAt), UpdatedAt: sqldb.At(c.UpdatedAt),
	}, nil
}

func (r *connectorRow) connector() (*outside.Connector, error) {
	c := &outside.Connector{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Name: r.Name, Kind: outside.ConnectorKind(r.Kind), Prefix: r.Prefix, Enabled: r.Enabled,
		Config: sqldb.RawJSON(r.Config), SecretSealed: r.SecretSealed,
		Status: outside.ConnectorStatus(r.Status), StatusDetail: r.StatusDetail,
		LastListedAt: r.LastListedAt.Ptr(), Version: r.Version, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
	if err := json.Unmarshal([]byte(r.Commands), &c.Commands); err != nil {
		return nil, fmt.Errorf("read the commands of connector %s: %w", r.ID, err)
	}
	return c, nil
}

// Connectors lists a workspace's connectors, oldest first.
func (s *ConnectorStore) Connectors(ctx context.Context, workspace string) ([]*outside.Connector, error) {
	var rows []connectorRow
	err := s.db.All(ctx, &rows,
		"SELECT "+connectorTable.Columns()+" FROM connectors WHERE workspace_id = $1 ORDER BY created_at, id", workspace)
	if err != nil {
		return nil, fmt.Errorf("list the connectors: %w", err)
	}
	return transaction.Each(rows, (*connectorRow).connector)
}

// Connector returns one connector.
func (s *ConnectorStore) Connector(ctx context.Context, workspace, id string) (*outside.Connector, error) {
	var row connectorRow
	err := s.db.Get(ctx, &row, "SELECT "+connectorTable.Columns()+" FROM connectors WHERE workspace_id = $1 AND id = $2", workspace, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("connector")
	}
	if err != nil {
		return nil, fmt.Errorf("read the connector: %w", err)
	}
	return row.connector()
}

// InsertConnector stores a connector. It returns a conflict if its prefix is taken.
func (s *ConnectorStore) InsertConnector(ctx context.Context, c *outside.Connector) error {
	row, err := connectorRowOf(c)
	if err != nil {
		return err
	}
	row.Version = max(c.Version, 1)
	err = s.changeConnectors(ctx, c.WorkspaceID, func(t *transaction.Tx) error {
		if err := connectorCeiling.Room(ctx, t, c.WorkspaceID); err != nil {
			return err
		}
		if err := checkPrefix(ctx, t, c); err != nil {
			return err
		}
		t.Created = c.ID
		_, err := t.Insert(ctx, connectorTable.Rows(row), "")
		return err
	})
	if err == nil {
		c.Version = row.Version
	}
	return err
}

// UpdateConnector updates a connector if its version matches, and increments the version.
func (s *ConnectorStore) UpdateConnector(ctx context.Context, c *outside.Connector) error {
	row, err := connectorRowOf(c)
	if err != nil {
		return err
	}
	err = s.changeConnectors(ctx, c.WorkspaceID, func(t *transaction.Tx) error {
		if err := checkPrefix(ctx, t, c); err != nil {
			return err
		}
		n, err := t.Write(ctx, connectorUpdate, connectorTable.Updated(&row)...)
		if err != nil || n == 1 {
			return err
		}
		return transaction.StaleOrGone(ctx, t, "connectors", "connector", c.WorkspaceID, c.ID)
	})
	if err == nil {
		c.Version++
	}
	return err
}

// checkPrefix returns a conflict if another connector has the prefix. The workspace must be locked.
func checkPrefix(ctx context.Context, t *transaction.Tx, c *outside.Connector) error {
	var other string
	err := t.Get(ctx, &other,
		"SELECT name FROM connectors WHERE workspace_id = $1 AND prefix = $2 AND id <> $3", c.WorkspaceID, c.Prefix, c.ID)
	switch {
	case sqldb.NotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("look for the prefix: %w", err)
	}
	return domain.Errorf(domain.CodeConflict,
		"The prefix %s belongs to the connector %q. Choose another one; nothing was changed.", c.Prefix, other)
}

// SetConnectorStatus records the result of a health check. It does not change the version, which is
// for edits.
func (s *ConnectorStore) SetConnectorStatus(ctx context.Context, workspace, id string,
	status outside.ConnectorStatus, detail string) error {
	return s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		_, err := t.Write(ctx, "UPDATE connectors SET status = $3, status_detail = $4 WHERE workspace_id = $1 AND id = $2 AND enabled",
			workspace, id, string(status), detail)
		return err
	})
}

// DeleteConnector deletes a connector with its commands and its sign-in.
func (s *ConnectorStore) DeleteConnector(ctx context.Context, workspace, id string) error {
	return s.changeConnectors(ctx, workspace, func(t *transaction.Tx) error {
		if _, err := t.Write(ctx, "DELETE FROM connector_grants WHERE workspace_id = $1 AND connector_id = $2", workspace, id); err != nil {
			return err
		}
		return t.WriteOne(ctx, domain.NotFound("connector"), "DELETE FROM connectors WHERE workspace_id = $1 AND id = $2", workspace, id)
	})
}

// changeConnectors is configure that also increments the workspace's count of changes to
// connectors.
func (s *ConnectorStore) changeConnectors(ctx context.Context, workspace string, fn func(t *transaction.Tx) error) error {
	return s.db.Configure(ctx, workspace, func(t *transaction.Tx) error {
		if err := fn(t); err != nil {
			return err
		}
		var changes int64
		err := t.Get(ctx, &changes,
			"UPDATE workspaces SET connector_changes = connector_changes + 1 WHERE id = $1 RETURNING connector_changes", workspace)
		if err != nil {
			return fmt.Errorf("count the change of the connectors: %w", err)
		}
		t.OnCommit(func() {
			s.changes.learn(workspace, changes)
			s.db.Committed(&domain.Change{WorkspaceID: workspace, Unstored: domain.Unstored{ConnectorChanges: changes}})
		})
		return nil
	})
}

// ConnectorChanges returns how often the connectors of a workspace were changed, according to the
// last view that this process read. Only the first call for a workspace queries the database.
func (s *ConnectorStore) ConnectorChanges(ctx context.Context, workspace string) (int64, error) {
	if n, known := s.changes.of(workspace); known {
		return n, nil
	}
	row, err := transaction.WorkspaceIn(ctx, s.db, workspace, "")
	if err != nil {
		return 0, err
	}
	s.changes.learn(workspace, row.ConnectorChanges)
	return row.ConnectorChanges, nil
}

// LearnConnectorChanges records the count that another node reported for a workspace; 0 reads it
// from the database.
func (s *ConnectorStore) LearnConnectorChanges(ctx context.Context, workspace string, changes int64) error {
	if changes == 0 {
		row, err := transaction.WorkspaceIn(ctx, s.db, workspace, "")
		if err != nil {
			return err
		}
		changes = row.ConnectorChanges
	}
	s.changes.learn(workspace, changes)
	return nil
}

// SawConnectorChanges records the count of a view that was read.
func (s *ConnectorStore) SawConnectorChanges(workspace string, changes int64) {
	s.changes.learn(workspace, changes)
}

// connectorChanges caches the counts from the workspaces' rows.
type connectorChanges struct {
	by cache.Map[string, int64]
}

func (c *connectorChanges) of(workspace string) (n int64, known bool) {
	return c.by.Get(workspace)
}

// learn keeps the highest count: concurrent readers may report out of order.
func (c *connectorChanges) learn(workspace string, n int64) {
	c.by.SetIf(workspace, n, func(known int64) bool { return known < n })
}
