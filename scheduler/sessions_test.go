package scheduler

import (
	"cmp"
	"context"
	"errors"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/outside"
)

// sessions are those of a world, over what it stores.
func (w *world) sessions() *Sessions {
	return &Sessions{Door: w.door, Store: store{world: w}, Providers: w}
}

// store is what is read before a decision.
type store struct {
	*world
	external   *domain.Session
	automation *automation.Automation
}

func (s store) SessionByExternalID(context.Context, string, string) (*domain.Session, error) {
	if s.external == nil {
		return nil, domain.NotFound("session")
	}
	return s.external, nil
}

func (s store) Automation(context.Context, string, string) (*automation.Automation, error) {
	if s.automation == nil {
		return nil, domain.NotFound("automation")
	}
	return s.automation, nil
}

func (w *world) Provider(_ context.Context, _, id string) (*outside.Provider, error) {
	if id != "prv" {
		return nil, domain.NotFound("provider")
	}
	return &outside.Provider{ID: id}, nil
}

func TestCreateSession(t *testing.T) {
	said := domain.NewMessage{Rich: domain.RichContent{LinearText: "Hello."}}
	for name, c := range map[string]struct {
		in       domain.NewSession
		external *domain.Session
		want     domain.Code
		made     bool
	}{
		"a chat":                  {domain.NewSession{Type: domain.Chat}, nil, "", true},
		"with a message":          {domain.NewSession{Type: domain.Chat, Message: &said}, nil, "", true},
		"with a name":             {domain.NewSession{Type: domain.Chat, Name: "Mine", Message: &said}, nil, "", true},
		"with a provider":         {domain.NewSession{Type: domain.Chat, ProviderID: "prv"}, nil, "", true},
		"with an unknown one":     {domain.NewSession{Type: domain.Chat, ProviderID: "other"}, nil, domain.CodeInvalid, false},
		"a run":                   {domain.NewSession{Type: domain.Run}, nil, domain.CodeInvalid, false},
		"a new external id":       {domain.NewSession{Type: domain.Chat, ExternalID: "x"}, nil, "", true},
		"a known one is that one": {domain.NewSession{Type: domain.Chat, ExternalID: "x"}, chat("known", domain.Idle), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, view(nil, nil))
			s := w.sessions()
			s.Store = store{world: w, external: c.external}
			r, err := s.CreateSession(t.Context(), "ws", c.in)
			if (err == nil) != (c.want == "") || err != nil && domain.ErrorCode(err) != c.want {
				t.Fatal(err)
			}
			if (len(w.changes) == 1) != c.made || err == nil && r.Created != c.made {
				t.Errorf("%+v, %d changes", r, len(w.changes))
			}
			if c.made && (w.changes[0].Events[0].Type != domain.LogSessionCreated || !w.changes[0].Sessions[0].Insert) {
				t.Errorf("the log begins with %+v", w.changes[0].Events[0])
			}
			if c.in.Message != nil && (r.Message == nil || r.Message.Rich.LinearText != "Hello.") {
				t.Errorf("the message is %+v", r.Message)
			}
			if called := map[bool]string{true: cmp.Or(c.in.Name, "Hello.")}[c.in.Message != nil]; err == nil && c.made && r.Session.Name != called {
				t.Errorf("it is called %q, not %q", r.Session.Name, called)
			}
		})
	}
}

func TestUpdateSession(t *testing.T) {
	w := newWorld(t, view(chat("me", domain.CallingAI), nil))
	r, err := w.sessions().UpdateSession(t.Context(), "ws", "me", domain.SessionPatch{Name: new("Mine"), Pinned: new(true), ProviderID: new("prv")})
	if err != nil || r.Session.Name != "Mine" || !r.Session.Pinned || r.Session.ProviderID != "prv" || !r.Session.UpdatedAt.Equal(noon) {
		t.Errorf("%+v, %v", r, err)
	}
	if len(w.changes[0].Transitions) != 0 || w.changes[0].Events[0].Type != domain.LogSessionStatus || len(w.notes) != 0 {
		t.Errorf("%+v, %q", w.changes[0], w.notes)
	}
	if _, err := w.sessions().UpdateSession(t.Context(), "ws", "me", domain.SessionPatch{ProviderID: new("other")}); domain.ErrorCode(err) != domain.CodeInvalid {
		t.Errorf("an unknown provider: %v", err)
	}
}

