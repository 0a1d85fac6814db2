package suite

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/fermata-dev/fermata/domain"
)

// MemoryLog is a log of events in memory, for the tests of those who read one. It passes
// RunEventLog, as the databases do.
type MemoryLog struct {
	mu      sync.Mutex
	all     []*domain.LogEvent
	newest  int64
	pruned  int64
	counted map[string]int64
	reads   int
}

// Workspace is the one that a MemoryLog is of.
const Workspace = "w"

// NewMemoryLog is an empty log.
func NewMemoryLog() *MemoryLog { return &MemoryLog{counted: map[string]int64{}} }

// Append numbers events as one transaction does, and gives them their data.
func (l *MemoryLog) Append(events ...*domain.LogEvent) []*domain.LogEvent {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		l.newest++
		e.Seq, e.WorkspaceID = l.newest, Workspace
		if e.Type.OfSession() {
			l.counted[e.SessionID]++
			e.SessionSeq = l.counted[e.SessionID]
		}
		body := map[string]any{"n": e.Seq, "session_seq": e.SessionSeq}
		if e.Message != nil {
			body["message"] = map[string]string{"id": e.Message.ID}
		}
		e.Data, _ = json.Marshal(body)
		l.all = append(l.all, e)
	}
	return events
}

// Prune takes out what was written up to a number; a session that has not ended keeps its own.
func (l *MemoryLog) Prune(upTo int64, living string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var kept []*domain.LogEvent
	for _, e := range l.all {
		if e.Seq > upTo || e.SessionID == living && living != "" {
			kept = append(kept, e)
		}
	}
	l.all, l.pruned = kept, upTo
}

// All are the events that are still there.
func (l *MemoryLog) All() []*domain.LogEvent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*domain.LogEvent(nil), l.all...)
}

// Reads is how often a page was read.
func (l *MemoryLog) Reads() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reads
}

// Events are those after a number, as a database reads them: the event is its data alone.
func (l *MemoryLog) Events(_ context.Context, workspace, session string, after int64, size domain.PageSize) (
	out []*domain.LogEvent, more bool, err error,
) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	bytes := 0
	for _, e := range l.all {
		if workspace != Workspace || e.Seq <= after || session != "" && e.SessionID != session {
			continue
		}
		bytes += len(e.WorkspaceID) + len(e.SessionID) + len(e.Type) + len(e.Data)
		if len(out) == size.Rows || size.Bytes > 0 && bytes > size.Bytes && (len(out) > 0 || size.Strict) {
			return out, true, nil
		}
		out = append(out, &domain.LogEvent{
			WorkspaceID: e.WorkspaceID, SessionID: e.SessionID, Seq: e.Seq, SessionSeq: e.SessionSeq, Type: e.Type, Data: e.Data,
		})
	}
	return out, false, nil
}

// EventBounds are the oldest event from which on the log is whole, and the newest.
func (l *MemoryLog) EventBounds(context.Context, string) (oldest, newest int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.newest == 0 {
		return 0, 0, nil
	}
	return l.pruned + 1, l.newest, nil
}
