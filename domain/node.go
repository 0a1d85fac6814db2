package domain

import "time"

// Node is one of the processes that share the database. LeaseUntil is on the database's
// clock; Alive says whether it had run out when this was read.
type Node struct {
	ID          string
	Incarnation string // random for each start of it
	LeaseUntil  time.Time
	Alive       bool
	Sessions    int // that it drives
}
