package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// View reads all that a decision about one session needs, as of one instant, without
// locks.
func (s *Store) View(ctx context.Context, workspace, session string) (*domain.View, error) {
	var v *domain.View
	err := s.read(ctx, func(r reader) error {
		var err error
		v, err = s.view(ctx, r, workspace, session, "")
		return err
	})
	return v, err
}

// view reads what the rows of the workspace and the session do not rule out: most
// views take two queries.
func (s *Store) view(ctx context.Context, r reader, workspace, session, lock string) (*domain.View, error) {
	row, err := workspaceIn(ctx, r, workspace, lock)
	if err != nil {
		return nil, err
	}
	v := &domain.View{}
	if v.Workspace, err = row.workspace(); err != nil {
		return nil, err
	}
	mine, holder, err := s.viewSessions(ctx, r, v, session, lock)
	if err != nil {
		return nil, err
	}
	if row.QueueLength > 0 {
		if v.Queue, err = queueIn(ctx, r, workspace); err != nil {
			return nil, err
		}
	}
	if holder != nil && holder != mine {
		v.HolderOpen, v.HolderCancelMessage, v.HolderPlanned, err = waitOf(ctx, r, v.Holder, holder.OpenApprovals)
		if err != nil {
			return nil, err
		}
	}
	if mine != nil {
		if err := viewOf(ctx, r, v, mine); err != nil {
			return nil, err
		}
	}
	return v, s.viewSpent(ctx, r, v)
}

// viewSessions reads the session and the holder of the slot, which may be the same.
func (s *Store) viewSessions(ctx context.Context, r reader, v *domain.View, session, lock string) (mine, holder *sessionRow, err error) {
	var rows []sessionRow
	err = r.all(ctx, &rows, "SELECT "+sessionColumns+" FROM sessions WHERE workspace_id = $1 AND id IN "+
		"($2, (SELECT h.id FROM sessions h WHERE h.workspace_id = $1 AND h.holds_slot))"+lock, v.Workspace.ID, session)
	if err != nil {
		return nil, nil, fmt.Errorf("read the session and the holder: %w", err)
	}
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

// viewOf reads what belongs to the session alone.
func viewOf(ctx context.Context, r reader, v *domain.View, row *sessionRow) error {
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
	if row.InboxPending > 0 {
		if v.Inbox, err = waiting(ctx, r, s.WorkspaceID, s.ID); err != nil {
			return err
		}
	}
	return nil
}

// waitOf reads what a session waits for and carries out: its open approvals, the
// cancel message of its wait, the executions of its answer. At rest nothing is being
// carried out.
func waitOf(ctx context.Context, r reader, s *domain.Session, approvals int64) (open []*domain.Approval, cancel *domain.Message, executions []*domain.Execution, err error) {
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
		if executions, err = planned(ctx, r, s.WorkspaceID, s.ID, s.State.AnswerID); err != nil {
			return nil, nil, nil, err
		}
	}
	return open, cancel, executions, nil
}

// viewSpent sums what the workspace spent in its present day and month, if anybody
// set a limit to it.
func (s *Store) viewSpent(ctx context.Context, r reader, v *domain.View) error {
	limits := v.Workspace.Settings.Limits
	daily := limits.Chat.MaxCostPerDay != nil || limits.Automation.MaxCostPerDay != nil
	monthly := limits.Chat.MaxCostPerMonth != nil || limits.Automation.MaxCostPerMonth != nil
	if !daily && !monthly {
		return nil
	}
	calendar, err := v.Workspace.Settings.Calendar()
	if err != nil {
		return err
	}
	year, month, day := calendar.Day(s.cfg.Clock())
	if daily {
		if v.SpentToday, err = spent(ctx, r, v.Workspace.ID, calendar.DayStart(year, month, day)); err != nil {
			return err
		}
	}
	if monthly {
		v.SpentThisMonth, err = spent(ctx, r, v.Workspace.ID, calendar.DayStart(year, month, 1))
	}
	return err
}
