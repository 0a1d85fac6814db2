package breaker

import "time"

// Policy is when a breaker opens, and for how long.
type Policy struct {
	// Failures is the number of consecutive failures that open it.
	Failures int
	// OpenFor is the first open period. Each further failure doubles it, up to MaxOpen.
	OpenFor, MaxOpen time.Duration
}

// State is the state of a breaker, as the API shows it.
type State string

const (
	Closed   State = "closed"    // calls are made
	Open     State = "open"      // no calls are made
	HalfOpen State = "half_open" // the next call is a probe
)

// Permission is the decision about a call.
type Permission int

const (
	Refused Permission = iota // the breaker is open until Until
	Busy                      // it is half open, and its probe is in progress
	Allowed                   // the call may be made
	Probe                     // the call may be made, and decides for those after it
)

// Breaker is the state of the calls to one service, in one process: nothing durable depends on it. The zero value is
// closed. Its owner guards it with a lock.
type Breaker struct {
	failures int // in a row
	opened   int // times in a row
	until    time.Time
	probing  bool
}

// Enter decides about a call. The result of an allowed call must be reported with its permission.
func (b *Breaker) Enter(p Policy, now time.Time) Permission {
	switch {
	case now.Before(b.until):
		return Refused
	case b.failures < p.Failures:
		return Allowed
	case b.probing:
		return Busy
	}
	b.probing = true
	return Probe
}

// Succeed records that the service works.
func (b *Breaker) Succeed(as Permission) {
	b.Skip(as)
	b.failures, b.opened = 0, 0
}

// Fail records that the service does not work.
func (b *Breaker) Fail(p Policy, as Permission, now time.Time) {
	b.Skip(as)
	if b.failures++; b.failures >= p.Failures {
		b.Pause(now.Add(min(p.OpenFor<<min(b.opened, 10), p.MaxOpen)))
		b.opened++
	}
}

// Skip records a call that says nothing about the service. Only a probe ends the probe: a call that was made before
// the breaker opened may end during it.
func (b *Breaker) Skip(as Permission) {
	if as == Probe {
		b.probing = false
	}
}

// Pause refuses calls until a time, as the service requested. It never shortens an open period.
func (b *Breaker) Pause(until time.Time) {
	if until.After(b.until) {
		b.until = until
	}
}

// State returns the state at a time.
func (b *Breaker) State(p Policy, now time.Time) State {
	switch {
	case now.Before(b.until):
		return Open
	case b.failures >= p.Failures:
		return HalfOpen
	}
	return Closed
}

// Failures returns the number of consecutive failures.
func (b *Breaker) Failures() int { return b.failures }

// Until returns the end of the latest open period; zero: there was none.
func (b *Breaker) Until() time.Time { return b.until }

// Probing reports whether a probe is in progress.
func (b *Breaker) Probing() bool { return b.probing }
