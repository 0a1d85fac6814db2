package reports

import "time"

// Figures are current totals over all workspaces. A time is zero if it has no subject.
type Figures struct {
	Held, Queued int64
	HeldSince    time.Time // of the slot that is held longest
	Oldest       time.Time // since when the longest waits in a queue
	Approvals    int64     // open ones
	AskedSince   time.Time // of the oldest open one
	Bytes        int64     // of the database
}

// Invariant is a count of something that must not be: 0 means it holds.
type Invariant struct {
	Name        string
	Count       int64
	Description string
}
