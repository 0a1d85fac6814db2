// Package machine is the session's state machine as a pure function: a session, an
// event and a policy go in; the next session, all that must be stored and the effect
// to perform come out. It reads no clock, makes no id of its own, calls nothing and
// changes nothing that it was given.
//
// table.go is the machine: one line for each rule, read from top to bottom, the
// first that fits applies. refusals.go says what is not taken, and why; most of it
// follows from the rules. Everything else is guards and actions of a few lines, by topic,
// over the step under way. docs/state-machine.md is generated from the two tables.
//
// A new phase is a row in domain/phase.go, its rules in table.go, its name in the
// contract's enum and its words on the page. A new event is a type with its name in
// domain/events_*.go, a line in domain.Events, its rules, and who brings it.
package machine
