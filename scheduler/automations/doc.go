// Package automations keeps the standing orders of a workspace and starts their runs: by
// hand, by a webhook, by new entries, and when their schedule says so.
//
// What is decided about an automation is pure (rules): it reads its view and gives a plan.
// The door of package scheduler stores it, in one transaction with the run that begins,
// and lets the run loop go on. Occurrences are rows: nothing fires twice, and nothing is
// skipped in silence.
package automations
