// Package orchestrator is the run loop: receive, decide, commit, publish, perform.
//
// An active session has one driver: a goroutine that performs the current effect (a call of the AI,
// queries, actions), passes its outcome to the pure machine, commits the machine's decision and continues
// with the next effect, until the session rests or waits. No other code changes a driven session's state;
// external input is decided at the door, in the database, and fences the driver by version and epoch.
//
// Recovery is the same loop: the door re-enters the phase, and Drive performs its effect. Each effect has
// a file of its own and is a case of perform. Its result is an event, about which the machine decides next;
// the actions of an answer commit themselves, in one transaction with the decision about their outcome.
package orchestrator
