package explain

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

var explainedAt = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func stands(s *domain.Session) *Inputs {
	return &Inputs{View: &domain.View{Workspace: &domain.Workspace{Settings: domain.DefaultSettings()}, Session: s}}
}

// TestTheSlotIsExplained covers who has the slot, the place in the queue, which sessions come before, and when an
// inactive chat will have to release the slot.
func TestTheSlotIsExplained(t *testing.T) {
	at := explainedAt
	st := stands(&domain.Session{ID: "ses_1", Type: domain.Run, Phase: domain.ExecutingEnrichments, QueuedAt: new(at.Add(-time.Minute)), Place: domain.Place{QueuePosition: 2}})
	st.View.Holder = &domain.Session{ID: "ses_9", Name: "Talk", Type: domain.Chat, Phase: domain.WaitingValidation, LastEventTime: at, LastUserInteractionTime: new(at.Add(-2 * time.Minute))}
	st.View.Queue = []domain.QueueRow{{SessionID: "ses_2", Position: 1}, {SessionID: "ses_1", Position: 2, Reason: "SCHEDULE", Preempting: true}}
	st.Ahead = []SessionName{{ID: "ses_2", Name: "First", Position: 1}}
	e := Session(st, at)
	w := e.Waits
	if w.Kind != domain.ForSlot || e.UnblockedBy != BySlot || w.Holder == nil || w.Holder.ID != "ses_9" || w.Holder.Name != "Talk" || w.Holder.Phase != domain.WaitingValidation {
		t.Fatalf("%+v", w)
	}
	if w.Position != 2 || w.Reason != "SCHEDULE" || !w.Preempting || len(w.Ahead) != 1 || !e.Since.Equal(at.Add(-time.Minute)) {
		t.Errorf("%+v since %v", w, e.Since)
	}
	if w.Until == nil || !w.Until.Equal(at.Add(3*time.Minute)) {
		t.Errorf("the chat is evicted at %v", w.Until)
	}
	st.View.Session.Type = domain.Chat // which was switched away in the middle of its round
	if e := Session(st, at); e.Waits.Until == nil || !e.Waits.Until.Equal(at.Add(3*time.Minute)) {
		t.Errorf("for a chat it is evicted at %v", e.Waits.Until)
	}
	st.View.Holder.Phase = domain.Idle
	if e := Session(st, at); e.Waits.Until == nil || !e.Waits.Until.Equal(at.Add(5*time.Minute)) {
		t.Errorf("behind others it gives way at %v", e.Waits.Until)
	}
	st.Ahead = nil
	if e := Session(st, at); e.Waits.Until == nil || !e.Waits.Until.Equal(at.Add(domain.ChatRest)) {
		t.Errorf("for a chat it gives way at %v", e.Waits.Until)
	}
	st.View.Workspace.Settings.ChatEvictionAfter = domain.Duration(time.Second)
	if e := Session(st, at); !e.Waits.Until.Equal(at.Add(time.Second)) {
		t.Errorf("it gives way at %v, after it is inactive", e.Waits.Until)
	}
	st.View.Holder.Phase = domain.CallingAI
	if e := Session(st, at); e.Waits.Until != nil {
		t.Errorf("a chat at work is evicted at %v", e.Waits.Until)
	}
	st.View.Holder = nil
	if e := Session(st, at); e.Waits.Kind != domain.ForSlot || e.Waits.Holder != nil {
		t.Errorf("%+v", e.Waits)
	}
}

