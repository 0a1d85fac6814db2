package calendar

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Period is a stretch of time as people, enrichments and the AI write it. Exactly one
// form is used: Start and End (absolute, either may be missing), Relative
// ("-1_WEEK" is last week, "0_DAY" today), or From and To (a range of two relative
// units, both included).
type Period struct {
	Start    string `json:"start,omitempty"`
	End      string `json:"end,omitempty"`
	Relative string `json:"relative,omitempty"`
	From     string `json:"from,omitempty"`
	To       string `json:"to,omitempty"`
}

// Span is a resolved period, From included, Until not. A zero time is no bound.
type Span struct {
	From  time.Time
	Until time.Time
}

// Calendar is how a workspace reads dates: the zone, the hour at which a day begins, the day on which a
// week begins.
type Calendar struct {
	Zone         *time.Location
	DayStartHour int
	WeekStart    time.Weekday
}

// Of reads the workspace's calendar from its settings.
func Of(s *domain.Settings) (Calendar, error) {
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		return Calendar{}, fmt.Errorf("load the time zone %q: %w", s.TimeZone, err)
	}
	if s.DayStartHour < 0 || s.DayStartHour > 23 {
		return Calendar{}, fmt.Errorf("day_start_hour is %d, not 0 to 23", s.DayStartHour)
	}
	week, err := parseWeekday(s.WeekStartDay)
	if err != nil {
		return Calendar{}, err
	}
	return Calendar{Zone: zone, DayStartHour: s.DayStartHour, WeekStart: week}, nil
}

// parseWeekday reads the English lower-case name of a day; empty is Monday.
func parseWeekday(name string) (time.Weekday, error) {
	days := map[string]time.Weekday{"": time.Monday, "monday": time.Monday, "tuesday": time.Tuesday,
		"wednesday": time.Wednesday, "thursday": time.Thursday, "friday": time.Friday,
		"saturday": time.Saturday, "sunday": time.Sunday}
	day, ok := days[name]
	if !ok {
		return 0, fmt.Errorf("%q is not a day of the week", name)
	}
	return day, nil
}

// IsZero reports whether no period was given.
func (p Period) IsZero() bool { return p == Period{} }

// IsRelative reports whether the period depends on the time of reading.
func (p Period) IsRelative() bool { return p.Relative != "" || p.From != "" || p.To != "" }

// Resolve makes the span of a period as seen from the reference instant. Errors are
// Invalid, with a pointer into the period.
func (p Period) Resolve(reference time.Time, cal Calendar) (Span, error) {
	if err := p.oneForm(); err != nil {
		return Span{}, err
	}
	switch {
	case p.Relative != "":
		return cal.relative("/relative", p.Relative, reference)
	case p.From != "":
		return p.between(reference, cal)
	default:
		return p.absolute(cal)
	}
}

func (p Period) oneForm() error {
	forms := 0
	for _, used := range []bool{p.Start != "" || p.End != "", p.Relative != "", p.From != "" || p.To != ""} {
		if used {
			forms++
		}
	}
	const shape = `A period is {"start", "end"}, {"relative": "-1_WEEK"} or {"from": "-3_DAY", "to": "0_DAY"}`
	if forms != 1 {
		return domain.Invalid("", "period", shape+": exactly one of them.")
	}
	if (p.From == "") != (p.To == "") {
		return domain.Invalid("", "period", shape+": from and to go together.")
	}
	return nil
}

func (p Period) between(reference time.Time, cal Calendar) (Span, error) {
	first, err := cal.relative("/from", p.From, reference)
	if err != nil {
		return Span{}, err
	}
	last, err := cal.relative("/to", p.To, reference)
	if err != nil {
		return Span{}, err
	}
	if last.From.Before(first.From) || last.Until.Before(first.Until) {
		return Span{}, domain.Invalid("/to", "order", "%q is before %q.", p.To, p.From)
	}
	return Span{From: first.From, Until: last.Until}, nil
}

