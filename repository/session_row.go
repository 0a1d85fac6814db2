package repository

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// slotColumns is the place of a session: whether it has the slot, wants it, or works without it.
type slotColumns struct {
	Lane      string      `db:"lane"`
	Seat      int         `db:"seat"`
	HoldsSlot bool        `db:"holds_slot"`
	WantsSlot bool        `db:"wants_slot,write"`
	SlotSince sqldb.Stamp `db:"slot_since,once"` // sessionUpdateSlot maintains it after the insert
	QueuedAt  sqldb.Stamp `db:"queued_at"`
	CallAside bool        `db:"call_aside,write"` // its call continues without the slot
}

// ownerColumns is whose a session is, and who sees it.
type ownerColumns struct {
	Owner      string `db:"owner,once"`
	Visibility string `db:"visibility"`
}

type sessionRow struct {
	WorkspaceID string `db:"workspace_id,key"`
	ID          string `db:"id,key"`
	Type        string `db:"type"`
	Name        string `db:"name"`
	Phase       string `db:"phase"`
	Status      string `db:"status,write"`
	EndReason   string `db:"end_reason"`
	slotColumns
	ownerColumns
	ExternalID        string      `db:"external_id"`
	ParentSessionID   string      `db:"parent_session_id"`
	AutomationID      string      `db:"automation_id"`
	Trigger           string      `db:"trigger_kind"`
	ScheduledTime     sqldb.Stamp `db:"scheduled_execution_time"`
	ProviderID        string      `db:"provider_id"`
	Model             string      `db:"model"`
	RequireValidation bool        `db:"require_validation"`
	Pinned            bool        `db:"pinned"`
	WakeAt            sqldb.Stamp `db:"wake_at"`
	CreatedAt         sqldb.Stamp `db:"created_at,once"`
	UpdatedAt         sqldb.Stamp `db:"updated_at"`
	LastEventTime     sqldb.Stamp `db:"last_event_time"`
	LastInteraction   sqldb.Stamp `db:"last_user_interaction_time"`
	Version           int64       `db:"version"`
	RunEpoch          int64       `db:"run_epoch"`
	OwnerNode         string      `db:"owner_node"`
	OwnerIncarnation  string      `db:"owner_incarnation"`
	LastSeq           int64       `db:"last_seq"`
	SessionSeq        int64       `db:"session_seq"`
	LastTransitionID  string      `db:"last_transition_id"`
	InboxPending      int64       `db:"inbox_pending,read"`
	OpenApprovals     int64       `db:"open_approvals,read"`
	OpenTasks         int64       `db:"open_tasks,read"`
	State             string      `db:"state"`
	Budgets           string      `db:"budgets"`
	Usage             string      `db:"usage"`
	ReservedMicros    int64       `db:"reserved_micros,write"`
	Origin            string      `db:"origin,once"` // "": its record is its own
}

var sessionTable = sqldb.NewTable[sessionRow]("sessions")

func sessionRowOf(s *domain.Session) (sessionRow, error) {
	var err error
	row := sessionRow{
		WorkspaceID: s.WorkspaceID, ID: s.ID, Type: string(s.Type), Name: s.Name, Phase: string(s.Phase), Status: string(s.Status()),
		EndReason:    string(s.EndReason),
		ownerColumns: ownerColumns{s.Owner, string(s.Visibility)},
		ExternalID:   s.ExternalID, ParentSessionID: s.ParentSessionID, AutomationID: s.AutomationID, Trigger: s.Trigger,
		ScheduledTime: sqldb.AtPtr(s.ScheduledExecutionTime), ProviderID: s.ProviderID, Model: s.Model,
		RequireValidation: s.RequireValidation, Pinned: s.Pinned, WakeAt: sqldb.AtPtr(s.WakeAt),
		CreatedAt: sqldb.At(s.CreatedAt), UpdatedAt: sqldb.At(s.UpdatedAt), LastEventTime: sqldb.At(s.LastEventTime),
		LastInteraction: sqldb.AtPtr(s.LastUserInteractionTime), Version: s.Version, RunEpoch: s.RunEpoch,
		OwnerNode: s.OwnerNode, OwnerIncarnation: s.OwnerIncarnation, LastSeq: s.LastSeq, SessionSeq: s.SessionSeq,
		LastTransitionID: s.LastTransitionID, State: sqldb.JSONOf(&s.State, &err), Budgets: sqldb.JSONOf(&s.Budgets, &err),
		Usage: sqldb.JSONOf(&s.Usage, &err), ReservedMicros: int64(math.Ceil(s.State.ReservedCost * 1e6)),
		slotColumns: slotColumns{
			Lane: domain.LaneOr(s.Lane), Seat: s.Seat, HoldsSlot: s.HoldsSlot,
			WantsSlot: wantsSlot(s), QueuedAt: sqldb.AtPtr(s.QueuedAt), CallAside: s.State.CallAside,
		},
	}
	if s.HoldsSlot {
		row.SlotSince = row.UpdatedAt
	}
	if s.Origin != nil {
		row.Origin = sqldb.JSONOf(s.Origin, &err)
	}
	return row, err
}