func TestDeleteSession(t *testing.T) {
	seed := session("me", domain.Seed, domain.Idle)
	for name, c := range map[string]struct {
		session    *domain.Session
		automation *automation.Automation
		want       domain.Code
	}{
		"a chat at rest":        {chat("me", domain.Idle), nil, ""},
		"one that waits":        {chat("me", domain.WaitingValidation), nil, ""},
		"a run that has ended":  {run("me", domain.Completed), nil, ""},
		"one at work":           {chat("me", domain.CallingAI), nil, domain.CodeSessionBusy},
		"an automation's SEED":  {seed, &automation.Automation{SeedSessionID: "me"}, domain.CodeSeedOfAutomation},
		"a SEED left alone":     {seed, nil, ""},
		"one that was replaced": {seed, &automation.Automation{SeedSessionID: "other"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, view(c.session, nil))
			s := w.sessions()
			s.Store = store{world: w, automation: c.automation}
			err := s.DeleteSession(t.Context(), "ws", "me")
			if (err == nil) != (c.want == "") || err != nil && domain.ErrorCode(err) != c.want {
				t.Fatal(err)
			}
			if err == nil && (!w.changes[0].Sessions[0].Delete || len(w.changes[0].Events) == 0) {
				t.Errorf("the change is %+v", w.changes[0])
			}
		})
	}
}

// Who gives the slot up must rest; to who has it not, nothing happens.
func TestReleaseSlot(t *testing.T) {
	holding := func(s *domain.Session) *domain.View { return view(s, s) }
	for name, c := range map[string]struct {
		view    *domain.View
		want    domain.Code
		changes int
	}{
		"a chat at rest":    {holding(chat("me", domain.Idle)), "", 1},
		"one at work":       {holding(chat("me", domain.CallingAI)), domain.CodeSessionBusy, 0},
		"one that waits":    {holding(chat("me", domain.WaitingValidation)), domain.CodeSessionBusy, 0},
		"a run":             {holding(run("me", domain.CallingAI)), domain.CodeSessionBusy, 0},
		"without the slot":  {view(chat("me", domain.Idle), nil), "", 0},
		"another's holding": {view(chat("me", domain.Idle), chat("other", domain.Idle)), "", 0},
	} {
		w := newWorld(t, c.view)
		r, err := w.sessions().ReleaseSlot(t.Context(), "ws", "me", domain.Author{})
		if (err == nil) != (c.want == "") || err != nil && domain.ErrorCode(err) != c.want || len(w.changes) != c.changes {
			t.Errorf("%s: %+v, %v, %d changes", name, r, err, len(w.changes))
		}
		if c.changes == 1 && r.Session.HoldsSlot {
			t.Errorf("%s: it holds the slot", name)
		}
	}
}

