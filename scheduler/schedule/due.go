package schedule

import (
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain/automation"
)

// Reasons of decisions.
const (
	// ReasonMissed: it was missed, and a later one runs for it.
	ReasonMissed = "missed"
	// ReasonTooMany: more were missed than are run or recorded one by one.
	ReasonTooMany = "too_many"
)

const (
	defaultMaxAll = 100
	// leastGrace: between the instant and the look at the clock some time always passes;
	// without a grace nothing would ever be on time.
	leastGrace = time.Minute
)

// DueInput is what is known of an automation when the clock is looked at.
type DueInput struct {
	Plan *Plan
	// After is the latest instant in the history, or when the schedule was set or
	// enabled, whichever is later.
	After  time.Time
	Now    time.Time
	Grace  time.Duration // misfire_grace
	Policy automation.MisfirePolicy
	// Open are the instants whose rows are DUE, oldest first.
	Open []time.Time
	// MaxAll is how many runs the policy all makes at most; 0 is 100.
	MaxAll int
}

// Decision is the new state of one scheduled instant.
type Decision struct {
	At     time.Time
	State  automation.OccurrenceState // DUE, MISSED, COALESCED or SKIPPED
	Reason string
	Into   time.Time // COALESCED: the instant that runs for it
	// Through: MISSED as too many, together with all later ones up to this one, which have no rows. Zero:
	// this one only.
	Through time.Time
}

// Due decides, in the order of time, about the instants that came due since After, and
// about those rows in state DUE of which something else becomes. What it does not name
// stays as it is. Stored as decided (a DUE one opens a row, the others close theirs),
// the same question has no more answer.
//
// An instant is missed when a later one has come due or when the grace has passed.
// Only then the policy speaks:
//
//   - once: all become COALESCED into the latest, which is DUE: whether that one is on
//     time or was missed too, there is one run, and its scheduled time is the latest.
//     A DUE row past its grace is already that one run: it stays DUE, however long the
//     slot is taken, until it runs or a later one takes its place. So it is neither
//     lost nor decided about again and again.
//   - all: each stays or becomes DUE, up to MaxAll counted from the latest; older ones
//     become MISSED with ReasonTooMany. The rows queue one behind the other, and no
//     grace or later one takes them away again.
//   - skip: the missed ones become SKIPPED with reason policy. The latest is DUE while
//     it is in its grace: a server that was away for a minute at 08:00 runs at 08:01.
//
// After any downtime the work and the rows are bounded: the newest 2 x MaxAll instants
// are decided one by one, and all older ones by one MISSED row for the first of them,
// with ReasonTooMany and Through.
func Due(in DueInput) []Decision {
	if in.MaxAll <= 0 {
		in.MaxAll = defaultMaxAll
	}
	list, left := in.known()
	var out []Decision
	if left != nil {
		out = append(out, *left)
	}
	for i, at := range list {
		d := in.decide(list, i)
		if d.State != automation.OccurrenceDue || !slices.ContainsFunc(in.Open, at.Equal) {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b Decision) int { return a.At.Compare(b.At) })
	return out
}

// known are the open instants and the new ones, oldest first, and the decision for the excess ones.
func (in *DueInput) known() (list []time.Time, left *Decision) {
	fresh, first, last := in.Plan.newest(in.After, in.Now, 2*in.MaxAll)
	if !first.IsZero() {
		left = &Decision{At: first, State: automation.OccurrenceMissed, Reason: ReasonTooMany}
		if last.After(first) {
			left.Through = last
		}
	}
	list = append(slices.Clone(in.Open), fresh...)
	slices.SortFunc(list, time.Time.Compare)
	return slices.CompactFunc(list, time.Time.Equal), left
}

func (in *DueInput) decide(list []time.Time, i int) Decision {
	at, latest := list[i], list[len(list)-1]
	isLatest := i == len(list)-1
	d := Decision{At: at, State: automation.OccurrenceDue}
	switch in.Policy {
	case automation.MisfireAll:
		if len(list)-i > in.MaxAll {
			d.State, d.Reason = automation.OccurrenceMissed, ReasonTooMany
		}
	case automation.MisfireSkip:
		if !isLatest || in.Late(at) {
			d.State, d.Reason = automation.OccurrenceSkipped, automation.SkippedPolicy
		}
	default:
		if !isLatest {
			d.State, d.Reason, d.Into = automation.OccurrenceCoalesced, ReasonMissed, latest
		}
	}
	return d
}

// Late reports whether an instant's grace is over.
func (in *DueInput) Late(at time.Time) bool { return !in.Now.Before(in.graceEnds(at)) }

func (in *DueInput) graceEnds(at time.Time) time.Time {
	return at.Add(max(in.Grace, leastGrace))
}

// Wake is when Due may return something new: at the next instant, or when the grace of an open row ends.
// False: never, as far as is known.
func Wake(in DueInput) (at time.Time, ok bool) {
	at, ok = in.Plan.Next(later(in.After, in.Now))
	if in.Policy == automation.MisfireSkip && len(in.Open) > 0 {
		if ends := in.graceEnds(in.Open[len(in.Open)-1]); !ok || ends.Before(at) {
			return ends, true
		}
	}
	return at, ok
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// newest lists the latest n instants in an interval. If there are more, it returns the first and the last
// of the rest. The beginning of the newest n is found by bisection, without listing the rest.
func (p *Plan) newest(after, until time.Time, n int) (list []time.Time, first, last time.Time) {
	list = p.Between(after, until, n+1)
	if len(list) <= n {
		return list, first, last
	}
	first = list[0]
	low, high := list[0].Unix(), until.Unix()
	for {
		middle := low + (high-low)/2
		list = p.Between(time.Unix(middle, 0), until, n+1)
		switch {
		case len(list) > n:
			low = middle + 1
		case len(list) < n:
			high = middle
		default:
			return list, first, p.before(first, list[0])
		}
	}
}

// before is the last instant before one of the plan, given an earlier one.
func (p *Plan) before(low, at time.Time) time.Time {
	a, b := low.Unix(), at.Unix()-1 // the last one is in a..b
	for a < b {
		middle := a + (b-a+1)/2
		if next, ok := p.next(middle-1, b); ok {
			a = next
		} else {
			b = middle - 1
		}
	}
	return time.Unix(a, 0).UTC()
}
