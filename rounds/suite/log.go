package suite

import (
	"context"
	"fmt"
	"sync"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// eventLog is the log of the session, in memory.
type eventLog struct {
	mu  sync.Mutex
	all []*domain.LogEvent
}

// add numbers and encodes an event, as a commit does.
func (l *eventLog) add(e *domain.LogEvent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Seq, e.SessionSeq = int64(len(l.all)+1), int64(len(l.all)+1)
	e.WorkspaceID, e.SessionID = workspaceID, SessionID
	if e.Message != nil && e.Message.Seq == 0 && e.Message.Status != domain.MessageQueued {
		e.Message.Seq = e.Seq
	}
	var err error
	if e.Data, err = api.EncodeEvent(e); err != nil {
		return fmt.Errorf("add an event to the log: %w", err)
	}
	l.all = append(l.all, e)
	return nil
}

// Events implements stream.Log.
func (l *eventLog) Events(_ context.Context, _, _ string, after int64, size domain.PageSize) (
	out []*domain.LogEvent, more bool, err error,
) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.all {
		if e.Seq <= after {
			continue
		}
		if len(out) == size.Rows {
			return out, true, nil
		}
		out = append(out, &domain.LogEvent{
			Seq: e.Seq, SessionSeq: e.SessionSeq, WorkspaceID: e.WorkspaceID, SessionID: e.SessionID, Type: e.Type, Data: e.Data,
		})
	}
	return out, false, nil
}

// EventBounds implements stream.Log.
func (l *eventLog) EventBounds(context.Context, string) (oldest, newest int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return min(1, int64(len(l.all))), int64(len(l.all)), nil
}
