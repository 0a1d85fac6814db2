package outside

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

type connectorGrantRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	ConnectorID string      `db:"connector_id,key"`
	Origin      string      `db:"origin"`
	Sealed      string      `db:"sealed"`
	StateHash   string      `db:"state_hash"`
	BegunBy     string      `db:"begun_by"`
	Version     int64       `db:"version,version"`
	UpdatedAt   sqldb.Stamp `db:"updated_at"`
	// ClaimedUntil is not part of the row's writes: writing the row releases the claim.
	ClaimedUntil sqldb.Stamp `db:"claimed_until,write"`
}

var (
	connectorGrantTable  = sqldb.NewTable[connectorGrantRow]("connector_grants")
	connectorGrantUpdate = connectorGrantTable.Update()
)

func connectorGrantRowOf(g *outside.ConnectorGrant) (connectorGrantRow, error) {
	by, err := sqldb.EncodeJSON(&g.BegunBy)
	return connectorGrantRow{
		WorkspaceID: g.WorkspaceID, ConnectorID: g.ConnectorID, Origin: g.Origin, Sealed: g.Sealed, StateHash: g.StateHash,
		BegunBy: by, Version: g.Version, UpdatedAt: sqldb.At(g.UpdatedAt),
	}, err
}

func (r *connectorGrantRow) grant() (*outside.ConnectorGrant, error) {
	by, err := sqldb.DecodeJSON[domain.Author](r.BegunBy)
	if err != nil {
		return nil, fmt.Errorf("read the pending sign-in to connector %s: %w", r.ConnectorID, err)
	}
	return &outside.ConnectorGrant{
		WorkspaceID: r.WorkspaceID, ConnectorID: r.ConnectorID, Origin: r.Origin, Sealed: r.Sealed, StateHash: r.StateHash,
		BegunBy: *by, Version: r.Version, UpdatedAt: r.UpdatedAt.Time,
	}, nil
}

// ConnectorGrant returns the result of the sign-in to a connector, or nil if there was none.
func (s *ConnectorStore) ConnectorGrant(ctx context.Context, workspace, connector string) (*outside.ConnectorGrant, error) {
	return s.grantWhere(ctx, "workspace_id = $1 AND connector_id = $2", workspace, connector)
}

// GrantOfState finds the pending sign-in that a callback belongs to, in any workspace, or nil if
// there is none. A guessed state costs one read and no write.
func (s *ConnectorStore) GrantOfState(ctx context.Context, hash string) (*outside.ConnectorGrant, error) {
	if hash == "" {
		return nil, nil
	}
	return s.grantWhere(ctx, "state_hash = $1 AND state_hash <> ''", hash)
}

func (s *ConnectorStore) grantWhere(ctx context.Context, condition string, args ...any) (*outside.ConnectorGrant, error) {
	var row connectorGrantRow
	err := s.db.Get(ctx, &row, "SELECT "+connectorGrantTable.Columns()+" FROM connector_grants WHERE "+condition, args...)
	if sqldb.NotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the sign-in to a connector: %w", err)
	}
	return row.grant()
}

// SaveGrant stores a grant if its version matches, and releases the claim to renew it. It returns
// domain.ErrStale after a conflicting write.
func (s *ConnectorStore) SaveGrant(ctx context.Context, g *outside.ConnectorGrant) error {
	row, err := connectorGrantRowOf(g)
	if err != nil {
		return err
	}
	err = s.db.WriteUnseen(ctx, g.WorkspaceID, func(t *transaction.Tx) error {
		if g.Version == 0 {
			row.Version = 1
			var there string
			err := t.Get(ctx, &there, "SELECT id FROM connectors WHERE workspace_id = $1 AND id = $2", g.WorkspaceID, g.ConnectorID)
			if sqldb.NotFound(err) {
				return domain.NotFound("connector")
			}
			if err != nil {
				return err
			}
			n, err := t.Insert(ctx, connectorGrantTable.Rows(row), " ON CONFLICT (workspace_id, connector_id) DO NOTHING")
			return oneOrStale(n, err)
		}
		n, err := t.Write(ctx, connectorGrantUpdate, connectorGrantTable.Updated(&row)...)
		return oneOrStale(n, err)
	})
	if err == nil {
		g.Version++
	}
	return err
}

func oneOrStale(n int64, err error) error {
	if err == nil && n != 1 {
		return domain.ErrStale
	}
	return err
}

// ClaimGrant claims the renewal of a grant until a time. It returns false if it is claimed already
// or the grant was changed.
func (s *ConnectorStore) ClaimGrant(ctx context.Context, g *outside.ConnectorGrant, now, until time.Time) (bool, error) {
	var n int64
	err := s.db.WriteUnseen(ctx, g.WorkspaceID, func(t *transaction.Tx) (err error) {
		n, err = t.Write(ctx, "UPDATE connector_grants SET claimed_until = $5 WHERE workspace_id = $1 AND connector_id = $2 AND version = $3 "+
			"AND (claimed_until IS NULL OR claimed_until <= $4)", g.WorkspaceID, g.ConnectorID, g.Version, sqldb.At(now), sqldb.At(until))
		return err
	})
	return n == 1, err
}

// DropGrant deletes the grant of a connector, unless it is for this origin.
func (s *ConnectorStore) DropGrant(ctx context.Context, workspace, connector, but string) error {
	return s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		_, err := t.Write(ctx, "DELETE FROM connector_grants WHERE workspace_id = $1 AND connector_id = $2 AND origin <> $3",
			workspace, connector, but)
		return err
	})
}
