package domain

import (
	"testing"
	"time"
)

var explainedAt = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func stands(s *Session) *WaitInputs {
	return &WaitInputs{View: &View{Workspace: &Workspace{Settings: DefaultSettings()}, Session: s}}
}

// TestTheSlotIsExplained covers who has the slot, the place in the queue, which sessions come before, and when an
// inactive chat will have to release the slot.
func TestTheSlotIsExplained(t *testing.T) {
	at := explainedAt
	st := stands(&Session{ID: "ses_1", Type: Run, Phase: ExecutingEnrichments, QueuedAt: new(at.Add(-time.Minute)), QueuePosition: 2})
	st.View.Holder = &Session{ID: "ses_9", Name: "Talk", Type: Chat, Phase: WaitingValidation, LastEventTime: at, LastUserInteractionTime: new(at.Add(-2 * time.Minute))}
	st.View.Queue = []QueueRow{{SessionID: "ses_2", Position: 1}, {SessionID: "ses_1", Position: 2, Reason: "SCHEDULE", Preempting: true}}
	st.Ahead = []SessionName{{ID: "ses_2", Name: "First", Position: 1}}
	e := Explain(st, at)
	w := e.Waits
	if w.Kind != ForSlot || e.UnblockedBy != BySlot || w.Holder == nil || w.Holder.ID != "ses_9" || w.Holder.Name != "Talk" || w.Holder.Phase != WaitingValidation {
		t.Fatalf("%+v", w)
	}
	if w.Position != 2 || w.Reason != "SCHEDULE" || !w.Preempting || len(w.Ahead) != 1 || !e.Since.Equal(at.Add(-time.Minute)) {
		t.Errorf("%+v since %v", w, e.Since)
	}
	if w.Until == nil || !w.Until.Equal(at.Add(3*time.Minute)) {
		t.Errorf("the chat is evicted at %v", w.Until)
	}
	st.View.Session.Type = Chat // which was switched away in the middle of its round
	if e := Explain(st, at); e.Waits.Until == nil || !e.Waits.Until.Equal(at.Add(3*time.Minute)) {
		t.Errorf("for a chat it is evicted at %v", e.Waits.Until)
	}
	st.View.Holder.Phase = Idle
	if e := Explain(st, at); e.Waits.Until == nil || !e.Waits.Until.Equal(at.Add(5*time.Minute)) {
		t.Errorf("behind others it gives way at %v", e.Waits.Until)
	}
	st.Ahead = nil
	if e := Explain(st, at); e.Waits.Until == nil || !e.Waits.Until.Equal(at.Add(ChatRest)) {
		t.Errorf("for a chat it gives way at %v", e.Waits.Until)
	}
	st.View.Workspace.Settings.ChatEvictionAfter = Duration(time.Second)
	if e := Explain(st, at); !e.Waits.Until.Equal(at.Add(time.Second)) {
		t.Errorf("it gives way at %v, after it is inactive", e.Waits.Until)
	}
	st.View.Holder.Phase = CallingAI
	if e := Explain(st, at); e.Waits.Until != nil {
		t.Errorf("a chat at work is evicted at %v", e.Waits.Until)
	}
	st.View.Holder = nil
	if e := Explain(st, at); e.Waits.Kind != ForSlot || e.Waits.Holder != nil {
		t.Errorf("%+v", e.Waits)
	}
}

