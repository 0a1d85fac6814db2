package domain

import "cmp"

// LaneRef names a lane: the sessions of a workspace that share a slot and a queue. With Lane "" it stands for all lanes of
// the workspace.
type LaneRef struct{ Workspace, Lane string }

// Place is where a session works: its lane, and while it holds the slot, which of the lane's seats it has.
type Place struct {
	Lane string
	Seat int
	// QueuePosition is filled by readers: 1 is next. 0 when it is not queued.
	QueuePosition int
}

// LaneView is the lane of a session, or of the one that is to be made, in a view.
type LaneView struct {
	Lane string
	Seat int // the one that the session takes with the slot
	// CallsAside are the sessions that finish a call without the slot, oldest first; read where the holder may become one.
	CallsAside []*Session
}

// Lanes says which sessions share a slot and a queue.
type Lanes string

const (
	lanesOfPeople    Lanes = "person"    // each person's sessions have a lane of their own
	lanesOfWorkspace Lanes = "workspace" // all sessions of a workspace are in one lane
)

// laneSettings are the settings of a workspace's lanes.
type laneSettings struct {
	Lanes             Lanes `json:"lanes"`
	AutomationsAtOnce int   `json:"automations_at_once"` // seats of the lane of automations
	// MaxCallsAside limits the calls of a lane that continue without the slot. One more cuts the oldest, which is made
	// again later.
	MaxCallsAside int `json:"max_calls_aside"`
}

// The lanes that are no person's.
const (
	LaneWorkspace   = "workspace"
	LaneAutomations = "automations" // of runs that belong to no person's lane
)

// LaneOfPerson is a person's lane.
func LaneOfPerson(person string) string { return "person:" + person }

// LaneRef is the session's lane.
func (s *Session) LaneRef() LaneRef { return LaneRef{Workspace: s.WorkspaceID, Lane: LaneOr(s.Lane)} }

// LaneOr is a lane that is stored or read: without a name it is that of the workspace.
func LaneOr(lane string) string { return cmp.Or(lane, LaneWorkspace) }

// LaneOf is the lane of a session that is made, which keeps it. An agent's session has the lane of its caller.
func (s *Settings) LaneOf(of SessionType, owner string) string {
	switch {
	case s.Lanes != lanesOfPeople:
		return LaneWorkspace
	case owner != "":
		return LaneOfPerson(owner)
	case of == Run:
		return LaneAutomations
	}
	return LaneWorkspace
}

// Seats is how many sessions of a lane may hold its slot at the same time.
func (s *Settings) Seats(lane string) int {
	if lane == LaneAutomations {
		return max(1, s.AutomationsAtOnce)
	}
	return 1
}
