package repository

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

type sessionRow struct {
	ID                string `db:"id"`
	WorkspaceID       string `db:"workspace_id"`
	Type              string `db:"type"`
	Name              string `db:"name"`
	Phase             string `db:"phase"`
	EndReason         string `db:"end_reason"`
	HoldsSlot         bool   `db:"holds_slot"`
	SlotSince         stamp  `db:"slot_since"`
	QueuedAt          stamp  `db:"queued_at"`
	ExternalID        string `db:"external_id"`
	ParentSessionID   string `db:"parent_session_id"`
	AutomationID      string `db:"automation_id"`
	Trigger           string `db:"trigger_kind"`
	ScheduledTime     stamp  `db:"scheduled_execution_time"`
	ProviderID        string `db:"provider_id"`
	Model             string `db:"model"`
	RequireValidation bool   `db:"require_validation"`
	Pinned            bool   `db:"pinned"`
	WakeAt            stamp  `db:"wake_at"`
	CreatedAt         stamp  `db:"created_at"`
	UpdatedAt         stamp  `db:"updated_at"`
	LastEventTime     stamp  `db:"last_event_time"`
	LastInteraction   stamp  `db:"last_user_interaction_time"`
	Version           int64  `db:"version"`
	RunEpoch          int64  `db:"run_epoch"`
	OwnerNode         string `db:"owner_node"`
	OwnerIncarnation  string `db:"owner_incarnation"`
	LastSeq           int64  `db:"last_seq"`
	SessionSeq        int64  `db:"session_seq"`
	LastTransitionID  string `db:"last_transition_id"`
	InboxPending      int64  `db:"inbox_pending"`
	OpenApprovals     int64  `db:"open_approvals"`
	State             string `db:"state"`
	Budgets           string `db:"budgets"`
	Usage             string `db:"usage"`
}

// Columns of a session: those that identify it, those that every write sets, and
// those that the database derives.
const (
	sessionWritten = "type, name, phase, status, end_reason, holds_slot, wants_slot, queued_at, external_id, " +
		"parent_session_id, automation_id, trigger_kind, scheduled_execution_time, provider_id, model, " +
		"require_validation, pinned, wake_at, updated_at, last_event_time, last_user_interaction_time, " +
		"version, run_epoch, owner_node, owner_incarnation, last_seq, session_seq, last_transition_id, " +
		"state, budgets, usage, reserved_micros"
	sessionColumns = "id, workspace_id, type, name, phase, end_reason, holds_slot, slot_since, queued_at, external_id, " +
		"parent_session_id, automation_id, trigger_kind, scheduled_execution_time, provider_id, model, " +
		"require_validation, pinned, wake_at, created_at, updated_at, last_event_time, last_user_interaction_time, " +
		"version, run_epoch, owner_node, owner_incarnation, last_seq, session_seq, last_transition_id, " +
		"inbox_pending, open_approvals, state, budgets, usage"
)

// sessionArgs are the values of sessionWritten.
func sessionArgs(s *domain.Session) ([]any, error) {
	state, err := text(&s.State)
	if err != nil {
		return nil, err
	}
	budgets, err := text(&s.Budgets)
	if err != nil {
		return nil, err
	}
	usage, err := text(&s.Usage)
	if err != nil {
		return nil, err
	}
	return []any{
		string(s.Type), s.Name, string(s.Phase), string(s.Status()), string(s.EndReason), s.HoldsSlot, wantsSlot(s),
		stampOf(s.QueuedAt), s.ExternalID, s.ParentSessionID, s.AutomationID, s.Trigger,
		stampOf(s.ScheduledExecutionTime), s.ProviderID, s.Model, s.RequireValidation, s.Pinned, stampOf(s.WakeAt),
		stamp{s.UpdatedAt}, stamp{s.LastEventTime}, stampOf(s.LastUserInteractionTime), s.Version, s.RunEpoch,
		s.OwnerNode, s.OwnerIncarnation, s.LastSeq, s.SessionSeq, s.LastTransitionID, state, budgets, usage,
		int64(math.Ceil(s.State.ReservedCost * 1e6)),
	}, nil
}

