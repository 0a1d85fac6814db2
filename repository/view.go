package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/outside"
)

// View reads everything that a decision about one session needs, as of one instant, without locks.
func (s *Store) View(ctx context.Context, workspace, session string) (*domain.View, error) {
	var v *domain.View
	err := s.db.Read(ctx, func(r sqldb.Reader) error {
		var err error
		v, err = s.view(ctx, r, workspace, session, "", waitingSQL)
		return err
	})
	return v, err
}

// view skips the queries that the rows of the workspace and the session rule out: most views take
// one query. inbox is the query for pending items: waitingSQL or briefSQL.
func (s *base) view(ctx context.Context, r sqldb.Reader, workspace, session, lock, inbox string) (*domain.View, error) {
	v, _, err := s.viewAndRow(ctx, r, workspace, session, lock, inbox)
	return v, err
}

// viewAndRow is view that also returns the workspace's row.
func (s *base) viewAndRow(ctx context.Context, r sqldb.Reader, workspace, session, lock, inbox string) (
	*domain.View, *transaction.WorkspaceRow, error,
) {
	row, rows, err := viewRows(ctx, r, workspace, session, lock)
	if err != nil {
		return nil, nil, err
	}
	s.states.learn(workspace, row.State())
	s.connectors.SawConnectorChanges(workspace, row.ConnectorChanges)
	v, err := s.viewFrom(ctx, r, row, rows, session, inbox)
	return v, row, err
}

// viewFrom reads the rest of the view.
func (s *base) viewFrom(ctx context.Context, r sqldb.Reader, row *transaction.WorkspaceRow, rows []sessionRow, session, inbox string) (
	*domain.View, error,
) {
	workspace := row.ID
	v := &domain.View{}
	var err error
	if v.Workspace, err = row.Workspace(s.settings.of); err != nil {
		return nil, err
	}
	mine, holder, err := viewSessions(v, session, rows)
	if err != nil {
		return nil, err
	}
	if row.QueueLength > 0 {
		if v.Queue, err = queueWithSessions(ctx, r, workspace, domain.Chat, queueWhole); err != nil {
			return nil, err
		}
		if err = markBlocked(ctx, r, workspace, v.Queue); err != nil {
			return nil, err
		}
	}
	if holder != nil && holder != mine {
		if v.Holder.Phase.Effect().CallsAI() {
			if v.CallsAside, err = callsAside(ctx, r, workspace); err != nil {
				return nil, err
			}
		}
		v.HolderOpen, v.HolderCancelMessage, v.HolderPlanned, err = waitOf(ctx, r, v.Holder, holder.OpenApprovals)
		if err != nil {
			return nil, err
		}
		if v.HolderAgents, err = agentsOf(ctx, r, v.Holder, v.HolderPlanned); err != nil {
			return nil, err
		}
		if holder.InboxPending > 0 {
			if v.HolderInbox, err = waiting(ctx, r, briefSQL, workspace, holder.ID); err != nil {
				return nil, err
			}
		}
	}
	if mine != nil {
		if err := viewOf(ctx, r, v, mine, inbox); err != nil {
			return nil, err
		}
	}
	v.Spent, err = s.spentIn(ctx, r, v.Workspace, v.Session)
	return v, err
}

// viewRow is a session joined with its workspace.
type viewRow struct {
	sessionRow
	WorkspaceName    string      `db:"workspace_name"`
	Settings         string      `db:"settings"`
	WorkspaceSeq     int64       `db:"workspace_seq"`
	QueueLength      int64       `db:"queue_length"`
	WorkspaceAgents  int64       `db:"workspace_agents"`
	ConnectorChanges int64       `db:"connector_changes"`
	WorkspaceCreated sqldb.Stamp `db:"workspace_created"`
	LastChange       string      `db:"last_change_id"`
	SeenChange       string      `db:"seen_change_id"`
}

var (
	// theSessions are the session and the holder of the slot, which may be the same.
	theSessions = "IN ($2, (SELECT h.id FROM sessions h WHERE h.workspace_id = $1 AND h.holds_slot))"
	sessionsSQL = "SELECT " + sessionTable.Columns() + " FROM sessions WHERE workspace_id = $1 AND id " + theSessions
)

// viewSQL reads the workspace with the sessions. If it locks, it may have waited for another
// transaction: then the workspace's row is as that transaction left it, but the sessions are older.
// Comparing the workspace's latest change as locked with the one that the statement's snapshot
// shows detects this.
var viewSQL = "SELECT w.name AS workspace_name, w.settings, w.last_seq AS workspace_seq, w.queue_length, " +
	"w.agents_version AS workspace_agents, w.connector_changes, " +
	"w.created_at AS workspace_created, w.last_change_id, " +
	"(SELECT x.last_change_id FROM workspaces x WHERE x.id = $1) AS seen_change_id, " + sessionTable.ColumnsOf("s") +
	" FROM workspaces w JOIN sessions s ON s.workspace_id = w.id AND s.id " + theSessions + " WHERE w.id = $1"

