// Package uistream is the door for front ends of the AI SDK (useChat): a request of theirs is a
// round of a session, told as a UI message stream. What comes in passes the scheduler's door,
// what goes out is read from the log; nothing is kept or decided here.
package uistream