// wantsSlot says that the session has something to do that needs the slot, and does
// not hold it. Messages in its inbox are counted apart.
func wantsSlot(s *domain.Session) bool {
	switch {
	case s.HoldsSlot, s.Phase == domain.Completed, s.State.Poisoned, s.Type == domain.Seed:
		return false
	}
	answered := s.State.Waiting != nil && s.State.Waiting.Answer != nil
	return s.QueuedAt != nil || s.State.Suspended || s.Phase.Working() || answered || s.State.PendingCause != ""
}

// session gives the row its meaning. What cannot be read concerns this session
// alone.
func (r *sessionRow) session() (*domain.Session, error) {
	s := &domain.Session{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Type: domain.SessionType(r.Type), Name: r.Name,
		Phase: domain.Phase(r.Phase), EndReason: domain.EndReason(r.EndReason),
		HoldsSlot: r.HoldsSlot, QueuedAt: r.QueuedAt.ptr(), ExternalID: r.ExternalID,
		ParentSessionID: r.ParentSessionID, AutomationID: r.AutomationID, Trigger: r.Trigger,
		ScheduledExecutionTime: r.ScheduledTime.ptr(), ProviderID: r.ProviderID, Model: r.Model,
		RequireValidation: r.RequireValidation, Pinned: r.Pinned,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, LastEventTime: r.LastEventTime.Time,
		LastUserInteractionTime: r.LastInteraction.ptr(), WakeAt: r.WakeAt.ptr(),
		Version: r.Version, RunEpoch: r.RunEpoch, LastSeq: r.LastSeq, SessionSeq: r.SessionSeq,
		LastTransitionID: r.LastTransitionID, OwnerNode: r.OwnerNode, OwnerIncarnation: r.OwnerIncarnation,
	}
	for column, dest := range map[string]any{r.State: &s.State, r.Budgets: &s.Budgets, r.Usage: &s.Usage} {
		if err := json.Unmarshal([]byte(column), dest); err != nil {
			return nil, fmt.Errorf("read session %s at version %d: %w", r.ID, r.Version, err)
		}
	}
	return s, nil
}

// The statements that write a session. An UPDATE is conditional on the version and
// the epoch that were read. Most do not change who holds the slot, and leave its
// columns alone: SQLite writes an index anew for each column of it that is set, even to
// what it was. sessionUpdate finds no row when the slot does change;
// sessionUpdateSlot then keeps the time at which it came.
var (
	sessionInsert     = insertSQL("sessions", "workspace_id, id, created_at, slot_since, "+sessionWritten, 1, "")
	sessionUpdate     = sessionUpdateSQL(false)
	sessionUpdateSlot = sessionUpdateSQL(true)
)

// sessionUpdateSQL takes the workspace, the id, the version and the epoch, then the
// values of sessionWritten, and with the slot last the time of the change.
func sessionUpdateSQL(slot bool) string {
	const first = 5
	columns := strings.Split(sessionWritten, ", ")
	var sets []string
	where := []string{"workspace_id = $1", "id = $2", "version = $3", "run_epoch = $4"}
	for i, c := range columns {
		value := placeholders(first+i, 1)
		switch {
		case c != "holds_slot":
			sets = append(sets, c+" = "+value)
		case slot:
			sets = append(sets, c+" = "+value, "slot_since = CASE WHEN "+value+
				" THEN COALESCE(CASE WHEN holds_slot THEN slot_since END, "+placeholders(first+len(columns), 1)+") END")
		default:
			where = append(where, "holds_slot = "+value)
		}
	}
	return "UPDATE sessions SET " + strings.Join(sets, ", ") + " WHERE " + strings.Join(where, " AND ")
}
