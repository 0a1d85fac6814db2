// Package agui serves front ends that speak AG-UI: a run is answered by a round of a session, as
// events. Messages and answers go to the scheduler, and the events are read from the log. The
// package has no state and makes no decisions of its own.
package agui