// TestWhatIsWaitedForIsNamed: with its id, its limit, its error, its time.
func TestWhatIsWaitedForIsNamed(t *testing.T) {
	at := explainedAt
	for name, x := range map[string]struct {
		session domain.Session
		open    []*domain.Approval
		queue   []domain.QueueRow
		want    Waits
		by      UnblockedBy
	}{
		"a parked approval": {
			session: domain.Session{Type: domain.Run, Phase: domain.WaitingValidation, State: domain.SessionState{Waiting: &domain.WaitingContext{ApprovalID: "apr_1"}}},
			open:    []*domain.Approval{{ID: "apr_0", OnExpiry: "deny", ExpiresAt: new(at)}, {ID: "apr_1", OnExpiry: "deny", ExpiresAt: new(at.Add(time.Hour))}},
			want:    Waits{Kind: domain.ForApproval, ApprovalID: "apr_1", Until: new(at.Add(time.Hour))}, by: ByAnswer,
		},
		"an approval that is kept": {
			session: domain.Session{Type: domain.Chat, HoldsSlot: true, Phase: domain.WaitingCommunicationResponse, State: domain.SessionState{Waiting: &domain.WaitingContext{ApprovalID: "apr_1"}}},
			open:    []*domain.Approval{{ID: "apr_1", OnExpiry: "keep", ExpiresAt: new(at.Add(time.Hour))}},
			want:    Waits{Kind: domain.ForQuestion, ApprovalID: "apr_1"}, by: ByAnswer,
		},
		"a budget": {
			session: domain.Session{Type: domain.Chat, HoldsSlot: true, Phase: domain.WaitingBudget, State: domain.SessionState{Waiting: &domain.WaitingContext{ApprovalID: "apr_1", Limit: "max_cost_per_day"}}},
			want:    Waits{Kind: domain.ForBudget, ApprovalID: "apr_1", Limit: "max_cost_per_day"}, by: ByAnswer,
		},
		"a provider": {
			session: domain.Session{Type: domain.Run, HoldsSlot: true, ProviderID: "prv_1", Phase: domain.WaitingNetworkRetry, State: domain.SessionState{Waiting: &domain.WaitingContext{Attempt: 2, LastError: "refused", At: at.Add(15 * time.Second)}}},
			want:    Waits{Kind: domain.ForProvider, ProviderID: "prv_1", Attempt: 2, LastError: "refused", Until: new(at.Add(15 * time.Second))}, by: ByTimer,
		},
		"a provider given up for a while": {
			session: domain.Session{ID: "ses_1", Type: domain.Run, QueuedAt: &at, Phase: domain.WaitingNetworkRetry, State: domain.SessionState{Waiting: &domain.WaitingContext{Attempt: 3, LastError: "refused", At: at}}},
			queue:   []domain.QueueRow{{SessionID: "ses_1", Position: 1, NotBefore: new(at.Add(time.Minute))}},
			want:    Waits{Kind: domain.ForProvider, Position: 1, Attempt: 3, LastError: "refused", Until: new(at.Add(time.Minute))}, by: ByTimer,
		},
		"a later time": {
			session: domain.Session{ID: "ses_1", Type: domain.Run, QueuedAt: &at, Phase: domain.ExecutingEnrichments},
			queue:   []domain.QueueRow{{SessionID: "ses_1", Position: 1, NotBefore: new(at.Add(time.Minute))}},
			want:    Waits{Kind: domain.ForSchedule, Position: 1, Until: new(at.Add(time.Minute))}, by: ByTimer,
		},
		"tasks": {
			session: domain.Session{Type: domain.Run, Phase: domain.WaitingExternalResult, State: domain.SessionState{Waiting: &domain.WaitingContext{Tasks: []string{"tsk_1"}}}},
			want:    Waits{Kind: domain.ForTask, Tasks: []string{"tsk_1"}}, by: ByResult,
		},
		"the confirmation's timer, without the slot": {
			session: domain.Session{Type: domain.Run, Phase: domain.WaitingCompletionConfirmation, State: domain.SessionState{Suspended: true, Waiting: &domain.WaitingContext{At: at.Add(5 * time.Second)}}},
			want:    Waits{Kind: domain.ForCompletion, Until: new(at.Add(5 * time.Second))}, by: ByTimer,
		},
		"a person's confirmation": {
			session: domain.Session{Type: domain.Run, Phase: domain.WaitingCompletionConfirmation, State: domain.SessionState{Waiting: &domain.WaitingContext{ApprovalID: "apr_1"}}},
			want:    Waits{Kind: domain.ForCompletion, ApprovalID: "apr_1"}, by: ByAnswer,
		},
		"a suspect that stands aside": {
			session: domain.Session{ID: "ses_1", Type: domain.Chat, Phase: domain.CallingAI, QueuedAt: new(at), State: domain.SessionState{Suspicion: domain.Suspicion{Deaths: 2, ReenterAt: at.Add(10 * time.Second)}}},
			queue:   []domain.QueueRow{{SessionID: "ses_1", Position: 1, Reason: domain.QueuedSuspect, NotBefore: new(at.Add(10 * time.Second))}},
			want:    Waits{Kind: domain.ForSchedule, Position: 1, Reason: domain.QueuedSuspect, Until: new(at.Add(10 * time.Second)), Deaths: 2}, by: ByTimer,
		},
		"a poisoned one": {
			session: domain.Session{Type: domain.Chat, Phase: domain.CallingAI, State: domain.SessionState{Poisoned: true}},
			open:    []*domain.Approval{{ID: "apr_7", Kind: domain.ApprovalPoisoned}},
			want:    Waits{Kind: domain.ForPerson, ApprovalID: "apr_7"}, by: ByResume,
		},
		"a result that came to a chat at rest": {
			session: domain.Session{Type: domain.Chat, Phase: domain.Idle, State: domain.SessionState{NextRound: domain.NextRound{PendingCause: domain.CauseExternalResult}}},
			want:    Waits{Kind: domain.ForSlot}, by: BySlot,
		},
		"a stopped chat": {session: domain.Session{Type: domain.Chat, Phase: domain.Completed}, want: Waits{Kind: domain.ForNothing}, by: ByResume},
		"a finished run": {session: domain.Session{Type: domain.Run, Phase: domain.Completed}, want: Waits{Kind: domain.ForNothing}, by: ByNothing},
		"a template":     {session: domain.Session{Type: domain.Seed, Phase: domain.Idle}, want: Waits{Kind: domain.ForNothing}, by: ByNothing},
		"a call without the slot": {
			session: domain.Session{Type: domain.Chat, Phase: domain.CallingAI, ProviderID: "prv_1", State: domain.SessionState{CallState: domain.CallState{CallAside: true}}},
			want:    Waits{Kind: domain.ForItself, ProviderID: "prv_1"}, by: ByWork,
		},
		"a session at work": {session: domain.Session{Type: domain.Chat, HoldsSlot: true, Phase: domain.CallingAI, ProviderID: "prv_1"}, want: Waits{Kind: domain.ForItself, ProviderID: "prv_1"}, by: ByWork},
	} {
		st := stands(&x.session)
		st.View.Open, st.View.Queue = x.open, x.queue
		e := Session(st, at)
		got := e.Waits
		if e.UnblockedBy != x.by || got.Kind != x.want.Kind || got.ApprovalID != x.want.ApprovalID || got.Limit != x.want.Limit ||
			got.ProviderID != x.want.ProviderID || got.Attempt != x.want.Attempt || got.LastError != x.want.LastError ||
			got.Position != x.want.Position || len(got.Tasks) != len(x.want.Tasks) {
			t.Errorf("%s: %+v by %s", name, got, e.UnblockedBy)
		}
		if (got.Until == nil) != (x.want.Until == nil) || got.Until != nil && !got.Until.Equal(*x.want.Until) {
			t.Errorf("%s: until %v, want %v", name, got.Until, x.want.Until)
		}
	}
}

