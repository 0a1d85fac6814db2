package explain

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// UnblockedBy is what makes a session continue.
type UnblockedBy string

const (
	ByAnswer  UnblockedBy = "answer"  // a person's, to the approval
	ByMessage UnblockedBy = "message" // a person's
	ByResume  UnblockedBy = "resume"  // a person's /resume
	BySlot    UnblockedBy = "slot"    // its turn
	ByTimer   UnblockedBy = "timer"   // at Until
	ByResult  UnblockedBy = "result"  // of a task
	ByWork    UnblockedBy = "work"    // its own
	ByNothing UnblockedBy = "nothing"
)

// SessionName is a session as others speak of it.
type SessionName struct {
	ID       string
	Name     string
	Type     domain.SessionType
	Phase    domain.Phase
	Position int // in the queue; 0: not in it
}

// Inputs is the data that Session needs, read in one snapshot.
type Inputs struct {
	View *domain.View
	// Last are its latest transitions, the newest first.
	Last []*domain.Transition
	// Ahead are those before it in the queue, next first; the first few of them.
	Ahead []SessionName
	// Answer is the AI's latest; nil: there is none, or it is another's that counts.
	Answer *domain.Message
}

// Waits is what a session waits for. Which fields are filled depends on Kind.
type Waits struct {
	Kind  domain.WaitFor
	Until *time.Time // when it continues by itself, or a wait expires

	Holder     *SessionName // of the slot; nil: the slot is free
	Position   int          // in the queue; 0: it is not in it and comes after it
	Ahead      []SessionName
	Reason     string // why it requested the slot
	Preempting bool   // the holder's running action is let finish

	ApprovalID string
	Limit      string // which budget
	Tasks      []string
	Agents     []SessionName // those that work for it, or wait for a person
	ProviderID string
	Attempt    int
	LastError  string
	Deaths     int // of the server in a row, while it performed the session's step
}

// Explanation is why a session waits.
type Explanation struct {
	Session     *domain.Session
	Since       time.Time
	Waits       Waits
	UnblockedBy UnblockedBy
	Last        []*domain.Transition
	// Answer is the latest of the AI, where files stood in its prompt.
	Answer *domain.Message
}

// Session finds the one thing that a session waits for now. Every state has an explanation.
func Session(st *Inputs, now time.Time) *Explanation {
	s := st.View.Session
	e := &Explanation{Session: s, Since: standsSince(st), Last: st.Last}
	if a := st.Answer; a != nil && a.Raw != nil && len(a.Raw.PromptFiles) > 0 {
		e.Answer = a
	}
	w := s.State.Waiting
	switch {
	case s.Phase == domain.Completed:
		e.waits(domain.ForNothing, ByNothing)
		if s.Type == domain.Chat {
			e.UnblockedBy = ByResume
		}
	case s.Type == domain.Seed:
		e.waits(domain.ForNothing, ByNothing)
	case s.State.Poisoned:
		e.waits(domain.ForPerson, ByResume)
		for _, a := range st.View.Open {
			if a.Kind == domain.ApprovalPoisoned {
				e.Waits.ApprovalID = a.ID
			}
		}
	case s.Phase == domain.WaitingCompletionConfirmation && w != nil && w.ApprovalID == "" && w.Answer == nil:
		e.timer(w) // it needs no slot to end
	case s.QueuedAt != nil:
		e.queued(st, now)
	case openWait(s):
		e.person(st)
	case s.Phase.EndsFromOutside() && (w == nil || w.Answer == nil):
		e.waits(s.Phase.WaitsFor(), ByResult)
		if w != nil {
			e.Waits.Tasks = w.Tasks
		}
		e.askedByTask(st)
	case s.Phase == domain.AwaitingSessionClosure:
		e.timer(w)
	case s.HoldsSlot:
		e.holding(st)
	default:
		e.without(st, now)
	}
	e.network(s)
	e.agents(st.View.Agents)
	return e
}

// agents names those that carry out a call of the session, or of one of them, and have not ended.
func (e *Explanation) agents(all []*domain.AgentView) {
	for _, a := range all {
		if s := a.Session; s.Phase != domain.Completed {
			e.Waits.Agents = append(e.Waits.Agents, SessionName{ID: s.ID, Name: s.Name, Type: s.Type, Phase: s.Phase})
			e.agents(a.Agents)
		}
	}
}

// askedByTask names the question of a task that it waits for.
func (e *Explanation) askedByTask(st *Inputs) {
	for _, t := range st.View.Tasks {
		if t.Question != nil && len(t.Question.Answer) == 0 {
			e.Waits.ApprovalID = t.Question.ApprovalID
		}
	}
}

func (e *Explanation) waits(kind domain.WaitFor, by UnblockedBy) {
	e.Waits.Kind, e.UnblockedBy = kind, by
}

// timer: it continues when the timer of the wait fires.
func (e *Explanation) timer(w *domain.WaitingContext) {
	e.waits(e.Session.Phase.WaitsFor(), ByTimer)
	if w != nil && !w.At.IsZero() {
		e.Waits.Until = &w.At
	}
}

