package schedules

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/orchestrator"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/nodes"
	"github.com/fermata-dev/fermata/scheduler"
)

// mortal is a server of which only the scheduler is real, on a real database, in virtual
// time. It dies and is started again; what it drives is noted, and done by the test.
type mortal struct {
	t     testing.TB
	db    app.Database
	store *repository.Store
	scheduling
	lease *leases
	keep  *scheduler.LeaseManager

	mu      sync.Mutex
	drives  map[string]time.Time // what this process performs, and since when
	onDrive func(session string)
}

// leases are those of a process that may be dead: then it gives nothing back.
type leases struct {
	*nodes.Store
	dead bool
}

func (l *leases) Release(ctx context.Context) error {
	if l.dead {
		return nil
	}
	return l.Store.Release(ctx)
}

func (l *leases) Suspects(ctx context.Context) ([]domain.SessionRef, error) {
	if l.dead {
		return nil, nil
	}
	return l.Store.Suspects(ctx)
}

func (m *mortal) Drive(view *domain.View, effect domain.Effect) {
	m.mu.Lock()
	if effect != domain.DoNothing {
		m.drives[view.Session.ID] = time.Now()
	}
	notify := m.onDrive
	m.mu.Unlock()
	if notify != nil && effect != domain.DoNothing {
		notify(view.Session.ID)
	}
}

func (m *mortal) Cut(session string, _ int64, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.drives, session)
}
func (m *mortal) Yield(string)     {}
func (m *mortal) Leased(time.Time) {}
func (m *mortal) LetGo()           {}

func (m *mortal) Drives(session string) bool { return !m.since(session).IsZero() }

// since is when this process began to perform a session's step; zero: it does not.
func (m *mortal) since(session string) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.drives[session]
}

// start begins the next life.
func (m *mortal) start() {
	m.t.Helper()
	cfg := repository.Config{
		URL: m.db.DatabaseURL, Node: "test", Incarnation: ids.New("inc"), Clock: clock.System, NewID: ids.New, Encode: api.EncodeEvent,
		Committed: func(c *domain.Change) { m.door.Committed(c) },
	}
	if cfg.URL == "" {
		cfg.Path = m.db.SQLitePath()
	}
	var err error
	if m.store, err = repository.Open(m.t.Context(), cfg); err != nil {
		m.t.Fatal(err)
	}
	m.mu.Lock()
	m.drives = map[string]time.Time{}
	m.mu.Unlock()
	m.lease = &leases{Store: m.store.Nodes}
	m.scheduling = newScheduling(m.store, scheduler.Config{
		Machine: pureMachine{}, Runner: m, Observer: uncounted{}, Clock: clock.System, NewID: ids.New, Log: zerolog.Nop(),
		Retry: orchestrator.RetryDelay,
	})
	m.keep = &scheduler.LeaseManager{
		Leases: m.lease, Door: m.door, Drivers: m, TTL: 15 * time.Second, Clock: clock.System, Log: zerolog.Nop(), Recovered: func() {},
	}
	for _, err := range []error{m.keep.Start(m.t.Context()), m.loop.Start(m.t.Context())} {
		if err != nil {
			m.t.Fatal(err)
		}
	}
}

// ends this life: by death nothing is given back.
func (m *mortal) ends(dead bool) {
	m.t.Helper()
	m.lease.dead = dead
	for _, err := range []error{m.loop.Stop(context.Background()), m.keep.Stop(context.Background()), m.store.Close()} {
		if err != nil {
			m.t.Error(err)
		}
	}
}

// lives is how long the process lives until it dies and is started again.
func (m *mortal) lives(d time.Duration) {
	m.t.Helper()
	time.Sleep(d)
	synctest.Wait()
	m.ends(true)
	m.start()
	synctest.Wait()
}

// chat makes one with a message that it works on.
func (m *mortal) chat(workspace string) string {
	m.t.Helper()
	r, err := m.sessions.CreateSession(m.t.Context(), workspace, domain.NewSession{Type: domain.Chat, Message: new(said("Hello."))})
	if err != nil {
		m.t.Fatal(err)
	}
	return r.Session.ID
}

