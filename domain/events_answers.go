package domain

// Answer is a person's answer to a question of a session. Each event with one embeds it; the zero value is
// a missing answer.
type Answer struct {
	fromPerson
	Decision Decision
	Recorded []byte // canonical form of the decision
	Text     string // the answer in words, to a question
	Evidence []byte // what the person signed; nil: nothing
}

func (a Answer) answer() Answer { return a }

// Approves reports whether the event is an approval. Answers are refusals unless their event overrides
// this.
func (Answer) Approves() bool { return false }

// AnswerOf returns the answer of an event; false if it has none.
func AnswerOf(e Event) (Answer, bool) {
	if a, ok := e.(interface{ answer() Answer }); ok {
		return a.answer(), true
	}
	return Answer{}, false
}

// Approves reports whether the event is a person's approval.
func Approves(e Event) bool {
	a, ok := e.(interface{ Approves() bool })
	return ok && a.Approves()
}

// Question is what a phase asks a person, with the events that answer it.
type Question struct {
	Kind ApprovalKind
	// Optional: a person is asked only if configured; otherwise the phase's timer ends the wait.
	Optional bool
	Yes, No  func(Answer) Event
}

var (
	askActions    = &Question{Kind: ApprovalActions, Yes: validation, No: validation}
	askQuestion   = &Question{Kind: ApprovalQuestion, Yes: response, No: cancelled}
	askBudget     = &Question{Kind: ApprovalBudget, Yes: raised, No: refused}
	askCompletion = &Question{Kind: ApprovalCompletion, Yes: confirmed, No: rejected, Optional: true}
)

func validation(a Answer) Event { return ValidationReceived{Answer: a} }
func response(a Answer) Event   { return CommunicationResponseReceived{a} }
func cancelled(a Answer) Event  { return CommunicationCancelled{a} }
func raised(a Answer) Event     { return BudgetRaised{a} }
func refused(a Answer) Event    { return BudgetRefused{a} }
func confirmed(a Answer) Event  { return CompletionConfirmed{a} }
func rejected(a Answer) Event   { return CompletionRejected{a} }

// QuestionOf is the question that an approval of this kind asks in a phase; nil for one that
// no phase is about.
func QuestionOf(kind ApprovalKind) *Question {
	for _, r := range phases {
		if r.asks != nil && r.asks.Kind == kind {
			return r.asks
		}
	}
	return nil
}

// Reply returns the event for an approval or a refusal.
func (q *Question) Reply(yes bool, a Answer) Event {
	if yes {
		return q.Yes(a)
	}
	return q.No(a)
}

// Again returns the event of a stored answer by the event's name; nil if the question has no such event.
func (q *Question) Again(event string, a Answer) Event {
	for _, reply := range []func(Answer) Event{q.Yes, q.No} {
		if e := reply(a); e.Name() == event {
			return e
		}
	}
	return nil
}

// ValidationReceived is a person's answer to WAITING_VALIDATION. Edited holds the executions whose
// parameters the person changed (validated, with new digests); the machine approves the approved ones and
// cancels the rest of Policy.Planned.
type ValidationReceived struct {
	Answer
	Edited []*Execution
}

func (ValidationReceived) Name() string     { return "ValidationReceived" }
func (e ValidationReceived) Approves() bool { return e.Decision.Approved }

// CommunicationResponseReceived answers a module.
type CommunicationResponseReceived struct{ Answer }

func (CommunicationResponseReceived) Name() string   { return "CommunicationResponseReceived" }
func (CommunicationResponseReceived) Approves() bool { return true }

// CommunicationCancelled: the person does not want to answer.
type CommunicationCancelled struct{ Answer }

func (CommunicationCancelled) Name() string { return "CommunicationCancelled" }

// BudgetRaised answers WAITING_BUDGET: the work continues.
type BudgetRaised struct{ Answer }

func (BudgetRaised) Name() string   { return "BudgetRaised" }
func (BudgetRaised) Approves() bool { return true }

// BudgetRefused answers WAITING_BUDGET: the work stops there.
type BudgetRefused struct{ Answer }

func (BudgetRefused) Name() string { return "BudgetRefused" }

// CompletionConfirmed answers WAITING_COMPLETION_CONFIRMATION: the automation is done. If no person is
// asked, the timer sends it.
type CompletionConfirmed struct{ Answer }

func (CompletionConfirmed) Name() string   { return "CompletionConfirmed" }
func (CompletionConfirmed) Approves() bool { return true }

// CompletionRejected answers WAITING_COMPLETION_CONFIRMATION: the automation continues.
type CompletionRejected struct{ Answer }

func (CompletionRejected) Name() string { return "CompletionRejected" }
