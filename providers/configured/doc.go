// Package configured is the providers that a workspace has stored: it keeps their
// configs with sealed keys, finds the one that a session calls, and stands in front of it.
// It remembers which of them are down or asked to be left alone, so that a call that would
// fail is not made. What it remembers is this process's own and is lost with it: it saves
// calls, and decides nothing that must be kept.
package configured
