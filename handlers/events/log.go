package events

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// eventLog is the log as the streams read it: the workspace's, or that of one session,
// whose events are kept as long as it has not ended.
type eventLog struct {
	s       *Handlers
	session string
}

func (l eventLog) Events(
	ctx context.Context, ws, session string, after int64, size domain.PageSize,
) (events []*domain.LogEvent, more bool, err error) {
	l.s.Aside(func() { events, more, err = l.s.Sessions.Events(ctx, ws, session, after, size) })
	return events, more, err
}

func (l eventLog) EventBounds(ctx context.Context, ws string) (oldest, newest int64, err error) {
	l.s.Aside(func() {
		if l.session != "" {
			oldest, newest, err = l.s.Sessions.SessionEventBounds(ctx, ws, l.session)
		} else {
			oldest, newest, err = l.s.Workspace.EventBounds(ctx, ws)
		}
	})
	return oldest, newest, err
}

// session looks a session up.
func (s *Handlers) session(ctx context.Context, workspace, id string) (found *domain.Session, err error) {
	s.Aside(func() { found, err = s.Sessions.Session(ctx, workspace, id) })
	return found, err
}
