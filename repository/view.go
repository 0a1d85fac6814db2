package repository

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
		v, err = s.view(ctx, r, viewOf{workspace: workspace, session: session, inbox: waitingSQL})
		return err
	})
	return v, err
}

// viewOf is what a view is read of.
type viewOf struct {
	workspace, session string
	// lane returns the lane of a session that is to be made, where session is ""; nil: the view has no lane.
	lane  func(*domain.Workspace) (string, error)
	lock  string
	inbox string // the query for pending items: waitingSQL or briefSQL
}

// view skips the queries that the rows of the workspace and the session rule out: most views take
// one query.
func (s *base) view(ctx context.Context, r sqldb.Reader, of viewOf) (*domain.View, error) {
	v, _, err := s.viewAndRow(ctx, r, of)
	return v, err
}

// viewAndRow is view that also returns the workspace's row.
func (s *base) viewAndRow(ctx context.Context, r sqldb.Reader, of viewOf) (*domain.View, *transaction.WorkspaceRow, error) {
	v := &domain.View{}
	row, rows, err := s.viewRows(ctx, r, v, of)
	if err != nil {
		return nil, nil, err
	}
	s.states.learn(of.workspace, row.State())
	s.connectors.SawConnectorChanges(of.workspace, row.ConnectorChanges)
	return v, row, s.viewFrom(ctx, r, v, row, rows, of)
}

// viewFrom reads the rest of the view.
func (s *base) viewFrom(
	ctx context.Context, r sqldb.Reader, v *domain.View, row *transaction.WorkspaceRow, rows []sessionRow, of viewOf,
) error {
	mine, holder, err := viewSessions(v, of.session, rows)
	if err != nil {
		return err
	}
	if row.QueueLength > 0 && v.Lane != "" {
		if v.Queue, err = queueWithSessions(ctx, r, domain.LaneRef{Workspace: row.ID, Lane: v.Lane}, domain.Chat, queueWhole); err != nil {
			return err
		}
		if err = markBlocked(ctx, r, row.ID, v.Queue); err != nil {
			return err
		}
	}
	if holder != nil && holder != mine {
		if err := viewOfHolder(ctx, r, v, holder); err != nil {
			return err
		}
	}
	if mine != nil {
		if err := viewOfSession(ctx, r, v, mine, of.inbox); err != nil {
			return err
		}
	}
	v.Spent, err = s.spentIn(ctx, r, v.Workspace, v.Session)
	return err
}

