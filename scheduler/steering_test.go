package scheduler

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

var errAway = errors.New("the database is away")

// awayStore is a database that cannot be read.
type awayStore struct{ store }

func (awayStore) Session(context.Context, string, string) (*domain.Session, error) {
	return nil, errAway
}

func (awayStore) SessionByExternalID(context.Context, string, string) (*domain.Session, error) {
	return nil, errAway
}

// TestSteering covers a person's requests to a session and their effects in the machine and the run loop.
func TestSteering(t *testing.T) {
	by := domain.Author{ID: "ann", Role: domain.RoleMember}
	resume := func(s *Sessions) (*domain.Receipt, error) { return s.ResumeSession(t.Context(), "ws", "me", by) }
	interrupt := func(s *Sessions) (*domain.Receipt, error) { return s.InterruptSession(t.Context(), "ws", "me", by) }
	stop := func(s *Sessions) (*domain.Receipt, error) { return s.StopSession(t.Context(), "ws", "me", by) }
	activate := func(s *Sessions) (*domain.Receipt, error) { return s.ActivateSession(t.Context(), "ws", "me") }
	leaveQueue := func(s *Sessions) (*domain.Receipt, error) { return s.LeaveQueue(t.Context(), "ws", "me") }
	for name, c := range map[string]struct {
		view *domain.View
		do   func(*Sessions) (*domain.Receipt, error)
		code domain.Code
		want string
	}{
		"a poisoned one is resumed": {
			view(chat("me", domain.CallingAI, poisoned), nil), resume,
			"", "me CALLING_AI claimed slot",
		},
		"one that is set aside is resumed": {
			view(chat("me", domain.CallingAI, suspended), nil), resume,
			"", "me CALLING_AI claimed slot",
		},
		"what has ended is not interrupted": {
			view(chat("me", domain.Completed), nil), interrupt,
			domain.CodeSessionEnded, "",
		},
		"what has ended is not stopped": {
			view(run("me", domain.Completed), nil), stop,
			domain.CodeSessionEnded, "",
		},
		"what has ended is not activated": {
			view(run("me", domain.Completed), nil), activate,
			domain.CodeSessionEnded, "",
		},
		"a SEED is not activated": {
			view(session("me", domain.Seed, domain.Idle), nil), activate,
			domain.CodeSeedNeverRuns, "",
		},
		"who does not queue leaves no queue": {
			view(chat("me", domain.Idle), nil), leaveQueue,
			domain.CodeNotFound, "",
		},
		"who queues leaves it": {
			func() *domain.View { me := chat("me", domain.Idle); return view(me, nil, queued(me)) }(),
			leaveQueue,
			"", "me IDLE",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.view)
			r, err := c.do(w.sessions())
			if (err == nil) != (c.code == "") || err != nil && domain.ErrorCode(err) != c.code {
				t.Fatal(err)
			}
			if err != nil {
				if len(w.changes) != 0 || len(w.notes) != 0 {
					t.Errorf("refused, and %d changes, %q", len(w.changes), w.notes)
				}
				return
			}
			last := w.changes[len(w.changes)-1]
			same(t, written(last.Sessions[len(last.Sessions)-1]), c.want)
			if r.Session.ID != "me" || r.Seq == 0 {
				t.Errorf("the receipt is %+v", r)
			}
		})
	}
}

// holding is the view of a session that has the slot.
func holding(s *domain.Session) *domain.View { return view(s, s) }

// A session that cannot be read is not changed, and the caller learns why.
func TestASessionThatCannotBeRead(t *testing.T) {
	by := domain.Author{ID: "ann"}
	for name, do := range map[string]func(*Sessions) error{
		"released, without the slot": func(s *Sessions) error {
			_, err := s.ReleaseSlot(t.Context(), "ws", "me", by)
			return err
		},
		"activated, with the slot": func(s *Sessions) error {
			me := chat("me", domain.Idle)
			s.Store.(awayStore).world.view = holding(me)
			_, err := s.ActivateSession(t.Context(), "ws", "me")
			return err
		},
		"interrupted, streamed elsewhere": func(s *Sessions) error {
			s.Gather = func(context.Context, *domain.Session) func() { return func() {} }
			_, err := s.InterruptSession(t.Context(), "ws", "me", by)
			return err
		},
		"deleted": func(s *Sessions) error { return s.DeleteSession(t.Context(), "ws", "me") },
		"made": func(s *Sessions) error {
			_, err := s.CreateSession(t.Context(), "ws", domain.NewSession{Type: domain.Chat, ExternalID: "x"})
			return err
		},
	} {
		w := newWorld(t, view(chat("me", domain.Idle), nil))
		s := w.sessions()
		s.Store = awayStore{store{world: w}}
		if err := do(s); !errors.Is(err, errAway) || len(w.changes) != 0 {
			t.Errorf("%s: %v, %d changes", name, err, len(w.changes))
		}
	}
}