// absolute reads start and end. An end that is a date includes that whole day, as
// people mean it; an end that is an instant is not included.
func (p Period) absolute(cal Calendar) (Span, error) {
	var span Span
	if p.Start != "" {
		start, isDate, err := cal.read("/start", p.Start)
		if err != nil {
			return Span{}, err
		}
		if isDate {
			start = cal.DayStart(start.Year(), start.Month(), start.Day())
		}
		span.From = within(start.UTC())
	}
	if p.End != "" {
		end, isDate, err := cal.read("/end", p.End)
		if err != nil {
			return Span{}, err
		}
		if isDate {
			end = cal.DayStart(end.Year(), end.Month(), end.Day()+1)
		}
		span.Until = within(end.UTC())
	}
	if !span.From.IsZero() && !span.Until.IsZero() && span.Until.Before(span.From) {
		return Span{}, domain.Invalid("/end", "order", "The end %q is before the start %q.", p.End, p.Start)
	}
	return span, nil
}

// Freeze makes the absolute period of a span, in the calendar's zone.
func (s Span) Freeze(cal Calendar) Period {
	var p Period
	if !s.From.IsZero() {
		p.Start = written(s.From, cal.Zone)
	}
	if !s.Until.IsZero() {
		p.End = written(s.Until, cal.Zone)
	}
	return p
}

// written is an instant as the zone's clocks show it, or in UTC where RFC 3339 has no
// words for that: a year of five digits, or the offset in seconds of old local times.
func written(t time.Time, zone *time.Location) string {
	local := t.In(zone)
	_, offset := local.Zone()
	if y := local.Year(); y < 1 || y > 9999 || offset%60 != 0 {
		local = t.UTC()
	}
	return local.Format(time.RFC3339Nano)
}

var relativePattern = regexp.MustCompile(`^([+-]?[0-9]{1,5})_(HOUR|DAY|WEEK|MONTH|YEAR)$`)

// relative resolves one "offset_TYPE".
func (c Calendar) relative(pointer, text string, reference time.Time) (Span, error) {
	m := relativePattern.FindStringSubmatch(text)
	if m == nil {
		return Span{}, domain.Invalid(
			pointer,
			"relative",
			"%q is not a relative period: write an offset and HOUR, DAY, WEEK, MONTH or YEAR, like -1_WEEK (last week) or 0_DAY (today).",
			text,
		)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return Span{}, domain.Invalid(pointer, "relative", "%q has no readable offset.", text)
	}
	if m[2] == "HOUR" {
		return c.hour(reference.Add(time.Duration(n) * time.Hour)), nil
	}
	y, mo, d := c.Day(reference)
	var span Span
	switch m[2] {
	case "DAY":
		span = Span{c.DayStart(y, mo, d+n), c.DayStart(y, mo, d+n+1)}
	case "WEEK":
		weekday := time.Date(y, mo, d, 0, 0, 0, 0, time.UTC).Weekday()
		d += 7*n - int(weekday-c.WeekStart+7)%7
		span = Span{c.DayStart(y, mo, d), c.DayStart(y, mo, d+7)}
	case "MONTH":
		span = Span{c.DayStart(y, mo+time.Month(n), 1), c.DayStart(y, mo+time.Month(n+1), 1)}
	default:
		span = Span{c.DayStart(y+n, time.January, 1), c.DayStart(y+n+1, time.January, 1)}
	}
	if span.From.Year() < 1 || span.Until.Year() > 9999 {
		return Span{}, domain.Invalid(pointer, "relative", "%q is outside the years 1 to 9999.", text)
	}
	return span, nil
}

// hour is the clock hour that contains t: from the last full hour on the clock to
// the next one. Where clocks change by half an hour it is longer.
func (c Calendar) hour(t time.Time) Span {
	past := func(t time.Time) time.Duration {
		local := t.In(c.Zone)
		return time.Duration(local.Minute())*time.Minute + time.Duration(local.Second())*time.Second +
			time.Duration(local.Nanosecond())
	}
	from := t
	for past(from) != 0 {
		from = from.Add(-past(from))
	}
	until := from.Add(time.Hour)
	for past(until) != 0 {
		until = until.Add(time.Hour - past(until))
	}
	return Span{From: from.UTC(), Until: until.UTC()}
}

