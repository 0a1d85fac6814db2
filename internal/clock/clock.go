// Package clock is the only place that reads the time: everything else is given a
// Clock, so that a test can say what time it is (testing/synctest does so for the
// system clock too).
package clock

import "time"

// Clock tells the time, in UTC and cut to microseconds: what both databases keep.
type Clock func() time.Time

// System is the machine's clock.
func System() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Fixed always tells the same time.
func Fixed(t time.Time) Clock {
	return func() time.Time { return t.UTC().Truncate(time.Microsecond) }
}