// A SEED whose automation cannot be read is not deleted: it may still belong to it.
func TestASeedWhoseAutomationCannotBeRead(t *testing.T) {
	w := newWorld(t, view(session("me", domain.Seed, domain.Idle), nil))
	s := w.sessions()
	s.Store = noAutomations{store{world: w}}
	if err := s.DeleteSession(t.Context(), "ws", "me"); !errors.Is(err, errAway) || len(w.changes) != 0 {
		t.Errorf("%v, %d changes", err, len(w.changes))
	}
}

type noAutomations struct{ store }

func (noAutomations) Automation(context.Context, string, string) (*automation.Automation, error) {
	return nil, errAway
}

// racing finds an external id only after a concurrent request has taken it.
type racing struct {
	store
	asked *int
}

func (r racing) SessionByExternalID(context.Context, string, string) (*domain.Session, error) {
	if *r.asked++; *r.asked == 1 {
		return nil, domain.NotFound("session")
	}
	return chat("theirs", domain.Idle), nil
}

// Two clients make the session of one external id at the same time: both get the same one.
func TestTwoMakeTheSameSession(t *testing.T) {
	for name, c := range map[string]struct {
		external string
		want     domain.Code
	}{"with an external id": {"x", ""}, "without one": {"", domain.CodeConflict}} {
		w := newWorld(t, view(nil, nil))
		w.failing = domain.Errorf(domain.CodeConflict, "it is there")
		s := w.sessions()
		asked := 0
		if c.external == "" { // it is not looked up before
			asked = 1
		}
		s.Store = racing{store{world: w}, &asked}
		r, err := s.CreateSession(t.Context(), "ws", domain.NewSession{Type: domain.Chat, ExternalID: c.external})
		if (err == nil) != (c.want == "") || err != nil && domain.ErrorCode(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (r.Session.ID != "theirs" || r.Created) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// What a stop says of a call, by how far it had come.
func TestStopOutcome(t *testing.T) {
	for status, want := range map[domain.ExecutionStatus]string{
		domain.ExecSuccess: "finished_before", domain.ExecStarted: "unknown", domain.ExecUnknown: "unknown", domain.ExecApproved: "not_started",
	} {
		if got := stopOutcome(status); got != want {
			t.Errorf("%s: %s, want %s", status, got, want)
		}
	}
}

// Who has work left that needs the slot.
func TestWorkLeft(t *testing.T) {
	inbox := func(v *domain.View) { v.Inbox = []*domain.InboxItem{waitingItem("a", 1)} }
	for name, c := range map[string]struct {
		session *domain.Session
		change  func(*domain.View)
		want    bool
	}{
		"at rest":                  {chat("me", domain.Idle), nil, false},
		"at work":                  {chat("me", domain.CallingAI), nil, true},
		"at rest, a message waits": {chat("me", domain.Idle), inbox, true},
		"a round waits to begin": {
			chat("me", domain.Idle, func(s *domain.Session) { s.State.PendingCause = domain.CauseUserMessage }), nil, true,
		},
		"it asks, a message waits": {chat("me", domain.WaitingValidation), inbox, false},
		"it asks, without an answer": {
			chat("me", domain.WaitingValidation, func(s *domain.Session) { s.State.Waiting = &domain.WaitingContext{} }), nil, false,
		},
		"it has ended": {run("me", domain.Completed), inbox, false},
		"it asked, and was answered": {
			chat("me", domain.WaitingValidation, func(s *domain.Session) {
				s.State.Waiting = &domain.WaitingContext{Answer: &domain.WaitAnswer{}}
			}), nil, true,
		},
	} {
		v := view(c.session, nil)
		if c.change != nil {
			c.change(v)
		}
		if got := workLeft(c.session, v); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAModelThatStaysUnknown verifies that the model of a session is estimated and looked up once: a request that
// still does not know it proceeds without a reservation.
func TestAModelThatStaysUnknown(t *testing.T) {
	w := newWorld(t, view(chat("me", domain.Idle), nil))
	w.models, w.door.cfg.Models = map[string]bool{}, forgetsModels{w}
	if _, err := w.door.Deliver(t.Context(), event(text("m"))); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(w.notes, "drive me call_ai") || len(w.changes) != 1 {
		t.Errorf("%q, %d changes", w.notes, len(w.changes))
	}
}

// forgetsModels never learns one.
type forgetsModels struct{ *world }

func (f forgetsModels) Learn(context.Context, string, string) {}