// Day is the date of the day that contains t, a day beginning at DayStartHour.
func (c Calendar) Day(t time.Time) (int, time.Month, int) {
	y, m, d := t.In(c.Zone).Date()
	for c.DayStart(y, m, d).After(t) {
		d--
	}
	for !c.DayStart(y, m, d+1).After(t) {
		d++
	}
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Date()
}

// DayStart is the instant at which a day begins. A day may be given beyond its month,
// as with time.Date.
func (c Calendar) DayStart(y int, m time.Month, d int) time.Time {
	return c.At(y, m, d, c.DayStartHour, 0, 0, 0)
}

// At is the instant of a local date and time: the first one where clocks go back
// over it, and the moment of the change where they skip it. (time.Date promises
// neither.)
func (c Calendar) At(y int, m time.Month, d, hour, minute, second, nano int) time.Time {
	wall := time.Date(y, m, d, hour, minute, second, nano, time.UTC)
	_, before := wall.Add(-26 * time.Hour).In(c.Zone).Zone()
	_, after := wall.Add(26 * time.Hour).In(c.Zone).Zone()
	early := wall.Add(-time.Duration(max(before, after)) * time.Second)
	late := wall.Add(-time.Duration(min(before, after)) * time.Second)
	for _, t := range []time.Time{early, late} {
		if sameWall(t.In(c.Zone), wall) {
			return t
		}
	}
	// Skipped: late is after the change.
	change, _ := late.In(c.Zone).ZoneBounds()
	return change.UTC()
}

func sameWall(local, wall time.Time) bool {
	_, offset := local.Zone()
	return local.Add(time.Duration(offset) * time.Second).Equal(wall)
}

// ParseTime reads an instant: RFC 3339, or a local date-time or date without offset,
// read in the calendar's zone (a date alone: the beginning of that day at 00:00).
func (c Calendar) ParseTime(pointer, text string) (time.Time, error) {
	t, isDate, err := c.read(pointer, text)
	if err != nil {
		return time.Time{}, err
	}
	if isDate {
		t = c.At(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0)
	}
	t = t.UTC().Truncate(time.Microsecond)
	if !t.After(time.Time{}) { // stores treat Go's zero time as no time
		return time.Time{}, domain.Invalid(pointer, "time", "%q is outside the years 1 to 9999.", text)
	}
	return t, nil
}

// read returns the instant, or for a date its fields in UTC.
func (c Calendar) read(pointer, text string) (t time.Time, isDate bool, err error) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return inYears(pointer, text, t, false)
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if w, err := time.Parse(layout, text); err == nil {
			t := c.At(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), w.Nanosecond())
			return inYears(pointer, text, t, false)
		}
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return inYears(pointer, text, t, true)
	}
	return time.Time{}, false, domain.Invalid(pointer, "time",
		"%q is not a time: write it like 2026-01-31T08:00:00Z, or a local 2026-01-31T08:00 or 2026-01-31.", text)
}

// within clamps the edge of a period to the years that can be written and read: the first and the last day
// are how people and models write "ever", and in other zones they may begin or end a year outside.
func within(t time.Time) time.Time {
	switch {
	case t.Year() < 1:
		return time.Time{}
	case t.Year() > 9999:
		return time.Date(9999, time.December, 31, 23, 59, 59, 999999000, time.UTC)
	}
	return t
}

func inYears(pointer, text string, t time.Time, isDate bool) (time.Time, bool, error) {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return time.Time{}, false, domain.Invalid(pointer, "time", "%q is outside the years 1 to 9999.", text)
	}
	return t, isDate, nil
}

// Text names the bounds of the span: " from … until …". One that is missing is left out.
func (s Span) Text(dates Calendar) string {
	text := ""
	if !s.From.IsZero() {
		text += " from " + s.From.In(dates.Zone).Format(time.RFC3339)
	}
	if !s.Until.IsZero() {
		text += " until " + s.Until.In(dates.Zone).Format(time.RFC3339)
	}
	return text
}
