// Package automations manages the automations of a workspace and starts their runs: by hand, by a webhook,
// by new entries, and by their schedule.
//
// Decisions about an automation are pure (rules): from its view they make a plan. The door of package
// scheduler stores it, in one transaction with the run that begins, and lets the run loop continue.
// Occurrences are rows: nothing fires twice, and nothing is skipped silently.
package automations
