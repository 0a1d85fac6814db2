package schedule

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// words describes a schedule in one line: "every day at 07:30 (Europe/Paris)". Schedules without a short
// form are quoted.
func (p *Plan) words(expression string, l *words) string {
	text := ""
	switch r := p.rule.(type) {
	case fixed:
		text = fmt.Sprintf(l.once, shownAs(r.wall, time.DateOnly), shownAs(r.wall, "15:04"))
	case every:
		text = fmt.Sprintf(l.from, l.length(r.step), shownAs(r.from+spanAt(p.zone, r.from).offset, "2006-01-02 15:04"))
	case byWall:
		text = r.words(l)
	case byClock:
		text = r.days.(*calendar).byTheHour(l)
	case steps:
		text = r.words(l)
	}
	if text == "" {
		text = fmt.Sprintf(l.quoted, strings.TrimSpace(expression))
	}
	return fmt.Sprintf("%s (%s)", text, p.zone)
}

func (r byWall) words(l *words) string {
	if c, ok := r.days.(*calendar); ok {
		if times := l.times(c.times); times != "" {
			return c.words(l, l.everyDay) + " " + times
		}
		return ""
	}
	return r.days.(*recurrence).words(l)
}

// words lists the days of a cron; plain is the text for all of them.
func (c *calendar) words(l *words, plain string) string {
	inMonth, inWeek := "", ""
	if c.dom&starBit == 0 {
		inMonth = fmt.Sprintf(l.daysOfMonth, l.list(numbersOf(c.dom)))
	}
	if c.dow&starBit == 0 {
		inWeek = l.daysOfWeek(c.dow)
	}
	text := plain
	switch {
	case inMonth != "" && inWeek != "":
		text = inMonth + l.or + inWeek
	case inMonth+inWeek != "":
		text = inMonth + inWeek
	}
	if c.month&starBit == 0 {
		text += " " + fmt.Sprintf(l.in, l.list(l.named(l.months[:], c.month>>1)))
	}
	return text
}

// byTheHour describes a cron that allows all hours.
func (c *calendar) byTheHour(l *words) string {
	minutes := c.times[:len(c.times)/24]
	var text string
	switch n := len(minutes); {
	case n == 60:
		text = l.length(minute)
	case n > 1 && minutes[0] == 0 && steady(minutes):
		text = l.length(minutes[1])
	case n <= 4:
		var list []string
		for _, m := range minutes {
			list = append(list, fmt.Sprintf("%02d", m/minute))
		}
		text = fmt.Sprintf(l.atMinute, l.length(hour), l.list(list))
	default:
		return ""
	}
	if days := c.words(l, ""); days != "" {
		return text + ", " + strings.TrimSpace(days)
	}
	return text
}

// steady: the distance is the same also from the last to the next hour.
func steady(minutes []int64) bool {
	step := minutes[1]
	for i := range minutes {
		if minutes[i] != int64(i)*step {
			return false
		}
	}
	return int64(len(minutes))*step == hour
}

// words describes the simple RRULEs: days of the week, days of the month, a date.
func (r *recurrence) words(l *words) string {
	times := l.times(r.times())
	if times == "" || len(r.Bysetpos)+len(r.Byyearday)+len(r.Byweekno) > 0 ||
		slices.ContainsFunc(r.Bymonthday, func(d int) bool { return d < 0 }) {
		return ""
	}
	var dow, dom, months uint64 = 0, bitsOf(r.Bymonthday), bitsOf(r.Bymonth)
	for _, w := range r.Byweekday {
		if w.N() != 0 {
			return ""
		}
		dow |= 1 << ((w.Day() + 1) % 7)
	}
	if dom != 0 && dow != 0 {
		return ""
	}
	text := l.every(r.Interval, int(r.Freq))
	switch {
	case dow != 0 && r.Interval == 1:
		text = l.daysOfWeek(dow)
	case dow != 0:
		text += ", " + l.daysOfWeek(dow)
	case dom != 0 && r.Interval == 1 && r.Freq == rrule.MONTHLY:
		text = fmt.Sprintf(l.daysOfMonth, l.list(numbersOf(dom)))
	case dom != 0:
		text += ", " + fmt.Sprintf(l.daysOfMonth, l.list(numbersOf(dom)))
	}
	if months != 0 {
		text += " " + fmt.Sprintf(l.in, l.list(l.named(l.months[:], months>>1)))
	}
	return text + " " + times + r.ends(l)
}

func (s steps) words(l *words) string {
	if len(s.Bymonth)+len(s.Bymonthday)+len(s.Byyearday)+len(s.Byweekday)+len(s.Byhour)+len(s.Byminute)+len(s.Bysetpos) > 0 {
		return ""
	}
	return fmt.Sprintf(l.from, l.length(s.step), shownAs(s.wall, "2006-01-02 15:04")) + s.ends(l)
}

func (r *recurrence) ends(l *words) string {
	switch {
	case r.Count > 0:
		return fmt.Sprintf(l.count, r.Count)
	case r.end < latest:
		return fmt.Sprintf(l.until, shownAs(r.end+spanAt(r.zone, r.end).offset, "2006-01-02 15:04"))
	}
	return ""
}

func bitsOf(list []int) (set uint64) {
	for _, v := range list {
		set |= 1 << v
	}
	return set
}

func numbersOf(set uint64) []string {
	var list []string
	for set &^= starBit; set != 0; set &= set - 1 {
		list = append(list, fmt.Sprint(bits.TrailingZeros64(set)))
	}
	return list
}