// viewOfHolder reads what is needed to take the slot from its holder.
func viewOfHolder(ctx context.Context, r sqldb.Reader, v *domain.View, holder *sessionRow) error {
	lane := domain.LaneRef{Workspace: holder.WorkspaceID, Lane: v.Lane}
	var err error
	if v.Holder.Phase.Effect().CallsAI() {
		if v.CallsAside, err = callsAside(ctx, r, lane, v.Workspace.Settings.MaxCallsAside); err != nil {
			return err
		}
	}
	v.HolderOpen, v.HolderCancelMessage, v.HolderPlanned, err = waitOf(ctx, r, v.Holder, holder.OpenApprovals)
	if err != nil {
		return err
	}
	if v.HolderAgents, err = agentsOf(ctx, r, v.Holder, v.HolderPlanned); err != nil {
		return err
	}
	if holder.InboxPending > 0 {
		v.HolderInbox, err = waiting(ctx, r, briefSQL, holder.WorkspaceID, holder.ID)
	}
	return err
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
	// theSessions are the session and the holders of the slot of its lane, which may be the same.
	theSessions = "IN (SELECT $2 UNION ALL SELECT h.id FROM sessions h WHERE h.workspace_id = $1 AND h.holds_slot " +
		"AND h.lane = (SELECT x.lane FROM sessions x WHERE x.workspace_id = $1 AND x.id = $2))"
	sessionsSQL = "SELECT " + sessionTable.Columns() + " FROM sessions WHERE workspace_id = $1 AND id " + theSessions
	// holdersSQL reads the holders for a session that is to be made.
	holdersSQL = "SELECT " + sessionTable.Columns() + " FROM sessions WHERE workspace_id = $1 AND holds_slot AND lane = $2"
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

// viewRows reads the rows of the workspace, the session and the slot's holders, as of one instant, and sets the workspace
// and the lane of the view. It locks the workspace first: sessions are written only under that lock.
func (s *base) viewRows(ctx context.Context, r sqldb.Reader, v *domain.View, of viewOf) (
	w *transaction.WorkspaceRow, sessions []sessionRow, err error,
) {
	if of.session != "" {
		w, sessions, err = viewAtOnce(ctx, r, of.workspace, of.session, of.lock)
		if err != nil {
			return nil, nil, err
		}
	}
	if w == nil {
		if w, err = transaction.WorkspaceIn(ctx, r, of.workspace, of.lock); err != nil {
			return nil, nil, err
		}
	}
	if v.Workspace, err = w.Workspace(s.settings.of); err != nil {
		return nil, nil, err
	}
	switch {
	case sessions != nil: // read with the workspace
	case of.session != "":
		err = r.All(ctx, &sessions, sessionsSQL+of.lock, of.workspace, of.session)
	case of.lane != nil:
		if v.Lane, err = of.lane(v.Workspace); err != nil {
			return nil, nil, err
		}
		err = r.All(ctx, &sessions, holdersSQL+of.lock, of.workspace, v.Lane)
	}
	if err == nil && of.session != "" {
		sessions, err = inItsLane(ctx, r, v.Workspace, sessions, of)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the session and the holder: %w", err)
	}
	return w, sessions, nil
}

// inItsLane moves a chat at rest to the lane that the settings give it now, with the holders of that lane's slot: a chat
// at work keeps its place until it rests.
func inItsLane(ctx context.Context, r sqldb.Reader, w *domain.Workspace, rows []sessionRow, of viewOf) ([]sessionRow, error) {
	for i := range rows {
		mine := &rows[i]
		if mine.ID != of.session || mine.Type != string(domain.Chat) || mine.Phase != string(domain.Idle) || mine.HoldsSlot ||
			mine.QueuedAt.Ptr() != nil {
			continue
		}
		if lane := w.Settings.LaneOf(domain.Chat, mine.Owner); lane != mine.Lane {
			mine.Lane, mine.Seat = lane, 0
			var holders []sessionRow
			err := r.All(ctx, &holders, holdersSQL+of.lock, of.workspace, lane)
			return append(holders, *mine), err
		}
	}
	return rows, nil
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
	var holders []*sessionRow
	sessions := map[*sessionRow]*domain.Session{}
	for i := range rows {
		row := &rows[i]
		if sessions[row], err = row.session(); err != nil {
			return nil, nil, err
		}
		if row.ID == session {
			mine, v.Session, v.Lane = row, sessions[row], row.Lane
		}
		if row.HoldsSlot {
			holders = append(holders, row)
		}
	}
	if session != "" && mine == nil {
		return nil, nil, domain.NotFound("session")
	}
	if holder, v.Seat = holderOf(holders, mine, v.Workspace.Settings.Seats(v.Lane)); holder != nil {
		v.Holder = sessions[holder]
	}
	return mine, holder, nil
}

// holderOf is the one among the holders of a lane's slot who is asked for it, and the seat that it would give: the session
// itself, none while a seat is free, else one that waits for the network, or the first.
func holderOf(holders []*sessionRow, mine *sessionRow, seats int) (holder *sessionRow, seat int) {
	if mine != nil && mine.HoldsSlot {
		return mine, mine.Seat
	}
	slices.SortFunc(holders, func(a, b *sessionRow) int { return cmp.Compare(a.Seat, b.Seat) })
	if len(holders) < seats {
		for i, h := range holders {
			if h.Seat != i {
				return nil, i
			}
		}
		return nil, len(holders)
	}
	holder = holders[0]
	for _, h := range holders {
		if h.Phase == string(domain.WaitingNetworkRetry) {
			holder = h
			break
		}
	}
	return holder, holder.Seat
}

// viewOfSession reads the rest of the session.
func viewOfSession(ctx context.Context, r sqldb.Reader, v *domain.View, row *sessionRow, inbox string) error {
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
