package automation

import "time"

// Schedule says when an automation runs. Package schedule reads it.
type Schedule struct {
	Type       string `json:"type"`       // cron, rrule, interval, once
	Expression string `json:"expression"` // in the language of its type
	TimeZone   string `json:"time_zone"`  // IANA name
	// StartsAt is a local date and time ("2026-03-29T02:30:00"): DTSTART of an rrule and
	// the anchor of an interval. Empty: when the schedule was made.
	StartsAt string `json:"starts_at,omitempty"`
}

// SchedulePreview is what a schedule would do.
type SchedulePreview struct {
	Description string // one line in words
	Next        []PlannedRun
}

// PlannedRun is one instant at which a schedule would run.
type PlannedRun struct {
	At    time.Time
	Local string // with its offset, as the clock shows it: 2026-03-29T03:30:00+02:00
	Note  string // on days when clocks change: what they do, and what that does to it
	Said  string // in words, in the workspace's time zone; "" if not requested
}