// wantsSlot reports that the session has work that needs the slot, and does not hold it. Messages
// in its inbox are counted separately. An agent works under the slot of the session that called it.
func wantsSlot(s *domain.Session) bool {
	switch {
	case s.HoldsSlot, s.Phase == domain.Completed, s.State.Poisoned, s.Type == domain.Seed,
		s.Type == domain.Agent && s.ParentSessionID != "":
		return false
	case s.State.CallAside: // only once its call has ended
		return s.QueuedAt != nil
	}
	answered := s.State.Waiting != nil && s.State.Waiting.Answer != nil
	return s.QueuedAt != nil || s.State.Suspended || s.Phase.Working() || answered || s.State.AgentAnswered || s.State.PendingCause != ""
}

// session converts the row. An error concerns this session alone.
func (r *sessionRow) session() (*domain.Session, error) {
	s := &domain.Session{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Type: domain.SessionType(r.Type), Name: r.Name,
		Phase: domain.Phase(r.Phase), EndReason: domain.EndReason(r.EndReason), Place: domain.Place{Lane: r.Lane, Seat: r.Seat},
		HoldsSlot: r.HoldsSlot, QueuedAt: r.QueuedAt.Ptr(), ExternalID: r.ExternalID,
		Ownership:       domain.Ownership{Owner: r.Owner, Visibility: domain.Visibility(r.Visibility)},
		ParentSessionID: r.ParentSessionID, AutomationID: r.AutomationID, Trigger: r.Trigger,
		ScheduledExecutionTime: r.ScheduledTime.Ptr(), ProviderID: r.ProviderID, Model: r.Model,
		RequireValidation: r.RequireValidation, Pinned: r.Pinned,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, LastEventTime: r.LastEventTime.Time,
		LastUserInteractionTime: r.LastInteraction.Ptr(), WakeAt: r.WakeAt.Ptr(),
		Version: r.Version, RunEpoch: r.RunEpoch, LastSeq: r.LastSeq, SessionSeq: r.SessionSeq,
		LastTransitionID: r.LastTransitionID, LeaseOwner: domain.LeaseOwner{OwnerNode: r.OwnerNode, OwnerIncarnation: r.OwnerIncarnation},
	}
	for _, column := range []struct {
		text string
		dest any
	}{{r.State, &s.State}, {r.Budgets, &s.Budgets}, {r.Usage, &s.Usage}} {
		if err := json.Unmarshal([]byte(column.text), column.dest); err != nil {
			return nil, fmt.Errorf("read session %s at version %d: %w", r.ID, r.Version, err)
		}
	}
	if r.Origin != "" {
		if err := json.Unmarshal([]byte(r.Origin), &s.Origin); err != nil {
			return nil, fmt.Errorf("read the parts of session %s: %w", r.ID, err)
		}
	}
	return s, nil
}

// The statements that update a session if its version and epoch match. Most updates do not change
// who holds the slot of a lane, and leave its columns alone: SQLite rewrites an index for each of its columns
// that is set, even to the same value. sessionUpdate matches no row if the slot does change;
// sessionUpdateSlot, which is used then, sets the time at which the slot was acquired, and takes
// the time of the change as its last value.
var (
	sessionUpdate     = sessionUpdateSQL(false)
	sessionUpdateSlot = sessionUpdateSQL(true)
	// sessionUpdateLater is for a fenced statement, which cannot see how many rows it matched.
	sessionUpdateLater = sqldb.NewUpdate(sessionUpdateSlot)
)

func sessionUpdateSQL(slot bool) string {
	return sessionTable.UpdateBy(func(column, value, next string) (set, condition string) {
		set = column + " = " + value
		switch {
		case column != "holds_slot" && column != "lane" && column != "seat":
			return set, ""
		case slot && column != "holds_slot":
			return set, ""
		case slot:
			return set + ", slot_since = CASE WHEN " + value + " THEN COALESCE(CASE WHEN holds_slot THEN slot_since END, " + next + ") END", ""
		default:
			return "", set
		}
	}, "version", "run_epoch")
}