// openWait: a person must answer, and has not.
func openWait(s *domain.Session) bool {
	return s.AsksPerson() && (s.State.Waiting == nil || s.State.Waiting.Answer == nil)
}

// person names the question that is open, and when it closes by itself.
func (e *Explanation) person(st *Inputs) {
	s := st.View.Session
	e.waits(s.Phase.WaitsFor(), ByAnswer)
	w := s.State.Waiting
	if w == nil {
		return
	}
	switch {
	case w.Kind == domain.WaitClient:
		e.waits(domain.ForClient, ByResult)
	case w.Kind != domain.WaitOutside:
	case w.Module != nil:
		e.Waits.Kind = domain.ForQuestion
	default:
		e.Waits.Kind = domain.ForSignIn
	}
	e.Waits.ApprovalID, e.Waits.Limit = w.ApprovalID, w.Limit
	for _, a := range st.View.Open {
		if a.ID == w.ApprovalID && a.OnExpiry == "deny" {
			e.Waits.Until = a.ExpiresAt
		}
	}
}

// queued: it requested the slot and waits for its place, or for the earliest time it accepts.
func (e *Explanation) queued(st *Inputs, now time.Time) {
	s := st.View.Session
	e.slot(st)
	e.Waits.Deaths = s.State.Suspicion.Deaths
	for i := range st.View.Queue {
		row := &st.View.Queue[i]
		if row.SessionID != s.ID {
			continue
		}
		e.Waits.Position, e.Waits.Reason, e.Waits.Preempting = row.Position, row.Reason, row.Preempting
		if row.NotBefore != nil && row.NotBefore.After(now) {
			kind := domain.ForSchedule
			if s.Phase == domain.WaitingNetworkRetry {
				kind = domain.ForProvider
			}
			e.waits(kind, ByTimer)
			e.Waits.Until = row.NotBefore
		}
	}
}

// slot: another session has it, or it is free and granted at once.
func (e *Explanation) slot(st *Inputs) {
	e.waits(domain.ForSlot, BySlot)
	e.Waits.Ahead = st.Ahead
	h := st.View.Holder
	if h == nil || h.ID == e.Session.ID {
		return
	}
	e.Waits.Holder = &SessionName{ID: h.ID, Name: h.Name, Type: h.Type, Phase: h.Phase}
	if h.Type == domain.Chat && !h.Phase.Working() { // also behind another one, which has switched it away
		until := h.InactiveAt(&st.View.Workspace.Settings)
		if len(st.Ahead) == 0 {
			until = h.GivesWayAt(e.Session, &st.View.Workspace.Settings)
		}
		e.Waits.Until = &until
	}
}

// holding: it has the slot.
func (e *Explanation) holding(st *Inputs) {
	s := st.View.Session
	switch {
	case s.Phase == domain.Idle && len(st.View.Inbox) == 0:
		e.waits(domain.ForPerson, ByMessage)
	case s.Phase == domain.WaitingNetworkRetry:
		e.timer(s.State.Waiting)
	default:
		e.waits(domain.ForItself, ByWork)
		e.Waits.ProviderID = s.ProviderID
	}
}

// without: it does not have the slot, and no person is asked.
func (e *Explanation) without(st *Inputs, now time.Time) {
	s, w := st.View.Session, st.View.Session.State.Waiting
	switch {
	case s.Phase == domain.Idle && s.State.PendingCause == "" && len(st.View.Inbox) == 0:
		e.waits(domain.ForPerson, ByMessage)
	case s.State.CallAside: // it finishes its answer, and needs the slot again only to act on it
		e.waits(domain.ForItself, ByWork)
		e.Waits.ProviderID = s.ProviderID
	case s.Phase == domain.WaitingNetworkRetry && !s.State.Suspended && w != nil && w.At.After(now):
		e.timer(w)
	default:
		e.slot(st)
	}
}

// network adds the provider's problem, if there is one, to any explanation.
func (e *Explanation) network(s *domain.Session) {
	if w := s.State.Waiting; s.Phase == domain.WaitingNetworkRetry && w != nil {
		e.Waits.ProviderID, e.Waits.Attempt, e.Waits.LastError = s.ProviderID, w.Attempt, w.LastError
		if e.Waits.Kind == domain.ForSlot && e.Waits.Until == nil && !w.At.IsZero() {
			e.Waits.Until = &w.At
		}
	}
}

// standsSince is when the session entered its current phase and status. A re-entered phase counts from its
// first entry.
func standsSince(st *Inputs) time.Time {
	s := st.View.Session
	if s.QueuedAt != nil {
		return *s.QueuedAt
	}
	since := s.CreatedAt
	for i, t := range st.Last {
		if t.To != s.Phase || i > 0 && t.Status != st.Last[0].Status {
			break
		}
		since = t.At
		if t.From != t.To {
			break
		}
	}
	return since
}
