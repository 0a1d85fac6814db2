package bus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository/suite"
	"github.com/fermata-dev/fermata/stream"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := testkit.StopPostgres(); err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
		code = 1
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var errTestStopped = errors.New("stopped")

// station is one node with the messages it received.
type station struct {
	*Node
	broker *stream.Broker
	log    *memoryLog

	mu       sync.Mutex
	received []string
	sweeps   int
	gone     int
}

func (s *station) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = append(s.received, fmt.Sprintf(format, args...))
}

func (s *station) HandleHint(h domain.Hint) {
	s.note("hint %s %d queue=%v", h.WorkspaceID, h.Seq, h.Queue)
}
func (s *station) Yield(session string) { s.note("yield %s", session) }
func (s *station) Forget(ws string)     { s.note("forget %s", ws) }
func (s *station) Cut(session string, epoch int64, cause error) {
	s.note("cut %s %d %v", session, epoch, cause)
}

func (s *station) Sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweeps++
}

func (s *station) receivedAll(want ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range want {
		found := false
		for _, h := range s.received {
			found = found || contains(h, w)
		}
		if !found {
			return false
		}
	}
	return true
}

func (s *station) swept() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sweeps
}

// newStation starts a node on a wire.
func newStation(t testing.TB, id string, wire Wire, log *memoryLog) *station {
	t.Helper()
	s := &station{log: log}
	s.broker = stream.New(stream.Config{Newest: func(ctx context.Context, ws string) (int64, error) {
		_, newest, err := log.EventBounds(ctx, ws)
		return newest, err
	}})
	s.Node = New(Config{
		ID: id, Wire: wire, Broker: s.broker, Events: log, Scheduler: s, Runner: s, Clock: clock.System, Log: zerolog.Nop(),
		Causes: map[string]error{"stopped": errTestStopped},
		Gone:   func() { s.mu.Lock(); s.gone++; s.mu.Unlock() },
	})
	s.broker.Join(s.Node)
	if err := errors.Join(s.broker.Start(t.Context()), s.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	return s
}

func (s *station) end() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = errors.Join(s.Stop(ctx), s.broker.Stop(ctx)) // twice, where a test has stopped it
}

// memoryLog is the log of one workspace that both nodes read.
type memoryLog struct{ *suite.MemoryLog }

func newLog() *memoryLog { return &memoryLog{suite.NewMemoryLog()} }

// commit writes an event as one node does: into the log, and then to its own listeners.
func (l *memoryLog) commit(s *station, e domain.LogEvent) {
	l.Append(&e)
	s.broker.Publish([]*domain.LogEvent{&e})
	s.Committed(&domain.Change{WorkspaceID: suite.Workspace, Events: []*domain.LogEvent{&e}})
}

// acquainted waits until the nodes know each other.
func acquainted(t testing.TB, all ...*station) {
	t.Helper()
	for _, s := range all {
		testkit.Until(t, "the nodes to know each other", func() bool { return s.Peers() == len(all)-1 })
	}
}

// reader collects what a listener gets.
type reader struct {
	*stream.Reader
	got string
}

func (s *station) read(session string) *reader {
	r := &reader{Reader: s.broker.Reader(s.log, stream.Filter{Workspace: "w", Session: session})}
	r.Skip(0)
	return r
}

// has takes what has come and says whether a text is in it.
func (r *reader) has(t testing.TB, text string) bool {
	t.Helper()
	for more := true; more; {
		events, again, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			r.got += fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Name, e.Body)
		}
		more = again
	}
	return contains(r.got, text)
}
