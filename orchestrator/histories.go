package orchestrator

import (
	"container/list"
	"context"
	"fmt"
	"sync"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/prompt"
)

// histories caches the histories of recent sessions as turns, so that the next prompt costs only what is
// new. An entry is checked against the session's own count of events, and rebuilt from the record when it
// does not match.
type histories struct {
	key   []byte // of the marks of external content
	mu    sync.Mutex
	max   int
	byID  map[string]*list.Element
	order *list.List // least recently used first
}

type history struct {
	session  string
	protocol domain.Protocol
	seq      int64 // the session's count of events that it includes
	turns    *prompt.History
}

func newHistories(limit int, key []byte) *histories {
	return &histories{key: key, max: limit, byID: map[string]*list.Element{}, order: list.New()}
}

// note appends what a commit added to the histories of its sessions. A history
// that missed a commit is forgotten.
func (t *histories) note(change *domain.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, write := range change.Sessions {
		element := t.byID[write.Session.ID]
		if element == nil {
			continue
		}
		held := element.Value.(*history)
		if held.seq != write.Session.SessionSeq-eventsOf(change, write.Session.ID) || !held.apply(change) {
			t.drop(element)
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
	turns []*domain.Turn
	size  int
	files []string
}

func pastOf(h *prompt.History) past { return past{h.Turns(), h.Tokens(), h.Files()} }

// past returns the history of a session, as of its current count of events.
func (t *histories) past(ctx context.Context, s *domain.Session, protocol domain.Protocol, store Store) (past, error) {
	t.mu.Lock()
	if element := t.byID[s.ID]; element != nil {
		held := element.Value.(*history)
		if held.seq == s.SessionSeq && held.protocol == protocol {
			t.order.MoveToBack(element)
			defer t.mu.Unlock()
			return pastOf(held.turns), nil
		}
		t.drop(element)
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
	if old := t.byID[s.ID]; old != nil {
		t.drop(old)
	}
	t.byID[s.ID] = t.order.PushBack(held)
	for t.order.Len() > t.max {
		t.drop(t.order.Front())
	}
	return before, nil
}

func (t *histories) drop(element *list.Element) {
	delete(t.byID, element.Value.(*history).session)
	t.order.Remove(element)
}
