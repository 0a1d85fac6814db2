package schedule

import (
	"math"
	"slices"
	"sort"
	"time"
)

// days is a rule in local times: which times of a local day it names.
type days interface {
	// walk begins a search. The returned function lists the times of a day (in days since 1970-01-01) as
	// seconds since 00:00, in order; it caches results, so it belongs to one search.
	walk() func(day int64) []int64
}

// byWall runs at local times: each named one once.
type byWall struct {
	days days
	zone *time.Location
}

func (r byWall) next(after, until int64) (int64, bool) {
	on := r.days.walk()
	// Times of two days ago may have been moved to now by a gap (of a day at most).
	for d := wallDay(r.zone, after) - 2; d*day-farthest <= until; d++ {
		times := on(d)
		if len(times) == 0 {
			continue
		}
		if offset, still := r.still(d); still {
			base := d*day - offset
			i := sort.Search(len(times), func(i int) bool { return base+times[i] > after })
			if i < len(times) {
				return base + times[i], base+times[i] <= until
			}
			continue
		}
		if at, ok := r.first(d, times, after); ok {
			// A gap may have put it behind one of the days that follow.
			for later := d + 1; later <= d+2; later++ {
				if other, found := r.first(later, on(later), after); found {
					at = min(at, other)
				}
			}
			return at, at <= until
		}
	}
	return 0, false
}

// named reports whether a local time is one of the rule.
func (r byWall) named(wall int64) bool {
	d := floorDiv(wall, day)
	return slices.Contains(r.days.walk()(d), wall-d*day)
}

// still reports that no clock changes near a day, so that its times are in order and apart from those of
// other days.
func (r byWall) still(d int64) (offset int64, ok bool) {
	s := spanAt(r.zone, d*day)
	return s.offset, (s.from == math.MinInt64 || s.from <= (d-2)*day-farthest) &&
		(s.until == math.MaxInt64 || s.until >= (d+3)*day+farthest)
}

// first is the earliest instant of a day's times that is after the given one.
func (r byWall) first(d int64, times []int64, after int64) (at int64, ok bool) {
	for _, t := range times {
		if got := resolve(r.zone, d*day+t); got > after && (!ok || got < at) {
			at, ok = got, true
		}
	}
	return at, ok
}

// byClock runs at each instant at which the local clock shows one of the times.
type byClock struct {
	days days
	zone *time.Location
}

func (r byClock) next(after, until int64) (int64, bool) {
	on := r.days.walk()
	for from := after + 1; from <= until; {
		s := spanAt(r.zone, from)
		end := min(s.until, until+1)
		if wall, ok := firstShown(on, from+s.offset, end+s.offset); ok {
			return wall - s.offset, true
		}
		from = end
	}
	return 0, false
}

// firstShown is the first local time of a rule from the one and before the other.
func firstShown(on func(int64) []int64, from, until int64) (int64, bool) {
	for d := floorDiv(from, day); d*day < until; d++ {
		times := on(d)
		i := sort.Search(len(times), func(i int) bool { return d*day+times[i] >= from })
		if i < len(times) && d*day+times[i] < until {
			return d*day + times[i], true
		}
	}
	return 0, false
}
