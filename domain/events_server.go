package domain

// Events of the server itself: from the scheduler, its timers, and external services.

// SessionActivationRequested re-enters the present phase: the slot is granted, or a
// crash is recovered from (Recovery). Died: its process did not stop in good order.
type SessionActivationRequested struct {
	fromServer
	Recovery, Died bool
}

func (SessionActivationRequested) Name() string { return "SessionActivationRequested" }

// ApprovalStale: a record changed since it was shown; Commands has the cards
// with the present values.
type ApprovalStale struct {
	fromServer
	Commands PlannedCommands
}

func (ApprovalStale) Name() string { return "ApprovalStale" }

// ApprovalExpired is due at an approval's expiry.
type ApprovalExpired struct {
	fromServer
	ApprovalID string
}

func (ApprovalExpired) Name() string { return "ApprovalExpired" }

// ExternalResultReceived has the late result of a call answered with PENDING or UNKNOWN: from a task, a
// callback, a probe, or a person who knows the outcome.
type ExternalResultReceived struct {
	TaskID string
	Result CommandResult
	// Task is that task as it is now; nil: it was no task, or nothing is written of it.
	Task *Task
	// Execution is the execution that ended; nil: only the AI is informed.
	Execution *Execution
	// Quiet: it begins no round. The AI reads it with its next call.
	Quiet bool
	// Answer is that of the person who reported the outcome; nil if no person was asked. Again is the
	// execution to run once more, planned again.
	Answer *Answer
	Again  *PlannedCommands
}

// Source is the person who said so, or the server.
func (e ExternalResultReceived) Source() Source {
	if e.Answer != nil {
		return FromPerson
	}
	return FromServer
}

func (ExternalResultReceived) Name() string { return "ExternalResultReceived" }

// NetworkRetryScheduled is the timer of WAITING_NETWORK_RETRY.
type NetworkRetryScheduled struct{ fromServer }

func (NetworkRetryScheduled) Name() string { return "NetworkRetryScheduled" }

// NetworkAvailable is the news that the provider is back.
type NetworkAvailable struct{ fromServer }

func (NetworkAvailable) Name() string { return "NetworkAvailable" }

// NetworkGivenUp is the end of requeue_after_3.
type NetworkGivenUp struct{ fromServer }

func (NetworkGivenUp) Name() string { return "NetworkGivenUp" }

// WatchdogExpired: an AUTOMATION stalled or ran too long.
type WatchdogExpired struct {
	fromServer
	Reason Text
}

func (WatchdogExpired) Name() string { return "WatchdogExpired" }

// SessionSuspended takes the slot away at a safe point.
type SessionSuspended struct{ fromServer }

func (SessionSuspended) Name() string { return "SessionSuspended" }

// SessionEvicted takes the slot from a CHAT that is inactive.
type SessionEvicted struct{ fromServer }

func (SessionEvicted) Name() string { return "SessionEvicted" }

// SessionCompleted ends AWAITING_SESSION_CLOSURE.
type SessionCompleted struct{ fromServer }

func (SessionCompleted) Name() string { return "SessionCompleted" }

// SchedulerHeartbeat carries the time, so that due timers fire. Driven: this process performs the
// session's step, and is alive.
type SchedulerHeartbeat struct {
	fromServer
	Driven bool
}

func (SchedulerHeartbeat) Name() string { return "SchedulerHeartbeat" }
