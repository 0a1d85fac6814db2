// Package tasks looks after the work that other services do for sessions: it takes what they
// report, through the one door; ends what is past its deadline; asks the services that want
// to be asked; and tells those whose work nobody waits for any more. A task is a row with a
// due time: thousands that wait cost nothing.
package tasks
