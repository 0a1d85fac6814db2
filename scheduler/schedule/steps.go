package schedule

import (
	"slices"

	"github.com/teambition/rrule-go"
)

// steps is an RRULE of HOURLY or MINUTELY: it counts in absolute time from DTSTART, and
// what the local clock shows then must be what the BY parts let pass.
//
// HOURLY with BYMINUTE counts hours from the full hour of DTSTART, and runs at the
// instants of such an hour at which the local clock shows these minutes.
type steps struct {
	*recurrence

	from, step int64
	block      bool
	// comes: times of day that the rule names, by what is left of them when the step is
	// taken away as often as it can be. The clock comes to no others until it is moved.
	comes map[int64]bool
	cycle int64
}

func newSteps(r *recurrence) steps {
	s := steps{recurrence: r, step: int64(r.Interval) * minute}
	s.from = r.start - (r.wall - floorDiv(r.wall, minute)*minute) + int64(r.Bysecond[0])
	if r.Freq == rrule.HOURLY {
		s.step = int64(r.Interval) * hour
		if s.block = len(r.Byminute) > 0; s.block {
			s.from = r.start - (r.wall - floorDiv(r.wall, hour)*hour)
		}
	}
	s.meet()
	return s
}

// meet works out which times of day the steps can come to.
func (s *steps) meet() {
	s.comes, s.cycle = map[int64]bool{}, common(s.step, day)
	atOnce := 1
	if s.block {
		atOnce = len(s.Byminute)
	}
	if len(s.Bysetpos) > 0 && len(positions(s.Bysetpos, atOnce)) == 0 {
		return // it picks none
	}
	for h := range 24 {
		for m := range 60 {
			at := int64(h*hour + m*minute)
			if s.block {
				at = int64(h * hour)
			}
			if in(s.Byhour, h, 0) && (s.block || in(s.Byminute, m, 0)) {
				s.comes[at%s.cycle] = true
			}
		}
	}
}

// common is the greatest common divisor.
func common(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// meets reports whether a step that begins at a local time, or a later one, can reach a time of day of the
// rule while the clock is not changed.
func (s steps) meets(wall int64) bool {
	if !s.block {
		return s.comes[s.left(wall, minute)]
	}
	return s.comes[s.left(wall, hour)] || s.comes[s.left(wall+hour-1, hour)]
}

// left is what is left of a local time, in whole units, for comes.
func (s steps) left(wall, unit int64) int64 {
	wall = floorDiv(wall, unit) * unit
	return wall - floorDiv(wall, s.cycle)*s.cycle
}

func (s steps) next(after, until int64) (int64, bool) {
	at := s.from
	if after > at {
		at += (after - at) / s.step * s.step
	}
	for ; at <= until; at += s.step {
		for _, found := range s.at(at) {
			if found > after {
				return found, found <= until
			}
		}
		at += s.leap(at) / s.step * s.step
	}
	return 0, false
}

// at returns the instants of the step that begins at the given one, in order.
func (s steps) at(begin int64) []int64 {
	var found []int64
	if !s.block {
		if s.shows(begin) {
			found = append(found, begin)
		}
	} else {
		zone := spanAt(s.zone, begin)
		if begin+hour <= zone.until && !s.namesHour(begin+zone.offset) && !s.namesHour(begin+hour-1+zone.offset) {
			return nil
		}
		for m := range int64(60) {
			if at := begin + m*minute + int64(s.Bysecond[0]); s.shows(at) {
				found = append(found, at)
			}
		}
	}
	if len(s.Bysetpos) == 0 {
		return found
	}
	var picked []int64
	for _, i := range positions(s.Bysetpos, len(found)) {
		picked = append(picked, found[i])
	}
	return picked
}

// shows reports whether the local time of an instant matches the rule.
func (s steps) shows(at int64) bool {
	wall := at + spanAt(s.zone, at).offset
	return s.namesHour(wall) && in(s.Byminute, int(wall-floorDiv(wall, hour)*hour)/minute, 0)
}

func (s steps) namesHour(wall int64) bool {
	d := floorDiv(wall, day)
	return (len(s.Byhour) == 0 || slices.Contains(s.Byhour, int(wall-d*day)/hour)) && s.names(dateOf(d))
}

// leap is for how long nothing can come for sure: to the end of a local day or hour
// that the rule does not name, as far as the clock is not moved before; until that, where
// the steps come to no time of day that it names.
func (s steps) leap(at int64) int64 {
	zone := spanAt(s.zone, at)
	wall := at + zone.offset
	d := floorDiv(wall, day)
	rest := int64(0)
	switch {
	case !s.meets(wall):
		rest = latest - at
	case !s.names(dateOf(d)):
		rest = (d+1)*day - wall
	case !s.namesHour(wall):
		rest = (floorDiv(wall, hour)+1)*hour - wall
	}
	rest = min(rest, zone.until-at)
	if s.block {
		rest -= hour // what begins before the end reaches beyond it
	}
	return max(rest-1, 0)
}
