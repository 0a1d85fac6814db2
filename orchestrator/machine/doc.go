// Package machine is the session's state machine as a pure function: a session, an
// event and a policy go in; the next session, all that must be stored and the effect
// to perform come out. It reads no clock, makes no id of its own, calls nothing and
// changes nothing that it was given.
//
// table.go is the machine: one line for each rule, read from top to bottom, the
// first that fits applies. refusals.go lists what is not taken, and why. Everything
// else is guards and actions of a few lines, by topic. docs/state-machine.md is
// generated from the two tables.
package machine
