// Package scheduler holds the one door through which everything from outside comes to
// a session (messages, answers, stops, timers, triggers), and decides who gets a
// workspace's slot.
//
// Door.Deliver is the one way in. What comes in is decided where it arrives: in one short
// transaction, under the workspace's and the session's lock, decide (decide.go, pure) asks
// the machine whether the state takes the event, and the slot's policy (package slot, pure
// too) who must give way. What was decided is stored; what is answered with success is
// stored. Then act sets the run loop going.
//
// Sessions, Messages and Answers make requests of what people want; package automations
// of what automations do. Two loops, a file for each: loop.go does what has come due,
// leases.go keeps this node's lease and takes up what others left.
package scheduler