func TestActivateSession(t *testing.T) {
	me := chat("me", domain.Idle)
	for name, c := range map[string]struct {
		view     *domain.View
		want     string
		position int
	}{
		"it gets the slot": {view(chat("me", domain.Idle), nil), domain.Activated, 0},
		"it has it":        {view(me, me), domain.AlreadyActive, 0},
		"it queues": {
			view(chat("me", domain.Idle), run("other", domain.CallingAI), polite, queued(run("a", domain.CallingAI), run("b", domain.CallingAI))),
			domain.Queued, 1,
		},
		"a run queues": {
			view(run("me", domain.CallingAI), run("other", domain.CallingAI), queued(run("a", domain.CallingAI))),
			domain.Queued, 2,
		},
	} {
		r, err := newWorld(t, c.view).sessions().ActivateSession(t.Context(), "ws", "me")
		if err != nil || r.Result != c.want || r.Position != c.position {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// A stop says what became of each call, as it was when it came.
func TestStopSession(t *testing.T) {
	me := chat("me", domain.ExecutingActions, func(s *domain.Session) { s.State.AnswerID = "msg" })
	stopped := errors.New("stopped")
	w := newWorld(t, view(me, me, func(v *domain.View) {
		for i, status := range []domain.ExecutionStatus{domain.ExecSuccess, domain.ExecStarted, domain.ExecApproved} {
			v.Planned = append(v.Planned, &domain.Execution{
				ID: string(rune('a' + i)), MessageID: "msg", Kind: domain.KindAction, Command: "CREATE_ZONE", Status: status, Position: i,
			})
		}
	}), func(c *Config) { c.Causes.Stopped = stopped })
	r, err := w.sessions().StopSession(t.Context(), "ws", "me", domain.Author{ID: "me"})
	if err != nil || r.Session.Phase == domain.ExecutingActions {
		t.Fatalf("%+v, %v", r, err)
	}
	want := []string{"finished_before", "unknown", "not_started"}
	for i, call := range r.Calls {
		if call.Outcome != want[i] {
			t.Errorf("call %s is %s, want %s", call.ExecutionID, call.Outcome, want[i])
		}
	}
	if last := w.notes[len(w.notes)-1]; len(r.Calls) != 3 || last != "cut me: stopped" {
		t.Errorf("%+v, %q", r.Calls, w.notes)
	}
}

// An interruption keeps what was received, from whatever node has it.
func TestInterruptSession(t *testing.T) {
	me := chat("me", domain.CallingAI)
	w := newWorld(t, view(me, me))
	s := w.sessions()
	s.Gather = func(context.Context, *domain.Session) func() {
		w.note("gathered")
		return func() { w.note("released") }
	}
	r, err := s.InterruptSession(t.Context(), "ws", "me", domain.Author{ID: "me"})
	if err != nil || r.Session.Phase != domain.Idle || len(w.changes[0].Messages) == 0 || w.changes[0].Messages[0].ID != "msg_partial" {
		t.Errorf("%+v, %v", r, err)
	}
	if w.notes[0] != "gathered" || w.notes[len(w.notes)-1] != "released" {
		t.Errorf("%q", w.notes)
	}
}

// Who leaves the queue: a run that has not begun ends, what has work left waits in turn,
// a suspect stays where it is.
func TestLeaveQueue(t *testing.T) {
	begun := func(s *domain.Session) { s.State.TotalRoundtrips = 1 }
	suspect := func(v *domain.View) { v.Queue[0].Reason = domain.QueuedSuspect }
	for name, c := range map[string]struct {
		session *domain.Session
		change  func(*domain.View)
		want    string
	}{
		"a run that has not begun": {run("me", domain.ExecutingEnrichments), nil, "me COMPLETED claimed; -me"},
		"a run under way":          {run("me", domain.CallingAI, begun), nil, "me CALLING_AI queued; +me:0 in_turn"},
		"a chat with nothing left": {chat("me", domain.Idle), nil, "me IDLE; -me"},
		"a chat with a message": {chat("me", domain.Idle), func(v *domain.View) { v.Inbox = []*domain.InboxItem{waitingItem("a", 1)} },
			"me IDLE queued; +me:0 in_turn"},
		"a chat that was answered": {chat("me", domain.WaitingValidation, func(s *domain.Session) {
			s.State.Waiting = &domain.WaitingContext{Answer: &domain.WaitAnswer{}}
		}), nil, "me WAITING_VALIDATION queued; +me:0 in_turn"},
		"a suspect": {chat("me", domain.CallingAI, aside(noon)), suspect, "me CALLING_AI queued"},
	} {
		v := view(c.session, run("other", domain.CallingAI), queued(c.session))
		if c.change != nil {
			c.change(v)
		}
		d, err := decideOn(v, leaveRequest{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same(t, describe(d), c.want)
	}
	if _, err := decideOn(view(chat("me", domain.Idle), nil), leaveRequest{}); domain.ErrorCode(err) != domain.CodeNotFound {
		t.Errorf("who does not queue: %v", err)
	}
}
