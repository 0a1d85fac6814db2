// Package agui is the door for front ends that speak AG-UI: a run of theirs is a round of a
// session, told event by event. What comes in passes the scheduler's door, what goes out is
// read from the log; nothing is kept or decided here.
package agui
