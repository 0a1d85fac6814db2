package schedule

import (
	"time"
)

// Nothing is planned outside these years.
var (
	earliest = time.Date(1970, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()
	latest   = time.Date(2200, time.January, 1, 0, 0, 0, 0, time.UTC).Unix() - 1
)

// Plan is a schedule that was read. It never changes and may be used by many.
type Plan struct {
	zone  *time.Location
	rule  rule
	start int64 // nothing before
	end   int64 // nothing after: UNTIL, or the last one of COUNT
}

// rule finds instants, in Unix seconds.
type rule interface {
	// next is the first one after the one and up to the other.
	next(after, until int64) (int64, bool)
}

// Next is the first instant strictly after the given one, in UTC; false when there is
// none any more.
func (p *Plan) Next(after time.Time) (at time.Time, ok bool) {
	next, ok := p.next(after.Unix(), latest)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(next, 0).UTC(), true
}

// Local is an instant as clocks in the schedule's zone show it, to the minute.
func (p *Plan) Local(at time.Time) string { return at.In(p.zone).Format("2006-01-02 15:04") }

func (p *Plan) next(after, until int64) (int64, bool) {
	after, until = max(after, p.start-1, earliest-1), min(until, p.end, latest)
	if after >= until {
		return 0, false
	}
	return p.rule.next(after, until)
}

// Between lists the instants after the one and up to the other, at most limit.
func (p *Plan) Between(after, until time.Time, limit int) []time.Time {
	var list []time.Time
	last := until.Unix()
	for at := after.Unix(); len(list) < limit; {
		next, ok := p.next(at, last)
		if !ok {
			break
		}
		list = append(list, time.Unix(next, 0).UTC())
		at = next
	}
	return list
}

// fixed is one local time.
type fixed struct {
	at, wall int64
}

func (f fixed) next(after, until int64) (int64, bool) { return f.at, f.at > after && f.at <= until }

func (f fixed) named(wall int64) bool { return wall == f.wall }

// every counts from an instant in absolute time.
type every struct {
	from, step int64
}

func (e every) next(after, until int64) (int64, bool) {
	at := e.from
	if after >= at {
		at += ((after-at)/e.step + 1) * e.step
	}
	return at, at <= until
}
