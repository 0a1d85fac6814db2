// Package clock is the only package that reads the system time: all others receive a Clock, so that
// tests control the time (testing/synctest does so for the system clock too).
package clock

import "time"

// Clock returns the current time, in UTC and truncated to microseconds, the precision of both databases.
type Clock func() time.Time

// System is the machine's clock.
func System() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
