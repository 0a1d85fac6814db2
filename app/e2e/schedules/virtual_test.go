package schedules

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/orchestrator"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/scheduler"
)

// virtual is the scheduler on a real database with a virtual clock and without drivers: the test decides what
// sessions do. So a year passes in seconds.
type virtual struct {
	t     testing.TB
	store *repository.Store
	scheduling

	mu  sync.Mutex
	now time.Time // zero: the clock of the bubble that the test runs in
}

func newVirtual(t testing.TB, db app.Database, now time.Time, change ...func(*scheduler.Config)) *virtual {
	t.Helper()
	v := &virtual{t: t, now: now}
	if now.IsZero() {
		now = time.Now()
	}
	cfg := repository.Config{
		URL: db.DatabaseURL, Node: "test", Incarnation: "first", Clock: v.clock, NewID: ids.New, Encode: api.EncodeEvent,
		Committed: func(c *domain.Change) {
			if v.door != nil {
				v.door.Committed(c)
			}
		},
	}
	if cfg.URL == "" {
		cfg.Path = db.SQLitePath()
	}
	var err error
	if v.store, err = repository.Open(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.store.Close() })
	v.ok(v.store.Migrate(t.Context()))
	if _, err := v.store.Workspaces.Workspace(t.Context(), domain.DefaultWorkspace); err != nil {
		v.ok(v.store.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{
			ID: domain.DefaultWorkspace, Name: "Default", Settings: oneLane(), CreatedAt: now,
		}))
	}
	v.open(change...)
	return v
}

func (v *virtual) clock() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.now.IsZero() {
		return time.Now()
	}
	return v.now
}

// open makes the scheduler of a new process: whatever an earlier one knew and had not
// stored is gone.
func (v *virtual) open(change ...func(*scheduler.Config)) {
	config := scheduler.Config{
		Machine: pureMachine{}, Runner: idleRunner{}, Observer: uncounted{}, Clock: v.clock, NewID: ids.New, Log: zerolog.Nop(),
		Retry: orchestrator.RetryDelay,
	}
	for _, c := range change {
		c(&config)
	}
	v.scheduling = newScheduling(v.store, config)
}

// idleRunner does no work.
type idleRunner struct{}

func (idleRunner) Drive(*domain.View, domain.Effect) {}
func (idleRunner) Cut(string, int64, error)          {}
func (idleRunner) Yield(string)                      {}
func (idleRunner) Drives(string) bool                { return true }

func (v *virtual) ok(err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
}

// at turns the clock and lets the scheduler do all that is due by then.
func (v *virtual) at(now time.Time) {
	v.t.Helper()
	v.mu.Lock()
	v.now = now
	v.mu.Unlock()
	v.ok(v.loop.RunOnce(v.t.Context()))
}

func (v *virtual) pass(d time.Duration) {
	v.t.Helper()
	v.at(v.now.Add(d))
}

// next is when the scheduler must look again.
func (v *virtual) next() time.Time {
	v.t.Helper()
	agenda, err := v.store.Slot.DueWork(v.t.Context(), v.now, 1, false)
	v.ok(err)
	if agenda.Next.IsZero() {
		v.t.Fatal("nothing will ever be due again")
	}
	return agenda.Next
}

// oneLane are settings with which all sessions of a workspace share the slot.
func oneLane() domain.Settings {
	settings := domain.DefaultSettings()
	settings.Lanes = "workspace"
	return settings
}

// settings changes those of the workspace by a merge patch.
func (v *virtual) settings(patch string) {
	v.t.Helper()
	_, err := v.store.Workspaces.UpdateSettings(v.t.Context(), domain.DefaultWorkspace, people.SettingsPatch{Fields: []byte(patch)})
	v.ok(err)
}

// order makes an automation.
func (v *virtual) order(name string, s *automation.Schedule, change ...func(*automation.NewAutomation)) *automation.Automation {
	v.t.Helper()
	in := automation.NewAutomation{
		Name: name, Enabled: true, Misfire: automation.MisfireOnce, Overlap: automation.OverlapSkip, Completion: automation.CompletionAuto, Schedule: s,
		Seed: domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: "Work."}}, LinearText: "Work."},
	}
	for _, c := range change {
		c(&in)
	}
	order, _, err := v.automations.CreateAutomation(v.t.Context(), domain.DefaultWorkspace, in)
	v.ok(err)
	return order
}

