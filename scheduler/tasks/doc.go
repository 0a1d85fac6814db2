// Package tasks manages the work that other services do for sessions: it receives their reports through
// the one door, ends tasks past their deadline, polls services that want it, and notifies those whose work
// is no longer needed. A task is a row with a due time: thousands of waiting ones cost nothing.
package tasks
