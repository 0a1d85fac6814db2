package nodes

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// Store stores the leases of the nodes and which node drives which sessions.
type Store struct {
	db      *transaction.DB
	renewed atomic.Bool // this incarnation has had its lease
}

// NewStore makes the store of the node that db names.
func NewStore(db *transaction.DB) *Store { return &Store{db: db} }

// errNodeTaken: two processes with the same name would take over each other's sessions.
var errNodeTaken = errors.New("renew the lease: another process runs under this node's name; give each node a name of its own")

// Renew extends this node's lease by ttl on the database's clock: one write per node, however many
// sessions it drives. The first call takes over the name from an earlier process of this node.
func (s *Store) Renew(ctx context.Context, ttl time.Duration) error {
	first := !s.renewed.Load()
	err := s.db.Write(ctx, "", func(t *transaction.Tx) error {
		// The markers of earlier renewals are obsolete.
		_, err := t.Write(ctx, "DELETE FROM changes WHERE workspace_id = '' AND at < $1", sqldb.At(s.db.Clock().Add(-time.Hour)))
		if err != nil {
			return err
		}
		const renew = " ON CONFLICT (id) DO UPDATE SET incarnation = excluded.incarnation, lease_until = excluded.lease_until, " +
			"renewed_at = excluded.renewed_at WHERE nodes.incarnation = excluded.incarnation"
		condition := renew
		if first {
			condition += " OR TRUE"
		}
		return t.WriteOne(ctx, errNodeTaken, "INSERT INTO nodes (id, incarnation, lease_until, renewed_at) "+
			"VALUES ($1, $2, "+s.db.Dialect.Clock+" + $3, "+s.db.Dialect.Clock+")"+condition,
			s.db.Node, s.db.Incarnation, ttl.Microseconds())
	})
	if err != nil {
		return fmt.Errorf("renew the lease of node %s: %w", s.db.Node, err)
	}
	s.renewed.Store(true)
	return nil
}

