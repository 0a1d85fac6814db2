// Package orchestrator is the run loop: receive, decide, commit, publish, perform.
//
// An active session has one driver: a goroutine that performs the present effect (a
// call of the AI, queries, actions), hands its outcome to the pure machine, commits
// what the machine decided and goes on with the next effect, until the session rests
// or waits. Nobody else touches a driven session's state; what comes from outside is
// decided at the door, in the database, and fences the driver by version and epoch.
//
// Recovery is the same loop: the door re-enters the phase, and Drive performs its
// effect. Each effect has a file of its own.
package orchestrator
