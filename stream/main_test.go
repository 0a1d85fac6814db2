package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memoryLog is a log of one workspace, as the database keeps it.
type memoryLog struct {
	mu     sync.Mutex
	events []*domain.LogEvent
	last   int64
	chains map[string]int64
	reads  int
}

func newLog() *memoryLog { return &memoryLog{chains: map[string]int64{}} }

// commit appends events as one transaction does.
func (l *memoryLog) commit(events ...*domain.LogEvent) []*domain.LogEvent {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		l.last++
		e.Seq, e.WorkspaceID = l.last, "w"
		if e.Type.OfSession() {
			l.chains[e.SessionID]++
			e.SessionSeq = l.chains[e.SessionID]
		}
		e.Data, _ = json.Marshal(map[string]any{"n": e.Seq, "session_seq": e.SessionSeq})
		l.events = append(l.events, e)
	}
	return events
}

func (l *memoryLog) prune(upTo int64, keep string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var kept []*domain.LogEvent
	for _, e := range l.events {
		if e.Seq > upTo || e.SessionID == keep && keep != "" {
			kept = append(kept, e)
		}
	}
	l.events = kept
}

func (l *memoryLog) Events(_ context.Context, _, session string, after int64, size domain.PageSize) (out []*domain.LogEvent, more bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	sum := 0
	for _, e := range l.events {
		if e.Seq > after && (session == "" || e.SessionID == session && e.Type.OfSession()) {
			if sum += len(e.Data); len(out) == size.Rows || size.Bytes > 0 && sum > size.Bytes && (len(out) > 0 || size.Strict) {
				return out, true, nil
			}
			out = append(out, e)
		}
	}
	return out, false, nil
}

func (l *memoryLog) EventBounds(context.Context, string) (oldest, newest int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.events) > 0 {
		oldest = l.events[0].Seq
	}
	return oldest, l.last, nil
}

func event(session string, t domain.LogType) *domain.LogEvent {
	return &domain.LogEvent{SessionID: session, Type: t}
}

func started(t *testing.T, c Config) *Broker {
	t.Helper()
	b := New(c)
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return b
}

// drain reads until there is nothing left and says it in short: "3:message.created",
// or for what has no id the name and its data.
func drain(t *testing.T, r *Reader) []string {
	t.Helper()
	var out []string
	for {
		frames, more, err := r.Next(t.Context())
		for _, f := range frames {
			out = append(out, short(string(f)))
		}
		if err != nil {
			return append(out, err.Error())
		}
		if !more {
			return out
		}
	}
}

func short(frame string) string {
	var id, name, data string
	for line := range strings.Lines(strings.TrimSpace(frame)) {
		field, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch field {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			data = value
		}
	}
	if id != "" {
		return id + ":" + name
	}
	var text Text
	if json.Unmarshal([]byte(data), &text) == nil && text.MessageID != "" && text.Kind != "" {
		return fmt.Sprintf("%s %s@%d %q", name, text.Kind, text.Offset, text.Text)
	}
	return name
}

const gather = 30 * time.Millisecond
