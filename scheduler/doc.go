// Package scheduler holds the one door for all external input of a session (messages, answers, stops,
// timers, triggers), and decides which session gets a workspace's slot.
//
// Door.Deliver is the only entry. A request is decided where it arrives, in one short transaction under
// the locks of the workspace and the session: decide (decide.go, pure) asks the machine whether the state
// accepts the event, and the slot's policy (package slot, pure too) which session yields. The decision is
// stored before the request is acknowledged. Then act starts the run loop.
//
// A request is a value, such as messageRequest or answerRequest: its method event computes, from the view and the
// moment, what happens to the session, and its method also what is written beside.
// Sessions, Messages and Answers make requests for people; package automations makes them for automations.
// There are two loops, with a file each: loop.go processes due work, leases.go renews this node's lease
// and takes over abandoned sessions.
package scheduler
