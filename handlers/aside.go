package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/fermata-dev/fermata/domain"
)

// asideAtOnce bounds the looks into the database for streams: ten thousand listeners who
// come back at once wait for them with small stacks.
const asideAtOnce = 16

// aside does what needs a deep stack, as every look into a database does, on one of its
// own. A goroutine keeps the stack that it once needed, and those of idle streams would be
// most of what they weigh. Nothing that waits for a listener is done here.
func (s *edge) aside(work func()) {
	s.deep <- struct{}{}
	done := make(chan any, 1)
	go func() {
		defer func() {
			<-s.deep
			done <- withStack(recover())
		}()
		work()
	}()
	if caught := <-done; caught != nil {
		panic(caught)
	}
}

// withStack adds to a panic where it came from, which is lost on another goroutine.
func withStack(caught any) any {
	if err, ok := caught.(error); caught == nil || ok && errors.Is(err, http.ErrAbortHandler) {
		return caught
	}
	return fmt.Sprintf("%v, at %s", caught, debug.Stack())
}

// eventLog is the log as the streams read it: the workspace's, or that of one session,
// whose events are kept as long as it has not ended.
type eventLog struct {
	s       *streamRoutes
	session string
}

func (l eventLog) Events(
	ctx context.Context, ws, session string, after int64, size domain.PageSize,
) (events []*domain.LogEvent, more bool, err error) {
	l.s.aside(func() { events, more, err = l.s.Sessions.Events(ctx, ws, session, after, size) })
	return events, more, err
}

func (l eventLog) EventBounds(ctx context.Context, ws string) (oldest, newest int64, err error) {
	l.s.aside(func() {
		if l.session != "" {
			oldest, newest, err = l.s.Sessions.SessionEventBounds(ctx, ws, l.session)
		} else {
			oldest, newest, err = l.s.Workspace.EventBounds(ctx, ws)
		}
	})
	return oldest, newest, err
}

// session looks a session up.
func (s *streamRoutes) session(ctx context.Context, workspace, id string) (found *domain.Session, err error) {
	s.aside(func() { found, err = s.Sessions.Session(ctx, workspace, id) })
	return found, err
}