// TestWhatIsWaitedForIsNamed: with its id, its limit, its error, its time.
func TestWhatIsWaitedForIsNamed(t *testing.T) {
	at := explainedAt
	for name, x := range map[string]struct {
		session Session
		open    []*Approval
		queue   []QueueRow
		want    Waits
		by      UnblockedBy
	}{
		"a parked approval": {
			session: Session{Type: Run, Phase: WaitingValidation, State: SessionState{Waiting: &WaitingContext{ApprovalID: "apr_1"}}},
			open:    []*Approval{{ID: "apr_0", OnExpiry: "deny", ExpiresAt: new(at)}, {ID: "apr_1", OnExpiry: "deny", ExpiresAt: new(at.Add(time.Hour))}},
			want:    Waits{Kind: ForApproval, ApprovalID: "apr_1", Until: new(at.Add(time.Hour))}, by: ByAnswer,
		},
		"an approval that is kept": {
			session: Session{Type: Chat, HoldsSlot: true, Phase: WaitingCommunicationResponse, State: SessionState{Waiting: &WaitingContext{ApprovalID: "apr_1"}}},
			open:    []*Approval{{ID: "apr_1", OnExpiry: "keep", ExpiresAt: new(at.Add(time.Hour))}},
			want:    Waits{Kind: ForQuestion, ApprovalID: "apr_1"}, by: ByAnswer,
		},
		"a budget": {
			session: Session{Type: Chat, HoldsSlot: true, Phase: WaitingBudget, State: SessionState{Waiting: &WaitingContext{ApprovalID: "apr_1", Limit: "max_cost_per_day"}}},
			want:    Waits{Kind: ForBudget, ApprovalID: "apr_1", Limit: "max_cost_per_day"}, by: ByAnswer,
		},
		"a provider": {
			session: Session{Type: Run, HoldsSlot: true, ProviderID: "prv_1", Phase: WaitingNetworkRetry, State: SessionState{Waiting: &WaitingContext{Attempt: 2, LastError: "refused", At: at.Add(15 * time.Second)}}},
			want:    Waits{Kind: ForProvider, ProviderID: "prv_1", Attempt: 2, LastError: "refused", Until: new(at.Add(15 * time.Second))}, by: ByTimer,
		},
		"a provider given up for a while": {
			session: Session{ID: "ses_1", Type: Run, QueuedAt: &at, Phase: WaitingNetworkRetry, State: SessionState{Waiting: &WaitingContext{Attempt: 3, LastError: "refused", At: at}}},
			queue:   []QueueRow{{SessionID: "ses_1", Position: 1, NotBefore: new(at.Add(time.Minute))}},
			want:    Waits{Kind: ForProvider, Position: 1, Attempt: 3, LastError: "refused", Until: new(at.Add(time.Minute))}, by: ByTimer,
		},
		"a later time": {
			session: Session{ID: "ses_1", Type: Run, QueuedAt: &at, Phase: ExecutingEnrichments},
			queue:   []QueueRow{{SessionID: "ses_1", Position: 1, NotBefore: new(at.Add(time.Minute))}},
			want:    Waits{Kind: ForSchedule, Position: 1, Until: new(at.Add(time.Minute))}, by: ByTimer,
		},
		"tasks": {
			session: Session{Type: Run, Phase: WaitingExternalResult, State: SessionState{Waiting: &WaitingContext{Tasks: []string{"tsk_1"}}}},
			want:    Waits{Kind: ForTask, Tasks: []string{"tsk_1"}}, by: ByResult,
		},
		"the confirmation's timer, without the slot": {
			session: Session{Type: Run, Phase: WaitingCompletionConfirmation, State: SessionState{Suspended: true, Waiting: &WaitingContext{At: at.Add(5 * time.Second)}}},
			want:    Waits{Kind: ForCompletion, Until: new(at.Add(5 * time.Second))}, by: ByTimer,
		},
		"a person's confirmation": {
			session: Session{Type: Run, Phase: WaitingCompletionConfirmation, State: SessionState{Waiting: &WaitingContext{ApprovalID: "apr_1"}}},
			want:    Waits{Kind: ForCompletion, ApprovalID: "apr_1"}, by: ByAnswer,
		},
		"a suspect that stands aside": {
			session: Session{ID: "ses_1", Type: Chat, Phase: CallingAI, QueuedAt: new(at), State: SessionState{Suspicion: Suspicion{Deaths: 2, ReenterAt: at.Add(10 * time.Second)}}},
			queue:   []QueueRow{{SessionID: "ses_1", Position: 1, Reason: QueuedSuspect, NotBefore: new(at.Add(10 * time.Second))}},
			want:    Waits{Kind: ForSchedule, Position: 1, Reason: QueuedSuspect, Until: new(at.Add(10 * time.Second)), Deaths: 2}, by: ByTimer,
		},
		"a poisoned one": {
			session: Session{Type: Chat, Phase: CallingAI, State: SessionState{Poisoned: true}},
			open:    []*Approval{{ID: "apr_7", Kind: ApprovalPoisoned}},
			want:    Waits{Kind: ForPerson, ApprovalID: "apr_7"}, by: ByResume,
		},
		"a result that came to a chat at rest": {
			session: Session{Type: Chat, Phase: Idle, State: SessionState{NextRound: NextRound{PendingCause: CauseExternalResult}}},
			want:    Waits{Kind: ForSlot}, by: BySlot,
		},
		"a stopped chat":          {session: Session{Type: Chat, Phase: Completed}, want: Waits{Kind: ForNothing}, by: ByResume},
		"a finished run":          {session: Session{Type: Run, Phase: Completed}, want: Waits{Kind: ForNothing}, by: ByNothing},
		"a template":              {session: Session{Type: Seed, Phase: Idle}, want: Waits{Kind: ForNothing}, by: ByNothing},
		"a call without the slot": {session: Session{Type: Chat, Phase: CallingAI, ProviderID: "prv_1", State: SessionState{CallState: CallState{CallAside: true}}}, want: Waits{Kind: ForItself, ProviderID: "prv_1"}, by: ByWork},
		"a session at work":       {session: Session{Type: Chat, HoldsSlot: true, Phase: CallingAI, ProviderID: "prv_1"}, want: Waits{Kind: ForItself, ProviderID: "prv_1"}, by: ByWork},
	} {
		st := stands(&x.session)
		st.View.Open, st.View.Queue = x.open, x.queue
		e := Explain(st, at)
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
	step := func(from, to Phase, status Status, minutes int) *Transition {
		return &Transition{From: from, To: to, Status: status, At: at.Add(time.Duration(minutes) * time.Minute)}
	}
	s := &Session{Type: Run, Phase: CallingAI, CreatedAt: at}
	for name, x := range map[string]struct {
		last []*Transition
		want int
	}{
		"nothing yet":          {nil, 0},
		"came into the phase":  {[]*Transition{step(Idle, CallingAI, StatusRunning, 5), step(Idle, Idle, StatusIdle, 1)}, 5},
		"taken up again":       {[]*Transition{step(CallingAI, CallingAI, StatusRunning, 9), step(Idle, CallingAI, StatusRunning, 5), step(Idle, Idle, StatusIdle, 1)}, 5},
		"suspended since then": {[]*Transition{step(CallingAI, CallingAI, StatusSuspended, 9), step(Idle, CallingAI, StatusRunning, 5)}, 9},
	} {
		st := stands(s)
		st.Last = x.last
		if got := Explain(st, at.Add(time.Hour)).Since; !got.Equal(at.Add(time.Duration(x.want) * time.Minute)) {
			t.Errorf("%s: since %v", name, got)
		}
	}
}
