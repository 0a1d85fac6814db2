package stream

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// Names of the events that are never stored and have no id.
const (
	EventDelta           = "message.delta"
	EventDiscarded       = "message.discarded"
	EventMessageSnapshot = "message.snapshot"
	EventSnapshot        = "snapshot"
	EventReset           = "reset"
	EventBye             = "bye"
	EventTokenExpired    = "token.expired"
)

// Filter selects what a listener gets. With Session: that session's own events and deltas. Without:
// those of the workspace, which are its slot, its queue, and for every session what an overview
// shows; of the sessions in Sessions, or of all with AllSessions, everything. Types, if set,
// restricts this, and includes types that an overview alone would not show.
type Filter struct {
	Workspace   string
	Person      string // who listens
	Session     string
	Sessions    []string
	AllSessions bool
	Types       []string
}

// overview reports whether the workspace's own stream includes the type for every session.
func overview(t domain.LogType) bool {
	return !t.OfSession() || slices.Contains(overviewTypes, t)
}

var overviewTypes = []domain.LogType{
	domain.LogSessionCreated, domain.LogSessionStatus, domain.LogSessionEnded,
	domain.LogApprovalRequested, domain.LogApprovalSettled, domain.LogTaskChanged, domain.LogNotice,
}

// Wants reports whether a stored event is selected; lists show the same as streams.
func (f *Filter) Wants(t domain.LogType, session string) bool {
	if len(f.Types) > 0 && !slices.Contains(f.Types, string(t)) {
		return false
	}
	switch {
	case f.Session != "":
		return f.Session == session
	case f.AllSessions, overview(t):
		return true
	case len(f.Sessions) > 0:
		return slices.Contains(f.Sessions, session)
	}
	return len(f.Types) > 0
}

// wantsAnswer reports whether the text of an answer is selected.
func (f *Filter) wantsAnswer(name, session string) bool {
	if len(f.Types) > 0 && !slices.Contains(f.Types, name) {
		return false
	}
	return f.AllSessions || f.Session == session || slices.Contains(f.Sessions, session)
}

// watched returns the sessions that the filter names.
func (f *Filter) watched() []string {
	if f.Session != "" {
		return []string{f.Session}
	}
	return f.Sessions
}
