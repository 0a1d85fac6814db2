package domain

// Event is something that happens to a session: what the machine takes. Name is the
// spec's name for it. A new one is a type with its name in one of the files events_*.go,
// a line in Events, and its rules in the machine's table.
type Event interface {
	Name() string
	Source() Source
}

// Source is the origin of an event.
type Source string

const (
	FromPerson Source = "person" // a person's own act
	FromEffect Source = "effect" // the outcome of an effect, from the run loop
	FromServer Source = "server" // the scheduler, a timer, news from outside
)

// Each event embeds one of these.
type (
	fromPerson struct{}
	fromEffect struct{}
	fromServer struct{}
)

func (fromPerson) Source() Source { return FromPerson }
func (fromEffect) Source() Source { return FromEffect }
func (fromServer) Source() Source { return FromServer }

// Events holds one of each kind. The machine notices two more by itself.
var Events = []Event{
	SessionActivationRequested{}, UserMessageSent{}, EnrichmentsExecuted{}, ContextBudgetExceeded{}, ContextCompacted{},
	AIResponseReceived{}, AIResponseParsed{}, ParseErrorOccurred{}, RetryScheduled{}, DataQueriesExecuted{},
	ActionStarted{}, OutsideAsked{}, ActionsExecuted{}, ActionFailureOccurred{}, ValidationReceived{}, ApprovalStale{}, ApprovalExpired{},
	CommunicationResponseReceived{}, CommunicationCancelled{}, BudgetRaised{}, BudgetRefused{}, ExternalTasksStarted{},
	ExternalResultReceived{}, CompletionConfirmed{}, CompletionRejected{}, NetworkErrorOccurred{}, NetworkRetryScheduled{},
	NetworkAvailable{}, NetworkGivenUp{}, SystemErrorOccurred{}, WatchdogExpired{}, RoundRequested{}, InterruptRequested{},
	StopRequested{}, SessionResumed{}, SessionSuspended{}, SessionEvicted{}, SessionCompleted{}, SchedulerHeartbeat{},
	AgentsStarted{}, AgentsWaiting{}, AgentAnswered{}, AnswerChosen{},
}

// RoundtripOf is the call of the AI that an event reports, nil where none was made, and
// whether the event is one that reports a call.
func RoundtripOf(e Event) (call *Roundtrip, reports bool) {
	switch e := e.(type) {
	case AIResponseReceived:
		return e.Roundtrip, true
	case ContextCompacted:
		return e.Roundtrip, true
	case ContextBudgetExceeded:
		return e.Roundtrip, true
	case NetworkErrorOccurred:
		return e.Roundtrip, true
	case SystemErrorOccurred:
		return e.Roundtrip, true
	}
	return nil, false
}
