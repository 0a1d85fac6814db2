package transaction

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// WorkspaceRow is the row of a workspace, which is also its lock.
type WorkspaceRow struct {
	ID               string      `db:"id"`
	Name             string      `db:"name"`
	Settings         string      `db:"settings"`
	LastSeq          int64       `db:"last_seq,read"`
	LastChange       string      `db:"last_change_id,read"`
	QueueLength      int64       `db:"queue_length,read"`
	Agents           int64       `db:"agents_version,read"`
	ConnectorChanges int64       `db:"connector_changes,read"`
	SearchVersion    int64       `db:"search_version,once"`
	CreatedAt        sqldb.Stamp `db:"created_at"`
}

// WorkspaceTable names the columns of workspaces.
var WorkspaceTable = sqldb.NewTable[WorkspaceRow]("workspaces")

// State is the state of the workspace as of its row.
func (r *WorkspaceRow) State() State {
	return State{Change: r.LastChange, Seq: r.LastSeq, Queue: r.QueueLength}
}

// Workspace converts the row; settings decodes its settings.
func (r *WorkspaceRow) Workspace(settings func(text string) (domain.Settings, error)) (*domain.Workspace, error) {
	w := &domain.Workspace{ID: r.ID, Name: r.Name, LastSeq: r.LastSeq, AgentsVersion: r.Agents, CreatedAt: r.CreatedAt.Time}
	var err error
	if w.Settings, err = settings(r.Settings); err != nil {
		return nil, fmt.Errorf("read workspace %s: %w", r.ID, err)
	}
	return w, nil
}

// WorkspaceIn reads the row of a workspace, and locks it with the dialect's clause as lock; "" does not lock.
func WorkspaceIn(ctx context.Context, r sqldb.Reader, id, lock string) (*WorkspaceRow, error) {
	var row WorkspaceRow
	err := r.Get(ctx, &row, "SELECT "+WorkspaceTable.Columns()+" FROM workspaces WHERE id = $1"+lock, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("workspace")
	}
	if err != nil {
		return nil, fmt.Errorf("read the workspace: %w", err)
	}
	return &row, nil
}

// State is the state of a workspace after a change: the change, the number of its last event,
// and the length of the queue. The three belong together: if the change is still the latest one,
// the other two are current.
type State struct {
	Change string
	Seq    int64
	Queue  int64 // UnknownQueue if it was not counted
}

// UnknownQueue is the length of a queue that was changed: it must be read when needed.
const UnknownQueue = -1
