// Package machine is the session's state machine as a pure function: from a session, an event and a policy
// it computes the next session, everything that must be stored and the effect to perform. It reads no
// clock, makes no id of its own, calls nothing and does not modify its input.
//
// table.go is the machine: one line for each rule, read from top to bottom, the first that matches
// applies. refusals.go lists the refusals with their reasons; most of them follow from the rules.
// Everything else is guards and actions of a few lines, by topic, over the current step.
// docs/state-machine.md is generated from the two tables.
//
// A new phase is a row in domain/phase.go, its rules in table.go, its words in the contract and on the
// page.
package machine
