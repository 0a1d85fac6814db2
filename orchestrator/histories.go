package orchestrator

import (
	"context"
	"fmt"
	"sync"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/prompt"
)

// histories caches the histories of recent sessions as turns, so that the next prompt costs only what is
// new. An entry is checked against the session's own count of events, and rebuilt from the record when it
// does not match.
type histories struct {
	key []byte // of the marks of external content

	mu   sync.Mutex
	byID *cache.LRU[string, *history] // by session
}

type history struct {
	session  string
	protocol domain.Protocol
	seq      int64 // the session's count of events that it includes
	turns    *prompt.History
}

func newHistories(limit int, key []byte) *histories {
	return &histories{key: key, byID: cache.NewLRU[string, *history](limit)}
}

// note appends what a commit added to the histories of its sessions. A history
// that missed a commit is forgotten.
func (t *histories) note(change *domain.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, write := range change.Sessions {
		held, ok := t.byID.Peek(write.Session.ID)
		if !ok {
			continue
		}
		if held.seq != write.Session.SessionSeq-eventsOf(change, write.Session.ID) || !held.apply(change) {
			t.byID.Delete(write.Session.ID)
			continue
		}
		held.seq = write.Session.SessionSeq
	}
}

// eventsOf counts the session's own events in a change.
func eventsOf(change *domain.Change, session string) int64 {
	var n int64
	for _, e := range change.Events {
		if e.SessionID == session && e.Type.OfSession() {
			n++
		}
	}
	return n
}

// apply appends the change's messages in the order of their places; false when the history must be
// rebuilt.
func (h *history) apply(change *domain.Change) bool {
	for _, e := range change.Events {
		if e.Answers != nil && e.SessionID == h.session {
			return false
		}
		if e.Message == nil || e.SessionID != h.session {
			continue
		}
		switch e.Type {
		case domain.LogMessageDeleted:
			if e.Message.Seq > 0 && !h.turns.Remove(e.Message.ID) {
				return false
			}
		case domain.LogMessageCreated, domain.LogMessageUpdated:
			if e.Message.Seq == e.Seq {
				h.turns.Append(e.Message)
			}
		}
	}
	return true
}

// past is what came before a call of the AI: turns, an estimate of their size in tokens, and
// the files that they refer to.
type past struct {
	turns []*ai.Turn
	size  int
	files []string
}

func pastOf(h *prompt.History) past { return past{h.Turns(), h.Tokens(), h.Files()} }

// past returns the history of a session, as of its current count of events.
func (t *histories) past(ctx context.Context, s *domain.Session, protocol domain.Protocol, store Store) (past, error) {
	t.mu.Lock()
	if held, ok := t.byID.Peek(s.ID); ok {
		if held.seq == s.SessionSeq && held.protocol == protocol {
			t.byID.Use(s.ID)
			defer t.mu.Unlock()
			return pastOf(held.turns), nil
		}
		t.byID.Delete(s.ID)
	}
	t.mu.Unlock()

	messages, err := store.Record(ctx, s)
	if err != nil {
		return past{}, fmt.Errorf("read the history: %w", err)
	}
	held := &history{session: s.ID, protocol: protocol, seq: s.SessionSeq}
	held.turns = prompt.NewHistory(protocol, prompt.Marker{Key: t.key, WorkspaceID: s.WorkspaceID})
	for _, m := range messages {
		if m.Seq > 0 && m.Seq <= s.LastSeq {
			held.turns.Append(m)
		}
	}
	before := pastOf(held.turns)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byID.Set(s.ID, held)
	return before, nil
}
