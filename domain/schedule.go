package domain

// Schedule says when an automation runs. Package schedule reads it.
type Schedule struct {
	Type       string `json:"type"`       // cron, rrule, interval, once
	Expression string `json:"expression"` // in the language of its type
	TimeZone   string `json:"time_zone"`  // IANA name
	// StartsAt is a local date and time ("2026-03-29T02:30:00"): DTSTART of an rrule and
	// the anchor of an interval. Empty: when the schedule was made.
	StartsAt string `json:"starts_at,omitempty"`
}