// holder is the session that holds the slot, or nil.
func (v *virtual) holder() *domain.Session {
	v.t.Helper()
	slot, err := v.store.Slot.Slot(v.t.Context(), domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	v.ok(err)
	return slot.Holder
}

// finish ends a run, with an error or as a person stops it.
func (v *virtual) finish(s *domain.Session, failed bool) {
	v.t.Helper()
	ctx := v.t.Context()
	if !failed {
		_, err := v.sessions.StopSession(ctx, s.WorkspaceID, s.ID, domain.Author{ID: "test"})
		v.ok(err)
	} else {
		v.deliver(s.ID, domain.SystemErrorOccurred{Code: "internal", Problem: "It failed."})
		v.deliver(s.ID, domain.SessionCompleted{})
	}
	v.ok(v.loop.RunOnce(ctx))
}

func (v *virtual) deliver(session string, e domain.Event) {
	v.t.Helper()
	_, err := v.door.Deliver(v.t.Context(), scheduler.EventRequest{
		Target: scheduler.Target{Workspace: domain.DefaultWorkspace, Session: session}, Event: e,
	})
	v.ok(err)
}

// chat makes a CHAT with a message, and answers it.
func (v *virtual) chat() *domain.Session { return v.chatOf("") }

func (v *virtual) chatOf(owner string) *domain.Session {
	v.t.Helper()
	r, err := v.sessions.CreateSession(v.t.Context(), domain.DefaultWorkspace, domain.NewSession{Type: domain.Chat, Owner: owner})
	v.ok(err)
	return r.Session
}

// say brings a message to a chat; it says whether the chat works on it now.
func (v *virtual) say(chat *domain.Session) *domain.Session {
	v.t.Helper()
	r, err := v.messages.SendMessage(v.t.Context(), chat.WorkspaceID, chat.ID, domain.NewMessage{
		Rich: domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: "Hello."}}, LinearText: "Hello."},
	})
	v.ok(err)
	return r.Session
}

// answered lets the chat's round end.
func (v *virtual) answered(chat *domain.Session) {
	v.t.Helper()
	_, err := v.sessions.InterruptSession(v.t.Context(), chat.WorkspaceID, chat.ID, domain.Author{ID: "test"})
	v.ok(err)
	v.ok(v.loop.RunOnce(v.t.Context()))
}

func (v *virtual) session(id string) *domain.Session {
	v.t.Helper()
	s, err := v.store.Sessions.Session(v.t.Context(), domain.DefaultWorkspace, id)
	v.ok(err)
	return s
}

// states are the occurrences of an automation, oldest first: "2026-03-29T01:30Z FIRED".
func (v *virtual) states(order *automation.Automation) []string {
	v.t.Helper()
	all := v.occurrences(order)
	out := make([]string, len(all))
	for i, o := range all {
		out[len(all)-1-i] = o.ScheduledAt.UTC().Format("02 15:04 ") + string(o.State)
		if o.Reason != "" {
			out[len(all)-1-i] += " " + o.Reason
		}
	}
	return out
}

// occurrences are all of an automation's, latest first.
func (v *virtual) occurrences(order *automation.Automation) []*automation.Occurrence {
	v.t.Helper()
	var all []*automation.Occurrence
	for cursor := ""; ; {
		page, next, err := v.store.Automations.Occurrences(context.Background(), order.WorkspaceID, automation.OccurrenceFilter{AutomationID: order.ID, Cursor: cursor, Limit: 200})
		v.ok(err)
		if all = append(all, page...); next == "" {
			return all
		}
		cursor = next
	}
}

// sound checks the invariants.
func (v *virtual) sound() {
	v.t.Helper()
	all, err := v.store.Workspaces.Invariants(v.t.Context(), domain.DefaultWorkspace)
	v.ok(err)
	for _, i := range all {
		if i.Count != 0 && i.Name != "running_without_owner" {
			v.t.Errorf("invariant %s: %d (%s)", i.Name, i.Count, i.Description)
		}
	}
}