func said(text string) domain.NewMessage {
	return domain.NewMessage{Rich: domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: text}}, LinearText: text}}
}

func (m *mortal) session(workspace, id string) *domain.Session {
	m.t.Helper()
	s, err := m.store.Sessions.Session(m.t.Context(), workspace, id)
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

// inLives runs a story on both databases, in virtual time, with two workspaces.
func inLives(t *testing.T, story func(t *testing.T, m *mortal)) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := newVirtual(t, db, time.Now()) // migrated outside of the bubble
		v.ok(v.store.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{ID: "other", Settings: oneLane(), CreatedAt: v.now}))
		v.ok(v.store.Close())
		synctest.Test(t, func(t *testing.T) {
			m := &mortal{t: t, db: db}
			m.start()
			defer m.ends(false)
			story(t, m)
		})
	})
}

// A process is killed from outside twenty times, a second apart: no session needs a person, messages sent
// meanwhile are kept, and the session continues afterwards.
func TestKilledFromOutsideAgainAndAgain(t *testing.T) {
	inLives(t, func(t *testing.T, m *mortal) {
		id := m.chat(domain.DefaultWorkspace)
		for n := range 20 {
			m.lives(time.Second)
			s := m.session(domain.DefaultWorkspace, id)
			if s.State.Poisoned {
				t.Fatalf("after %d deaths it needs a person", n+1)
			}
			if n == 1 && (s.Status() != domain.StatusQueued || s.HoldsSlot || s.State.Suspicion.ReenterAt.Sub(time.Now()) != 10*time.Second) {
				t.Errorf("after two deaths it is %s with %+v", s.Status(), s.State.Suspicion)
			}
			if n == 4 {
				r, err := m.messages.SendMessage(t.Context(), s.WorkspaceID, id, said("Are you there?"))
				if err != nil || r.Message.Status != domain.MessageQueued || r.Session.Status() != domain.StatusQueued || m.Drives(id) {
					t.Fatalf("a message meanwhile: %+v, %v", r, err)
				}
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if !m.Drives(id) {
			t.Fatalf("it is not taken up: %+v", m.session(domain.DefaultWorkspace, id).State.Suspicion)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		s := m.session(domain.DefaultWorkspace, id)
		if s.State.Suspicion != (domain.Suspicion{}) || s.Status() != domain.StatusRunning {
			t.Errorf("a minute later it is %s with %+v", s.Status(), s.State.Suspicion)
		}
	})
}

// A session that does bring the server down stops doing so after the fourth time; a
// chat of its own workspace and one of another go on in between.
func TestASessionThatBringsTheServerDown(t *testing.T) {
	inLives(t, func(t *testing.T, m *mortal) {
		guilty := m.chat(domain.DefaultWorkspace)
		begun, deaths := time.Now(), []time.Duration{}
		for time.Since(begun) < 10*time.Minute {
			if !m.since(guilty).IsZero() { // to perform it is to die
				deaths = append(deaths, time.Since(begun))
				m.lives(0)
			}
			if len(deaths) == 2 || len(deaths) == 3 {
				for _, workspace := range []string{domain.DefaultWorkspace, "other"} {
					id := m.chat(workspace)
					if !m.Drives(id) {
						t.Fatalf("after %d deaths a chat of %s does not go on", len(deaths), workspace)
					}
					if _, err := m.sessions.StopSession(t.Context(), workspace, id, domain.Author{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		want := []time.Duration{0, 0, 10 * time.Second, 70 * time.Second}
		if len(deaths) != 4 || deaths[2].Round(5*time.Second) != want[2] || deaths[3].Round(10*time.Second) != want[3] {
			t.Errorf("the server died at %v, want about %v", deaths, want)
		}
		s := m.session(domain.DefaultWorkspace, guilty)
		open, err := m.store.Approvals.LatestApproval(t.Context(), s.WorkspaceID, guilty, domain.ApprovalPoisoned)
		if err != nil || !s.State.Poisoned || s.HoldsSlot || open == nil || open.Status != domain.ApprovalStatusOpen {
			t.Fatalf("it is %s, %+v, %v", s.Status(), open, err)
		}
		r, err := m.messages.SendMessage(t.Context(), s.WorkspaceID, guilty, said("Are you there?"))
		if err != nil || r.Message.Status != domain.MessageQueued || m.Drives(guilty) {
			t.Errorf("a message to it is not kept: %+v, %v", r, err)
		}
		if _, err := m.sessions.ResumeSession(t.Context(), s.WorkspaceID, guilty, domain.Author{}); err != nil || !m.Drives(guilty) {
			t.Errorf("a person cannot try it again: %v", err)
		}
	})
}

// Two suspects after three deaths: one at a time is taken up, so that the next death is
// surely its doing. When it has made a step, the other follows.
func TestSuspectsAreTakenUpAlone(t *testing.T) {
	inLives(t, func(t *testing.T, m *mortal) {
		a, b := m.chat(domain.DefaultWorkspace), m.chat("other")
		m.lives(0)
		m.lives(0)
		m.lives(11 * time.Second)
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if m.Drives(a) || m.Drives(b) {
			t.Fatal("a suspect is taken up before a minute has passed")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		first, second := a, b
		if m.Drives(b) {
			first, second = b, a
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if !m.Drives(first) || m.Drives(second) {
			t.Fatalf("beside each other: %v %v", m.Drives(a), m.Drives(b))
		}
		workspaces := map[string]string{a: domain.DefaultWorkspace, b: "other"}
		_, err := m.sessions.InterruptSession(t.Context(), workspaces[first], first, domain.Author{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if !m.Drives(second) {
			t.Error("the other one is not taken up after it")
		}
	})
}

// A graceful stop, and a minute survived, clear what is held against a session: the next
// death is a first one.
func TestWhatClearsASuspect(t *testing.T) {
	for name, peace := range map[string]func(m *mortal){
		"a graceful stop while it is performed": func(m *mortal) { m.ends(false); m.start() },
		"a minute survived":                     func(*mortal) { time.Sleep(time.Minute); synctest.Wait() },
	} {
		t.Run(name, func(t *testing.T) {
			inLives(t, func(t *testing.T, m *mortal) {
				id := m.chat(domain.DefaultWorkspace)
				for range 4 {
					m.lives(time.Second)
					peace(m)
					synctest.Wait()
					if s := m.session(domain.DefaultWorkspace, id); !m.Drives(id) || s.State.Suspicion != (domain.Suspicion{}) {
						t.Fatalf("it is %s with %+v", s.Status(), s.State.Suspicion)
					}
				}
			})
		})
	}
	inLives(t, func(t *testing.T, m *mortal) { // a graceful stop while it is set aside
		id := m.chat(domain.DefaultWorkspace)
		m.lives(time.Second)
		m.lives(time.Second)
		m.ends(false)
		m.start()
		synctest.Wait()
		if s := m.session(domain.DefaultWorkspace, id); !m.Drives(id) {
			t.Errorf("after a graceful stop it is %s with %+v", s.Status(), s.State.Suspicion)
		}
	})
}

// A suspect that a person interrupts or stops is no longer set aside.
func TestAPersonEndsASuspectsStep(t *testing.T) {
	inLives(t, func(t *testing.T, m *mortal) {
		id := m.chat(domain.DefaultWorkspace)
		m.lives(0)
		m.lives(0)
		if _, err := m.messages.SendMessage(t.Context(), domain.DefaultWorkspace, id, said("Something else.")); err != nil {
			t.Fatal(err)
		}
		if _, err := m.sessions.InterruptSession(t.Context(), domain.DefaultWorkspace, id, domain.Author{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		s := m.session(domain.DefaultWorkspace, id)
		if !m.Drives(id) || s.QueuedAt != nil {
			t.Errorf("the message that waited does not begin its round: %s %s", s.Phase, s.Status())
		}
		queue, err := m.store.Slot.Queue(t.Context(), domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
		if err != nil || slices.ContainsFunc(queue, func(r domain.QueueRow) bool { return r.SessionID == id }) {
			t.Errorf("the queue is %+v, %v", queue, err)
		}
	})
}
