// Package scheduler holds the one door through which everything from outside comes to
// a session (messages, answers, stops, timers), and decides who gets a workspace's
// slot.
//
// What comes in is decided where it arrives: in one short transaction, under the
// workspace's and the session's lock, the pure machine is asked whether the state
// takes the event, and the slot's policy (pure too, with typed reasons) who must give
// way. What is answered with success is stored. Then the run loop performs.
//
// One file for each loop: timers.go, leases.go, agenda.go.
package scheduler
