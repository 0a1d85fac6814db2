package machine

import "github.com/fermata-dev/fermata/domain"

// Short names for the targets, so that a rule fits on a line.
const (
	toIdle       = domain.Idle
	toEnrich     = domain.ExecutingEnrichments
	toCompact    = domain.CompactingContext
	toAI         = domain.CallingAI
	toParse      = domain.ParsingAIResponse
	toQueries    = domain.ExecutingDataQueries
	toActions    = domain.ExecutingActions
	toValidation = domain.WaitingValidation
	toAnswer     = domain.WaitingCommunicationResponse
	toBudget     = domain.WaitingBudget
	toExternal   = domain.WaitingExternalResult
	toConfirm    = domain.WaitingCompletionConfirmation
	toNetwork    = domain.WaitingNetworkRetry
	toFormat     = domain.RetryingAfterFormatError
	toFailure    = domain.RetryingAfterActionFailure
	toClosure    = domain.AwaitingSessionClosure
	toEnd        = domain.Completed
)

// The table of rules. Refusals (refusals.go) are checked first; then the first matching line applies.
// "automation" includes an agent unless a line for the agent precedes. "No source yet": nothing in this
// server raises such an event, or has a query begin an external task; the rule is the spec's, and only the
// transcripts use it. Not in the table: every event that takes a session out of a call of the AI, except
// the call's own report, records that call as cut (recordCutCall).
var table = []rule{
	// At rest.
	{idle, "UserMessageSent", when{chat, withSlot}, toEnrich, do{beginRound}},
	{idle, "UserMessageSent", when{chat}, stay, do{keepMessage, askSlot}},
	{idle, "RoundRequested", when{chat, reworded, withSlot}, toEnrich, do{supersedeAnswers, beginReworded}},
	{idle, "RoundRequested", when{chat, reworded}, stay, do{supersedeAnswers, keepReworded, askSlot}},
	{idle, "RoundRequested", when{chat, withSlot}, toAI, do{supersedeAnswers, beginRoundAgain}},
	{idle, "RoundRequested", when{chat}, stay, do{supersedeAnswers, rememberRequest, askSlot}},
	{idle, "AnswerChosen", when{chat}, stay, do{chooseAnswer}},
	{idle, "InterruptRequested", when{chat, withMessage}, stay, do{followWithMessage}},
	{idle, "ExternalResultReceived", when{quiet}, stay, do{storeLateResult}},
	{idle, "ExternalResultReceived", when{chat, wantedAgain, withSlot}, toValidation, do{storeLateResult, beginRoundOfResult, askOnceMore}},
	{idle, "ExternalResultReceived", when{withSlot}, toAI, do{storeLateResult, beginRoundOfResult}},
	{idle, "ExternalResultReceived", nil, stay, do{storeLateResult, rememberResult, askSlot}},

	// The user's enrichments.
	{in(toEnrich), "EnrichmentsExecuted", nil, toAI, do{storeEnrichments}},

	// On the way to the AI.
	{onTheWay, "LimitReached", when{chat}, toIdle, do{storeLimit}},
	{onTheWay, "LimitReached", when{agent}, toEnd, do{storeLimit, endLimitReached}},
	{onTheWay, "LimitReached", when{automation}, toClosure, do{storeLimit, closeLimitReached}},
	{onTheWay, "BudgetExceeded", nil, toBudget, do{askBudget}},
	{onTheWay, "ContextBudgetExceeded", nil, toCompact, nil},
	{onTheWay, "UserMessageSent", nil, toEnrich, do{joinWithEnrichments}},

	// Calling the AI, and making the prompt shorter.
	{in(toAI), "ContextBudgetExceeded", when{notCompacted}, toCompact, do{countFailedCall, notePromptTooLong}},
	{in(toAI), "ContextBudgetExceeded", when{chat}, toIdle, do{countFailedCall, storeTooLarge}},
	{in(toAI), "ContextBudgetExceeded", when{agent}, toEnd, do{countFailedCall, storeTooLarge, endError}},
	{in(toAI), "ContextBudgetExceeded", when{automation}, toClosure, do{countFailedCall, storeTooLarge, closeError}},
	{in(toCompact), "ContextCompacted", nil, toAI, do{storeSummary}},
	{in(toAI), "AIResponseReceived", nil, toParse, do{countAnswer}},
	{calling, "NetworkErrorOccurred", when{chat}, toIdle, do{countFailedCall, storeNetworkError}},
	{calling, "NetworkErrorOccurred", when{agent, triedEnough}, toEnd, do{countFailedCall, storeNetworkError, endError}},
	{calling, "NetworkErrorOccurred", when{lastTry}, toNetwork, do{countFailedCall, storeNetworkError, giveUp}},
	{calling, "NetworkErrorOccurred", when{automation}, toNetwork, do{countFailedCall, storeNetworkError, waitForNetwork}},
	{in(toNetwork), "NetworkRetryScheduled", when{withSlot}, toAI, do{noLongerAside}},
	{in(toNetwork), "NetworkRetryScheduled", nil, stay, do{dueNow, askSlot}},
	{in(toNetwork), "NetworkAvailable", when{withSlot}, toAI, do{noLongerAside}},
	{in(toNetwork), "NetworkAvailable", nil, stay, do{dueNow, askSlot}},
	{in(toNetwork), "RoundRequested", when{withSlot}, toAI, do{noLongerAside, requestedByHand}},
	{in(toNetwork), "RoundRequested", nil, stay, do{requestedByHand, dueNow, askSlot}},
	{in(toNetwork), "NetworkGivenUp", nil, same, do{giveUp}}, // no source yet

	// What the AI answered: the first line that fits.
	{in(toParse), "ParseErrorOccurred", when{readsAnswer}, stay, do{holdAnswer}},
	{in(toParse), "AIResponseParsed", when{readsAnswer, mustAct}, stay, do{holdAnswer}},
	{in(toParse), "ParseErrorOccurred", nil, toFormat, do{storeUnreadable}},
	{in(toParse), "AIResponseParsed", when{chat, moduleBesideCommands}, toFormat, do{storeMisused}},
	{in(toParse), "AIResponseParsed", when{chat, clientBesideOthers}, toFormat, do{storeMisused}},
	{in(toParse), "AIResponseParsed", when{jsonMixed}, toFormat, do{storeMisused}},
	{in(toParse), "AIResponseParsed", when{withQueries}, toQueries, do{storeAnswer, planQueries}},
	{in(toParse), "AIResponseParsed", when{withActions, validationRefused}, toAI, do{storeAnswer, planActions, refuseActions}},
	{in(toParse), "AIResponseParsed", when{withActions, guardedOutside}, toValidation, do{storeAnswer, planActions, askValidation}},
	{in(toParse), "AIResponseParsed", when{withActions, needsPerson}, toValidation, do{storeAnswer, planActions, askValidation}},
	{in(toParse), "AIResponseParsed", when{withActions}, toActions, do{storeAnswer, planActions}},
	{in(toParse), "AIResponseParsed", when{chat, withModule}, toAnswer, do{storeAnswer, askQuestion}},
	{in(toParse), "AIResponseParsed", when{chat, withClientCalls}, toAnswer, do{storeAnswer, askClient}},
	{in(toParse), "AIResponseParsed", when{agent}, toEnd, do{storeAnswer, endCompleted}},
	{in(toParse), "AIResponseParsed", when{automation, saidCompleted}, toConfirm, do{storeAnswer, askConfirmation}},
	{in(toParse), "AIResponseParsed", when{chat}, toIdle, do{storeAnswer, guideIgnored}},
	{in(toParse), "AIResponseParsed", when{automation}, toAI, do{storeAnswer, guideOn}},
	{retrying, "RetryScheduled", nil, toAI, nil},

	// Queries.
	{in(toQueries), "DataQueriesExecuted", when{actionsFollow, validationRefused}, toAI, do{storeData, planActions, refuseActions}},
	{in(toQueries), "DataQueriesExecuted", when{actionsFollow, guardedOutside}, toValidation, do{storeData, planActions, askValidation}},
	{in(toQueries), "DataQueriesExecuted", when{actionsFollow, needsPerson}, toValidation, do{storeData, planActions, askValidation}},
	{in(toQueries), "DataQueriesExecuted", when{actionsFollow}, toActions, do{storeData, planActions}},
	{in(toQueries), "DataQueriesExecuted", when{automation, tasksPending}, toExternal, do{waitForTasks, storeData}}, // no source yet
	{in(toQueries), "DataQueriesExecuted", when{chat, tasksPending}, toIdle, do{storeData}},                         // no source yet
	{in(toQueries), "DataQueriesExecuted", nil, toAI, do{storeData}},
	{in(toQueries), "ExternalTasksStarted", nil, stay, do{noteTasks, thenDataQueriesExecuted}}, // no source yet

	// An external server needs a person before a call can continue.
	{in(toQueries, toActions), "OutsideAsked", nil, toValidation, do{askOutside}},
	{in(toValidation), "ValidationReceived", when{asksOutside, ofQuery, withSlot}, toQueries, do{answerOutside}},
	{in(toValidation), "ValidationReceived", when{asksOutside, withSlot}, toActions, do{answerOutside}},

	// Agents, which are called like queries.
	{in(toQueries), "AgentsStarted", nil, stay, do{startAgents}},
	{in(toQueries), "AgentsWaiting", when{agentAnswered}, same, do{forgetAgentAnswered}},
	{in(toQueries), "AgentsWaiting", nil, toValidation, do{waitForAgents}},
	{in(toQueries), "AgentAnswered", nil, stay, do{noteAgentAnswered}},
	{in(toValidation), "AgentAnswered", when{waitsForAgents, withSlot}, toQueries, do{resumeAgents}},
	{in(toValidation), "AgentAnswered", when{waitsForAgents}, stay, do{noteAgentAnswered, askSlot}},

	// Actions.
	{in(toActions), "ActionStarted", nil, stay, do{noteStarted}},
	{in(toActions), "ExternalResultReceived", when{ofThisSeries}, stay, do{keepOutcome}},
	{in(toActions), "ActionsExecuted", when{refusedBefore}, toFailure, do{storeFailure}},
	{in(toActions), "ActionsExecuted", when{agent, completedBeside}, toEnd, do{storeActions, endCompleted}},
	{in(toActions), "ActionsExecuted", when{automation, tasksPending}, toExternal, do{waitForTasks, storeActions}},
	{in(toActions), "ActionsExecuted", when{automation, completedBeside}, toConfirm, do{storeActions, askConfirmation}},
	{in(toActions), "ActionsExecuted", when{chat, tasksPending}, toIdle, do{storeActions}},
	{in(toActions), "ActionsExecuted", when{chat, restsWithItsText}, toIdle, do{storeActions}},
	{in(toActions), "ActionsExecuted", when{backToAI}, toAI, do{storeActions}},
	{in(toActions), "ActionsExecuted", when{automation}, toAI, do{storeActions}},
	{in(toActions), "ActionsExecuted", when{chat}, toIdle, do{storeActions}},
	{in(toActions), "ActionFailureOccurred", nil, toFailure, do{storeFailure}},
	{in(toActions), "ExternalTasksStarted", nil, stay, do{noteTasks, thenActionsExecuted}},
	{in(toActions), "ApprovalStale", when{validationRefused}, toAI, do{refuseActions}},
	{in(toActions, toValidation), "ApprovalStale", nil, toValidation, do{askAgain}},

	// Waiting for a person's approval.
	{in(toValidation), "ValidationReceived", when{yes, withSlot}, toActions, do{approve}},
	{in(toValidation), "ValidationReceived", when{chat, no, withoutComment}, toIdle, do{decline}},
	{in(toValidation), "ValidationReceived", when{withSlot}, toAI, do{decline, storeComment, reasonActionResult}},
	{in(toValidation), "ValidationReceived", nil, stay, do{keepAnswer, askSlot}},

	// Waiting for a person's answer to a question, or for the program that sent the message.
	{in(toAnswer), "CommunicationResponseReceived", when{clientAnswers, withSlot}, toAI, do{storeClientResults}},
	{in(toAnswer), "CommunicationResponseReceived", when{withSlot}, toAI, do{storeResponse}},
	{in(toAnswer), "CommunicationResponseReceived", nil, stay, do{keepAnswer, askSlot}},
	{in(toAnswer), "CommunicationCancelled", nil, toIdle, do{decline}},

	// Waiting for a person's decision on tokens or money.
	{in(toBudget), "BudgetRaised", when{withSlot}, toAI, do{raiseBudget}},
	{in(toBudget), "BudgetRaised", nil, stay, do{keepAnswer, askSlot}},
	{in(toBudget), "BudgetRefused", when{chat}, toIdle, do{decline}},
	{in(toBudget), "BudgetRefused", when{agent, withSlot}, toEnd, do{decline, endLimitReached}},
	{in(toBudget), "BudgetRefused", when{withSlot}, toClosure, do{decline, closeLimitReached}},
	{in(toBudget), "BudgetRefused", nil, stay, do{keepAnswer, askSlot}},

	// A message ends a person's wait, unless the client said that it can wait.
	{personWaits, "UserMessageSent", when{chat, canWait}, stay, do{keepMessage}},
	{personWaits, "UserMessageSent", when{chat, answered}, stay, do{keepMessage, askSlot}},
	{personWaits, "UserMessageSent", when{chat, withSlot}, toEnrich, do{supersede, beginRound}},
	{personWaits, "UserMessageSent", when{chat}, toIdle, do{supersede, keepMessage, askSlot}},
	{working, "UserMessageSent", when{chat, poisoned}, stay, do{keepMessage}},
	{working, "UserMessageSent", when{chat, cutsRound}, toIdle, do{cutAnswer, followWithMessage}},
	{working, "UserMessageSent", when{chat}, stay, do{keepMessage, askSlot}},

	// Waiting for what was started outside.
	{in(toEnd), "ExternalResultReceived", nil, stay, do{keepOutcome}},
	{in(toExternal), "ExternalResultReceived", when{quiet}, stay, do{storeLateResult}},
	{in(toExternal), "ExternalResultReceived", when{lastTask}, stay, do{storeLateResult, askSlot}},
	{alive, "ExternalResultReceived", when{quiet}, stay, do{storeLateResult}},
	{alive, "ExternalResultReceived", when{chat}, stay, do{storeLateResult, rememberResult}},
	{alive, "ExternalResultReceived", nil, stay, do{storeLateResult}},

	// Confirming that the automation is done.
	{in(toConfirm), "CompletionConfirmed", nil, toEnd, do{acceptCompletion, endCompleted}},
	{in(toConfirm), "CompletionRejected", when{withSlot}, toAI, do{rejectCompletion, storeComment}},
	{in(toConfirm), "CompletionRejected", nil, stay, do{keepAnswer, askSlot}},

	// An approval that expired without an answer.
	{waiting, "ApprovalExpired", when{denies}, stay, do{answerNo}},
	{waiting, "ApprovalExpired", nil, stay, nil},

	// Errors and the watchdog.
	{working, "SystemErrorOccurred", when{chat}, toIdle, do{countFailedCall, cutAnswer, storeSystemError}},
	{working, "SystemErrorOccurred", when{agent}, toEnd, do{countFailedCall, cutAnswer, storeSystemError, endError}},
	{working, "SystemErrorOccurred", nil, toClosure, do{countFailedCall, cutAnswer, storeSystemError, closeError}},
	{in(toNetwork), "SystemErrorOccurred", nil, toClosure, do{countFailedCall, storeSystemError, closeError}},
	{working, "WatchdogExpired", when{agent}, toEnd, do{cutAnswer, storeTimeout, endTimeout}},
	{working, "WatchdogExpired", nil, toClosure, do{cutAnswer, storeTimeout, closeTimeout}},

	// Interrupting, stopping, closing, coming back.
	{working, "InterruptRequested", when{chat}, toIdle, do{keepPartialText, cutAnswer, followWithMessage}},
	{personWaits, "InterruptRequested", when{chat}, toIdle, do{interruptWait, followWithMessage}},
	{alive, "StopRequested", nil, toEnd, do{cutAnswer, endCancelled}},
	{in(toClosure), "SessionCompleted", nil, toEnd, do{endAsClosed}},
	{in(toEnd), "SessionResumed", when{chat}, toIdle, do{reopen, askSlot}},
	{alive, "SessionResumed", when{poisoned}, same, do{tryAgain, askSlot}},
	{alive, "SessionResumed", when{setAside}, same, do{comeBack, askSlot}},

	// The slot comes and goes.
	{in(toClosure), "SessionSuspended", nil, stay, do{thenSessionCompleted}},
	{calling, "SessionSuspended", when{callUnderWay}, stay, do{setCallAside}},
	{calling, "SessionSuspended", when{callAside}, same, do{suspendCall}},
	{alive, "SessionSuspended", nil, same, do{suspend}},
	{idle, "SessionEvicted", nil, same, do{leaveSlot}},
	{personWaits, "SessionEvicted", nil, toIdle, do{evict}},
	{calling, "SessionActivationRequested", when{callAside}, stay, do{rejoinCall}},
	{in(toParse), "SessionActivationRequested", when{callAside}, stay, do{rejoinCall}},
	{working, "SessionActivationRequested", when{guilty}, same, do{poison}},
	{working, "SessionActivationRequested", when{suspect}, same, do{standAside}},
	{in(toExternal), "SessionActivationRequested", when{nothingLeft, withSlot}, toAI, do{reenter}},
	{in(toValidation), "SessionActivationRequested", when{waitsForAgents, agentAnswered, withSlot}, toQueries, do{reenter, resumeAgents}},
	{idle, "SessionActivationRequested", when{roundRemembered, withSlot}, toAI, do{beginRemembered}},
	{idle, "SessionActivationRequested", nil, stay, do{reenter}},
	{alive, "SessionActivationRequested", nil, same, do{reenter, goOnWaiting}},

	// The clock.
	{alive, "SchedulerHeartbeat", nil, stay, do{whatIsDue}},
	{in(toEnd), "SchedulerHeartbeat", nil, stay, nil},
}
