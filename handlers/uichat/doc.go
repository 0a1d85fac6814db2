// Package uichat serves front ends of the AI SDK (useChat): a request is answered by a round of a
// session, as a UI message stream. Messages and answers go to the scheduler, and the stream is read
// from the log. The package has no state and makes no decisions of its own.
package uichat
