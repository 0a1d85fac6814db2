package repository_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// BenchmarkRound is a round without commands as it is stored: the message in, the
// answer out, each one commit. One operation is both. PostgreSQL runs without fsync
// unless FERMATA_TEST_FSYNC=on; SQLite always waits for the disk.
func BenchmarkRound(b *testing.B) {
	for name, open := range map[string]func(*repository.Config){
		"sqlite":   func(c *repository.Config) { c.Path = filepath.Join(b.TempDir(), "bench.db") },
		"postgres": func(c *repository.Config) { c.URL = suite.MigratedPostgres(b) },
	} {
		b.Run(name, func(b *testing.B) {
			cfg := plainConfig()
			cfg.Encode = func(e *domain.LogEvent) ([]byte, error) { return json.Marshal(e) }
			open(&cfg)
			store := opened(b, cfg)
			t := rounds{b: b, store: store, s: &domain.Session{ID: ids.New("ses"), WorkspaceID: ws, Type: domain.Chat, Phase: domain.Idle, HoldsSlot: true,
				CreatedAt: time.Now().UTC(), UpdatedAt: time.Now().UTC(), LastEventTime: time.Now().UTC()}}
			t.ok(store.Workspaces.CreateWorkspace(b.Context(), &domain.Workspace{ID: ws, Name: ws, Settings: domain.DefaultSettings(), CreatedAt: t.s.CreatedAt}))
			t.ok(store.Commit(b.Context(), &domain.Change{WorkspaceID: ws, At: t.s.CreatedAt, Sessions: []domain.SessionWrite{{Session: t.s, Insert: true}}}))
			for b.Loop() {
				t.in()
				t.out()
			}
		})
	}
}

type rounds struct {
	b     testing.TB
	store *repository.Store
	s     *domain.Session
	n     int
}

func (t *rounds) ok(err error) {
	if err != nil {
		t.b.Fatal(err)
	}
}

func (t *rounds) change() *domain.Change {
	t.n++
	return &domain.Change{WorkspaceID: ws, At: time.Now().UTC(), Sessions: []domain.SessionWrite{{Session: t.s}}}
}

func (t *rounds) move(c *domain.Change, phases ...domain.Phase) {
	for _, to := range phases {
		x := &domain.Transition{WorkspaceID: ws, SessionID: t.s.ID, From: t.s.Phase, To: to, Event: "Event", Status: t.s.Status(), At: c.At}
		t.s.Phase = to
		c.Transitions = append(c.Transitions, x)
		c.Emit(domain.LogEvent{SessionID: t.s.ID, Type: domain.LogSessionPhase, Phase: x})
	}
}

// in is the door's decision: read under the locks, then the message and the way to
// the AI.
func (t *rounds) in() {
	_, err := t.store.Decide(t.b.Context(), ws, t.s.ID, nil, checkedBench(func(v *domain.View) *domain.Change {
		t.s = v.Session
		c := t.change()
		c.Sessions[0].Claim = true
		m := &domain.Message{ID: ids.New("msg"), WorkspaceID: ws, SessionID: t.s.ID, Timestamp: c.At, Sender: domain.SenderUser, Status: domain.MessageStored,
			Rich: &domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: "How did I sleep last week?"}}, LinearText: "How did I sleep last week?"}}
		c.Messages = []*domain.Message{m}
		c.Emit(domain.LogEvent{SessionID: t.s.ID, Type: domain.LogMessageCreated, Message: m})
		t.move(c, domain.ExecutingEnrichments, domain.CallingAI)
		c.Emit(domain.LogEvent{SessionID: t.s.ID, Type: domain.LogSessionStatus, Session: t.s})
		return c
	}))
	t.ok(err)
}

// out is the driver's commit of the answer.
func (t *rounds) out() {
	c := t.change()
	text := fmt.Sprintf("You slept well, %d hours on average. %0200d", t.n, t.n)
	m := &domain.Message{ID: ids.New("msg"), WorkspaceID: ws, SessionID: t.s.ID, Timestamp: c.At, Sender: domain.SenderAI, Status: domain.MessageStored,
		AI: &domain.AIMessage{PreText: text}, Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: text, StopReason: "stop"}}
	c.Messages = []*domain.Message{m}
	t.move(c, domain.ParsingAIResponse)
	c.Emit(domain.LogEvent{SessionID: t.s.ID, Type: domain.LogMessageCreated, Message: m})
	r := &domain.Roundtrip{ID: ids.New("rtp"), WorkspaceID: ws, SessionID: t.s.ID, StartedAt: c.At, EndedAt: c.At, Outcome: "answered"}
	c.Roundtrips = []*domain.Roundtrip{r}
	c.Emit(domain.LogEvent{SessionID: t.s.ID, Type: domain.LogUsageUpdated, Usage: r})
	t.move(c, domain.Idle)
	c.Emit(domain.LogEvent{SessionID: t.s.ID, Type: domain.LogSessionStatus, Session: t.s})
	t.ok(t.store.Commit(t.b.Context(), c))
}

func checkedBench(decide func(*domain.View) *domain.Change) func(context.Context, *domain.View) (*domain.Change, error) {
	return func(_ context.Context, v *domain.View) (*domain.Change, error) { return decide(v), nil }
}
