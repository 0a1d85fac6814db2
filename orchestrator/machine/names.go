package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// events holds one of each kind, those of the domain and the two that the machine
// notices by itself.
var events = []domain.Event{
	domain.SessionActivationRequested{}, domain.UserMessageSent{}, domain.EnrichmentsExecuted{},
	domain.ContextBudgetExceeded{}, domain.ContextCompacted{}, domain.AIResponseReceived{},
	domain.AIResponseParsed{}, domain.ParseErrorOccurred{}, domain.RetryScheduled{},
	domain.DataQueriesExecuted{}, domain.ActionsExecuted{}, domain.ActionFailureOccurred{},
	domain.ValidationReceived{}, domain.ApprovalStale{}, domain.ApprovalExpired{},
	domain.CommunicationResponseReceived{}, domain.CommunicationCancelled{}, domain.BudgetRaised{},
	domain.BudgetRefused{}, domain.ExternalTasksStarted{}, domain.ExternalResultReceived{},
	domain.CompletionConfirmed{}, domain.CompletionRejected{}, domain.NetworkErrorOccurred{},
	domain.NetworkRetryScheduled{}, domain.NetworkAvailable{}, domain.NetworkGivenUp{},
	domain.SystemErrorOccurred{}, domain.WatchdogExpired{}, domain.RoundRequested{},
	domain.InterruptRequested{}, domain.StopRequested{}, domain.SessionResumed{},
	domain.SessionSuspended{}, domain.SessionEvicted{}, domain.SessionCompleted{},
	domain.SchedulerHeartbeat{},
}

// everyBut names every event that comes from outside but those.
func everyBut(not ...string) []string {
	var names []string
	for _, e := range events {
		if !slices.Contains(not, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}
