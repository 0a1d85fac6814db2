package domain

// What people do to a session, but for their answers (events_answers.go).

// UserMessageSent has a person's message, complete with ids; the machine places it.
type UserMessageSent struct {
	fromPerson
	Message *Message
	IfBusy  IfBusy
	// Explicit: the client said if_busy itself (an implied enqueue ends a wait, an
	// explicit one waits for it).
	Explicit  bool
	DedupeKey string
	Trace     string // see NewMessage
}

func (UserMessageSent) Name() string { return "UserMessageSent" }

// RoundRequested runs the round again (/retry). Plan describes what happens to its earlier answer; nil:
// the round is continued.
type RoundRequested struct {
	fromPerson
	By   Author
	Plan *RetryPlan
}

func (RoundRequested) Name() string { return "RoundRequested" }

// AnswerChosen makes an earlier answer of the last round the current one.
type AnswerChosen struct {
	fromPerson
	By   Author
	Plan ChoicePlan
}

func (AnswerChosen) Name() string { return "AnswerChosen" }

// InterruptRequested cuts the round (CHAT). PartialText is what was received.
type InterruptRequested struct {
	fromPerson
	By          string
	MessageID   string
	PartialText string
	// Then, if set, is the message of if_busy=interrupt that follows.
	Then *UserMessageSent
}

func (InterruptRequested) Name() string { return "InterruptRequested" }

// StopRequested ends the session with CANCELLED.
type StopRequested struct {
	fromPerson
	By string
}

func (StopRequested) Name() string { return "StopRequested" }

// SessionResumed resumes a stopped CHAT, a suspended AUTOMATION or a poisoned session (/resume).
type SessionResumed struct{ fromPerson }

func (SessionResumed) Name() string { return "SessionResumed" }