// viewRows reads the rows of the workspace, the session and the slot's holder, as of one instant.
// It locks the workspace first: sessions are written only under that lock.
func viewRows(ctx context.Context, r sqldb.Reader, workspace, session, lock string) (*transaction.WorkspaceRow, []sessionRow, error) {
	if session != "" {
		w, sessions, err := viewAtOnce(ctx, r, workspace, session, lock)
		if err != nil || w != nil {
			return w, sessions, err
		}
	}
	w, err := transaction.WorkspaceIn(ctx, r, workspace, lock)
	if err != nil {
		return nil, nil, err
	}
	var sessions []sessionRow
	if err := r.All(ctx, &sessions, sessionsSQL+lock, workspace, session); err != nil {
		return nil, nil, fmt.Errorf("read the session and the holder: %w", err)
	}
	return w, sessions, nil
}

// viewAtOnce is viewRows in one query. It returns no workspace if the rows must be read one after
// the other: no row matched, or another transaction was faster.
func viewAtOnce(ctx context.Context, r sqldb.Reader, workspace, session, lock string) (*transaction.WorkspaceRow, []sessionRow, error) {
	if lock != "" {
		lock += " OF w"
	}
	var both []viewRow
	if err := r.All(ctx, &both, viewSQL+lock, workspace, session); err != nil {
		return nil, nil, fmt.Errorf("read the workspace and its sessions: %w", err)
	}
	if len(both) == 0 || both[0].LastChange != both[0].SeenChange {
		return nil, nil, nil
	}
	w := &transaction.WorkspaceRow{
		ID: workspace, Name: both[0].WorkspaceName, Settings: both[0].Settings, LastSeq: both[0].WorkspaceSeq,
		LastChange: both[0].LastChange, QueueLength: both[0].QueueLength,
		Agents: both[0].WorkspaceAgents, ConnectorChanges: both[0].ConnectorChanges, CreatedAt: both[0].WorkspaceCreated,
	}
	sessions := make([]sessionRow, len(both))
	for i := range both {
		sessions[i] = both[i].sessionRow
	}
	return w, sessions, nil
}

// viewSessions finds the session and the holder of the slot among the rows.
func viewSessions(v *domain.View, session string, rows []sessionRow) (mine, holder *sessionRow, err error) {
	for i := range rows {
		row := &rows[i]
		found, err := row.session()
		if err != nil {
			return nil, nil, err
		}
		if row.ID == session {
			mine, v.Session = row, found
		}
		if row.HoldsSlot {
			holder, v.Holder = row, found
		}
	}
	if session != "" && mine == nil {
		return nil, nil, domain.NotFound("session")
	}
	return mine, holder, nil
}

// viewOf reads the rest of the session.
func viewOf(ctx context.Context, r sqldb.Reader, v *domain.View, row *sessionRow, inbox string) error {
	s := v.Session
	for _, q := range v.Queue {
		if q.SessionID == s.ID {
			s.QueuePosition = q.Position
		}
	}
	var err error
	if v.Open, v.CancelMessage, v.Planned, err = waitOf(ctx, r, s, row.OpenApprovals); err != nil {
		return err
	}
	if v.Agents, err = agentsOf(ctx, r, s, v.Planned); err != nil {
		return err
	}
	if s.AutomationID != "" && s.Type == domain.Run && s.Phase != domain.Completed {
		if v.Grants, err = activeGrants(ctx, r, s.WorkspaceID, s.AutomationID, s.ID); err != nil {
			return err
		}
		if !s.HoldsSlot { // a session with the slot waits for no other
			if v.BehindOwnRun, err = earlierRun(ctx, r, s); err != nil {
				return err
			}
		}
	}
	if row.OpenTasks > 0 {
		if v.Tasks, err = outside.OpenTasks(ctx, r, s.WorkspaceID, s.ID); err != nil {
			return err
		}
	}
	if row.InboxPending > 0 {
		if v.Inbox, err = waiting(ctx, r, inbox, s.WorkspaceID, s.ID); err != nil {
			return err
		}
		v.InboxBrief = inbox == briefSQL
	}
	return nil
}

// waitOf reads what a session waits for and carries out: its open approvals, the cancel message of
// its wait, and the executions of its answer. At rest it carries out nothing.
func waitOf(ctx context.Context, r sqldb.Reader, s *domain.Session, approvals int64) (
	open []*domain.Approval, cancel *domain.Message, executions []*domain.Execution, err error,
) {
	if approvals > 0 {
		if open, err = openApprovals(ctx, r, s.WorkspaceID, s.ID); err != nil {
			return nil, nil, nil, err
		}
	}
	if w := s.State.Waiting; w != nil && w.CancelMessageID != "" {
		cancel, err = messageIn(ctx, r, s.WorkspaceID, s.ID, w.CancelMessageID)
		if err != nil && domain.ErrorCode(err) != domain.CodeNotFound {
			return nil, nil, nil, err
		}
	}
	if s.State.AnswerID != "" && s.Phase != domain.Idle && s.Phase != domain.Completed {
		if executions, err = executionsOf(ctx, r, s.WorkspaceID, s.ID, s.State.AnswerID); err != nil {
			return nil, nil, nil, err
		}
	}
	return open, cancel, executions, nil
}
