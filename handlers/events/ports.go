package events

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// SessionLog reads sessions and the log of events. An unknown session is a domain not_found error.
type SessionLog interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	// SessionEventBounds are the numbers between which the session's own log is whole.
	SessionEventBounds(ctx context.Context, ws, session string) (oldest, newest int64, err error)
	// Events after the number after; session "" means the whole workspace. more: there are
	// some behind the page.
	Events(ctx context.Context, ws, session string, after int64, size domain.PageSize) (events []*domain.LogEvent, more bool, err error)
}

// WorkspaceState is what a listener gets first of a workspace.
type WorkspaceState interface {
	OwnLane(ctx context.Context, ws, person string) (domain.LaneRef, error)
	Slot(ctx context.Context, lane domain.LaneRef) (*domain.SlotState, error)
	Queue(ctx context.Context, lane domain.LaneRef) ([]domain.QueueRow, error)
	Approvals(ctx context.Context, ws string, f domain.ApprovalFilter) ([]*domain.Approval, string, error)
	// EventBounds are the numbers of the oldest event that is kept and of the newest.
	EventBounds(ctx context.Context, ws string) (oldest, newest int64, err error)
}

// Ports are the log of events, and what a listener gets first.
type Ports struct {
	Sessions  SessionLog
	Workspace WorkspaceState
	Streams   Streams
}

// Streams is the broker of live events (package stream), as the handlers use it.
type Streams interface {
	Reader(log stream.Log, f stream.Filter) *stream.Reader
	Heartbeat(sessions []string, now time.Time)
	Load() stream.Load
}