// TestSinceWhen: since it came into its phase; being taken up again there begins
// nothing new, another status does.
func TestSinceWhen(t *testing.T) {
	at := explainedAt
	step := func(from, to domain.Phase, status domain.Status, minutes int) *domain.Transition {
		return &domain.Transition{From: from, To: to, Status: status, At: at.Add(time.Duration(minutes) * time.Minute)}
	}
	s := &domain.Session{Type: domain.Run, Phase: domain.CallingAI, CreatedAt: at}
	for name, x := range map[string]struct {
		last []*domain.Transition
		want int
	}{
		"nothing yet":          {nil, 0},
		"came into the phase":  {[]*domain.Transition{step(domain.Idle, domain.CallingAI, domain.StatusRunning, 5), step(domain.Idle, domain.Idle, domain.StatusIdle, 1)}, 5},
		"taken up again":       {[]*domain.Transition{step(domain.CallingAI, domain.CallingAI, domain.StatusRunning, 9), step(domain.Idle, domain.CallingAI, domain.StatusRunning, 5), step(domain.Idle, domain.Idle, domain.StatusIdle, 1)}, 5},
		"suspended since then": {[]*domain.Transition{step(domain.CallingAI, domain.CallingAI, domain.StatusSuspended, 9), step(domain.Idle, domain.CallingAI, domain.StatusRunning, 5)}, 9},
	} {
		st := stands(s)
		st.Last = x.last
		if got := Session(st, at.Add(time.Hour)).Since; !got.Equal(at.Add(time.Duration(x.want) * time.Minute)) {
			t.Errorf("%s: since %v", name, got)
		}
	}
}
