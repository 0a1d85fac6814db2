package reports

import "time"

// Node is one of the processes that share the database. LeaseUntil is on the database's clock; Alive
// reports whether the lease was valid when it was read.
type Node struct {
	ID          string
	Incarnation string // random for each start of it
	LeaseUntil  time.Time
	Alive       bool
	Sessions    int // that it drives
}
