package scheduler

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
)

// shaky is a database whose renewals can fail, and the drivers of this node.
type shaky struct {
	recovery
	mu     sync.Mutex
	away   bool
	until  time.Time
	letGo  int
	driven []string
}

func (s *shaky) Renew(context.Context, time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return errors.New("the database is away")
	}
	return nil
}

func (s *shaky) Release(context.Context) error { return nil }
func (s *shaky) Claimable(context.Context, int) ([]domain.SessionRef, error) {
	return nil, nil
}

func (s *shaky) Owned(context.Context) ([]domain.SessionRef, error) {
	return []domain.SessionRef{
		{WorkspaceID: "default", SessionID: "ses_1", RunEpoch: 4},
		{WorkspaceID: "default", SessionID: "ses_kept", RunEpoch: 4},
	}, nil
}

func (s *shaky) Suspects(context.Context) ([]domain.SessionRef, error) { return nil, nil }

func (s *shaky) Leased(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = until
}

func (s *shaky) LetGo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letGo++
}

func (s *shaky) Drives(session string) bool { return session == "ses_kept" }
func (s *shaky) Drive(v *domain.View, _ domain.Effect) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.driven = append(s.driven, v.Session.ID)
}

// look is what the drivers saw some time later.
func (s *shaky) look(after time.Duration, away bool) (until time.Time, letGo int, driven []string) {
	time.Sleep(after)
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away // from now on
	return s.until, s.letGo, slices.Clone(s.driven)
}

// TestALeaseThatIsOver covers a lease that cannot be renewed: no new work begins immediately; when the lease has
// certainly expired, the drivers release their sessions once; when the database is back, sessions that no other
// node took over are taken up again, except those still in progress.
func TestALeaseThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session := &domain.Session{ID: "ses_1", WorkspaceID: "default", Type: domain.Chat, Phase: domain.CallingAI, HoldsSlot: true, RunEpoch: 4}
		s := &shaky{recovery: recovery{view: &domain.View{
			Workspace: &domain.Workspace{ID: "default", Settings: domain.DefaultSettings()}, Session: session, Holder: session,
		}}}
		door := NewDoor(Config{
			Store: s, Machine: s, Runner: s, Observer: s, Clock: clock.System, NewID: repeatable.IDs(), Log: zerolog.Nop(),
			Retry: func(domain.NetworkRetry) func(int) time.Duration { return nil },
		})
		manager := &LeaseManager{Leases: s, Door: door, Drivers: s, TTL: 15 * time.Second, Clock: clock.System, Log: zerolog.Nop(), Recovered: func() {}}
		begun := time.Now()
		if err := manager.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		until, _, _ := s.look(6*time.Second, true)
		if got := until.Sub(begun); got != 20*time.Second {
			t.Fatalf("after the first renewal the lease holds until %s", got)
		}
		until, letGo, _ := s.look(5*time.Second, true) // a renewal has failed; the lease still runs
		if time.Now().Before(until) || letGo != 0 {
			t.Errorf("after a renewal that failed: held until %s, let go %d times", until, letGo)
		}
		_, letGo, driven := s.look(30*time.Second, false)
		if letGo != 1 || len(driven) != 0 {
			t.Errorf("when the lease was over: let go %d times, taken up %v", letGo, driven)
		}
		until, _, driven = s.look(2*time.Second, false)
		if !time.Now().Before(until) || !slices.Equal(driven, []string{"ses_1"}) {
			t.Errorf("when the database was back: held until %s, taken up %v", until, driven)
		}
		if _, letGo, driven = s.look(time.Minute, false); letGo != 1 || len(driven) != 1 {
			t.Errorf("a minute later: let go %d times, taken up %v", letGo, driven)
		}
		if err := manager.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
