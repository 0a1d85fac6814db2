// Package egress is the one way out: what every request that leaves the building goes
// through, and where it may go.
package egress
