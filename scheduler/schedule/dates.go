package schedule

import (
	"slices"
	"time"

	"github.com/teambition/rrule-go"
)

// walk returns the times of the days of an RRULE of DAILY or slower. Where BYSETPOS selects within a
// period, the days of that period are computed once.
func (r *recurrence) walk() func(int64) []int64 {
	times := r.times()
	if len(r.Bysetpos) == 0 {
		return func(d int64) []int64 {
			if r.names(dateOf(d)) {
				return times
			}
			return nil
		}
	}
	var from, until int64
	var picked map[int64][]int64
	return func(d int64) []int64 {
		if d < from || d >= until {
			from, until = r.period(dateOf(d))
			picked = r.pick(from, until, times)
		}
		return picked[d]
	}
}

// times of day, in order, as seconds since 00:00.
func (r *recurrence) times() []int64 {
	var list []int64
	for _, h := range r.Byhour {
		for _, m := range r.Byminute {
			list = append(list, int64(h*hour+m*minute+r.Bysecond[0]))
		}
	}
	return list
}

// pick keeps the positions that BYSETPOS names among all times of a period.
func (r *recurrence) pick(from, until int64, times []int64) map[int64][]int64 {
	var named []int64
	for d := from; d < until; d++ {
		if r.names(dateOf(d)) {
			named = append(named, d)
		}
	}
	total := len(named) * len(times)
	picked := map[int64][]int64{}
	for _, i := range positions(r.Bysetpos, total) {
		d := named[i/len(times)]
		picked[d] = append(picked[d], times[i%len(times)])
	}
	return picked
}

// positions returns the indexes, in order, that BYSETPOS selects of n.
func positions(setpos []int, n int) []int {
	var list []int
	for _, pos := range setpos {
		if pos < 0 {
			pos += n + 1
		}
		if pos >= 1 && pos <= n {
			list = append(list, pos-1)
		}
	}
	return unique(list)
}

// date is a day, taken apart.
type date struct {
	number  int64 // days since 1970-01-01
	year    int
	month   int
	day     int
	yearDay int
	weekday int // Monday is 0
}

func dateOf(number int64) date {
	t := time.Unix(number*day, 0).UTC()
	year, month, d := t.Date()
	return date{number, year, int(month), d, t.YearDay(), int(t.Weekday()+6) % 7}
}

func (d date) yearLen() int {
	return time.Date(d.year, time.December, 31, 0, 0, 0, 0, time.UTC).YearDay()
}
func (d date) monthLen() int {
	return time.Date(d.year, time.Month(d.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// week is the number of the first day of the week of d, a week beginning on wkst.
func (d date) week(wkst int) int64 { return d.number - int64((d.weekday-wkst+7)%7) }

// period is the year, month, week or day of d: from included, until not.
func (r *recurrence) period(d date) (from, until int64) {
	switch r.Freq {
	case rrule.YEARLY:
		from = d.number - int64(d.yearDay) + 1
		return from, from + int64(d.yearLen())
	case rrule.MONTHLY:
		from = d.number - int64(d.day) + 1
		return from, from + int64(d.monthLen())
	case rrule.WEEKLY:
		from = d.week(r.Wkst.Day())
		return from, from + 7
	default:
		return d.number, d.number + 1
	}
}

// names reports whether the rule selects a day: its period is one of every INTERVAL, and all BY parts
// about days match.
func (r *recurrence) names(d date) bool {
	return in(r.Bymonth, d.month, 0) && in(r.Bymonthday, d.day, d.day-d.monthLen()-1) &&
		in(r.Byyearday, d.yearDay, d.yearDay-d.yearLen()-1) && r.inWeekday(d) && r.inWeek(d) && r.inInterval(d)
}

// in: an empty list lets all pass; a place counts from the beginning or from the end.
func in(list []int, place, fromEnd int) bool {
	return len(list) == 0 || slices.Contains(list, place) || fromEnd != 0 && slices.Contains(list, fromEnd)
}

func (r *recurrence) inInterval(d date) bool {
	start := r.first
	var gone int64
	switch r.Freq {
	case rrule.YEARLY:
		gone = int64(d.year - start.year)
	case rrule.MONTHLY:
		gone = int64((d.year-start.year)*12 + d.month - start.month)
	case rrule.WEEKLY:
		gone = (d.week(r.Wkst.Day()) - start.week(r.Wkst.Day())) / 7
	case rrule.DAILY:
		gone = d.number - start.number
	}
	return gone%int64(r.Interval) == 0
}

// inWeekday: 2MO is the second Monday of the month, or of the year where the rule is
// yearly and names no month.
func (r *recurrence) inWeekday(d date) bool {
	if len(r.Byweekday) == 0 {
		return true
	}
	place, length := d.day, d.monthLen
	if r.Freq == rrule.YEARLY && len(r.Bymonth) == 0 {
		place, length = d.yearDay, d.yearLen
	}
	return slices.ContainsFunc(r.Byweekday, func(w rrule.Weekday) bool {
		switch {
		case w.Day() != d.weekday:
			return false
		case w.N() > 0:
			return (place-1)/7+1 == w.N()
		case w.N() < 0:
			return (length()-place)/7+1 == -w.N()
		}
		return true
	})
}

// inWeek: week 1 is the first with four days or more in its year, so a week belongs to
// the year of its fourth day.
func (r *recurrence) inWeek(d date) bool {
	if len(r.Byweekno) == 0 {
		return true
	}
	fourth := dateOf(d.week(r.Wkst.Day()) + 3)
	number := (fourth.yearDay-1)/7 + 1
	weeks := number + (fourth.yearLen()-fourth.yearDay)/7
	return in(r.Byweekno, number, number-weeks-1)
}