// Release gives up the lease: other nodes may take over this node's sessions at once. The sessions'
// incarnation is cleared, which marks an orderly shutdown.
func (s *Store) Release(ctx context.Context) error {
	err := s.db.Write(ctx, "", func(t *transaction.Tx) error {
		_, err := t.Write(ctx, "UPDATE nodes SET lease_until = 0 WHERE id = $1 AND incarnation = $2", s.db.Node, s.db.Incarnation)
		if err != nil {
			return err
		}
		for _, active := range []string{"holds_slot", "call_aside"} { // not with OR: each has an index
			// Decisions based on these sessions must not overwrite the release.
			_, err = t.Write(ctx, "UPDATE workspaces SET last_change_id = $3 WHERE id IN (SELECT workspace_id FROM sessions "+
				"WHERE "+active+" AND owner_node = $1 AND owner_incarnation = $2)", s.db.Node, s.db.Incarnation, t.ChangeID)
			if err != nil {
				return err
			}
			_, err = t.Write(ctx, "UPDATE sessions SET owner_incarnation = '' WHERE "+active+" AND owner_node = $1 AND owner_incarnation = $2",
				s.db.Node, s.db.Incarnation)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("give back the lease of node %s: %w", s.db.Node, err)
	}
	return nil
}

// LeaseUntil returns when this node's lease expires on the database's clock, or nil if it has none.
func (s *Store) LeaseUntil(ctx context.Context) (*time.Time, error) {
	var until sqldb.Stamp
	err := s.db.Get(ctx, &until, "SELECT lease_until FROM nodes WHERE id = $1 AND incarnation = $2", s.db.Node, s.db.Incarnation)
	if sqldb.NotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the lease: %w", err)
	}
	return until.Ptr(), nil
}

type refRow struct {
	WorkspaceID string `db:"workspace_id"`
	ID          string `db:"id"`
	RunEpoch    int64  `db:"run_epoch"`
}

func refs(rows []refRow) []domain.SessionRef {
	out := make([]domain.SessionRef, len(rows))
	for i, r := range rows {
		out[i] = domain.SessionRef{WorkspaceID: r.WorkspaceID, SessionID: r.ID, RunEpoch: r.RunEpoch}
	}
	return out
}

// Claimable lists active sessions without a living driver: without an owner, owned by a node whose
// lease has expired, or by an earlier incarnation of a node. Each comes with the claim that was
// seen, which must be unchanged when it is taken over.
func (s *Store) Claimable(ctx context.Context, limit int) ([]domain.SessionRef, error) {
	q := atWork()
	q.Add(" AND (NOT " + transaction.Alive(s.db.Dialect, "s.owner_node", "s.owner_incarnation"))
	// Before this process has its lease, the node's row may be that of its predecessor.
	q.Add(" OR (s.owner_node = ? AND s.owner_incarnation <> ?))", s.db.Node, s.db.Incarnation)
	q.Add(" ORDER BY s.last_event_time, s.id LIMIT ?", limit)
	var rows []refRow
	if err := s.db.All(ctx, &rows, q.Text(), q.Args()...); err != nil {
		return nil, fmt.Errorf("look for sessions without a driver: %w", err)
	}
	return refs(rows), nil
}

// driven are the sessions that have drivers: those with the slot, and those that finish a call without it. A UNION, because
// each part has an index.
const driven = "SELECT * FROM sessions WHERE holds_slot UNION ALL SELECT * FROM sessions WHERE call_aside AND NOT holds_slot"

// atWork begins a query for active sessions.
func atWork() *sqldb.Query {
	q := sqldb.NewQuery("SELECT s.workspace_id, s.id, s.run_epoch FROM (" + driven + ") s WHERE s.phase IN (")
	comma := ""
	for _, phase := range domain.Phases {
		if phase.Working() {
			q.Add(comma+"?", string(phase))
			comma = ", "
		}
	}
	q.Add(")")
	return q
}

// Owned lists the active sessions that this process has claimed.
func (s *Store) Owned(ctx context.Context) ([]domain.SessionRef, error) {
	q := atWork()
	q.Add(" AND s.owner_node = ? AND s.owner_incarnation = ? ORDER BY s.last_event_time, s.id", s.db.Node, s.db.Incarnation)
	var rows []refRow
	if err := s.db.All(ctx, &rows, q.Text(), q.Args()...); err != nil {
		return nil, fmt.Errorf("look for the sessions of this node: %w", err)
	}
	return refs(rows), nil
}

// Suspects lists the sessions of this process that were set aside because the process that drove
// them died.
func (s *Store) Suspects(ctx context.Context) ([]domain.SessionRef, error) {
	var rows []refRow
	err := s.db.All(ctx, &rows, "SELECT s.workspace_id, s.id, s.run_epoch FROM queue q CROSS JOIN sessions s WHERE s.workspace_id = q.workspace_id "+
		"AND s.id = q.session_id AND q.reason = $1 AND s.owner_node = $2 AND s.owner_incarnation = $3 ORDER BY q.workspace_id, q.session_id",
		domain.QueuedSuspect, s.db.Node, s.db.Incarnation)
	if err != nil {
		return nil, fmt.Errorf("look for the sessions that stand aside: %w", err)
	}
	return refs(rows), nil
}

// Nodes lists the nodes whose lease is valid or expired recently, each with the number of sessions
// that it drives.
func (s *Store) Nodes(ctx context.Context) ([]reports.Node, error) {
	var rows []struct {
		ID          string      `db:"id"`
		Incarnation string      `db:"incarnation"`
		LeaseUntil  sqldb.Stamp `db:"lease_until"`
		Alive       bool        `db:"alive"`
		Sessions    int         `db:"sessions"`
	}
	work := atWork()
	text := "SELECT n.id, n.incarnation, n.lease_until, n.lease_until > " + s.db.Dialect.Clock + " AS alive, " +
		"(SELECT COUNT(*) FROM (" + work.Text() + " AND s.owner_node = n.id AND s.owner_incarnation = n.incarnation) w) AS sessions " +
		"FROM nodes n WHERE n.renewed_at > " + s.db.Dialect.Clock + " - 86400000000 ORDER BY n.id"
	if err := s.db.All(ctx, &rows, text, work.Args()...); err != nil {
		return nil, fmt.Errorf("list the nodes: %w", err)
	}
	out := make([]reports.Node, len(rows))
	for i, r := range rows {
		out[i] = reports.Node{ID: r.ID, Incarnation: r.Incarnation, LeaseUntil: r.LeaseUntil.Time, Alive: r.Alive, Sessions: r.Sessions}
	}
	return out, nil
}
