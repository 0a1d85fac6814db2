package schedule

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/fermata-dev/fermata/domain"
)

const (
	maxCount    = 1000
	maxInterval = 10_000
)

// recurrence is an RRULE that was read: the options that its text gave, with what
// DTSTART fills in.
type recurrence struct {
	rrule.ROption

	start int64 // DTSTART, an instant
	wall  int64 // the same as local time
	end   int64 // UNTIL, an instant
	first date  // its day
	zone  *time.Location
}

// parseRRule reads an RRULE (FREQ=...) from DTSTART on.
func parseRRule(expression string, start int64, zone *time.Location) (*recurrence, error) {
	text := strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(expression)), "RRULE:")
	until, err := checkParts(text)
	if err != nil {
		return nil, err
	}
	end := latest
	if until != "" {
		if end, err = readUntil(until, zone); err != nil {
			return nil, err
		}
	}
	option, err := rrule.StrToROption(text)
	if err != nil {
		return nil, domain.Invalid(
			"/expression",
			"rrule",
			"%q is not an RRULE like FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=7;BYMINUTE=30: %s.",
			clip(expression),
			clip(err.Error()),
		)
	}
	r := &recurrence{ROption: *option, start: start, end: end, zone: zone}
	r.wall = start + spanAt(zone, start).offset
	r.first = dateOf(floorDiv(r.wall, day))
	if err := r.check(strings.Contains(text, "COUNT="), strings.Contains(text, "INTERVAL=")); err != nil {
		return nil, err
	}
	r.complete()
	return r, nil
}

// partPatterns are the parts of a rule and the form of their values. What the parser
// would read otherwise or let pass (a date inside, a second value for a part, parts of
// its own) stops here.
var partPatterns = map[string]*regexp.Regexp{
	"FREQ":     regexp.MustCompile(`^[A-Z]+$`),
	"INTERVAL": regexp.MustCompile(`^[0-9]{1,9}$`),
	"COUNT":    regexp.MustCompile(`^[0-9]{1,9}$`),
	"UNTIL":    regexp.MustCompile(`^[0-9]{8}(T[0-9]{6}Z?)?$`),
	"WKST":     regexp.MustCompile(`^(MO|TU|WE|TH|FR|SA|SU)$`),
	"BYDAY":    regexp.MustCompile(`^([+-]?[1-9][0-9]?)?(MO|TU|WE|TH|FR|SA|SU)(,([+-]?[1-9][0-9]?)?(MO|TU|WE|TH|FR|SA|SU))*$`),
}

var (
	numbers = regexp.MustCompile(`^[+-]?[0-9]{1,3}(,[+-]?[0-9]{1,3})*$`)
	byParts = []string{"BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYHOUR", "BYMINUTE", "BYSECOND", "BYSETPOS"}
)

// checkParts looks at each NAME=value, and takes out the value of UNTIL.
func checkParts(text string) (until string, err error) {
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(part, "=")
		pattern := partPatterns[name]
		if slices.Contains(byParts, name) {
			pattern = numbers
		}
		switch {
		case strings.HasPrefix(name, "DTSTART") || strings.HasPrefix(name, "TZID") || strings.Contains(value, "TZID"):
			return "", domain.Invalid(
				"/expression",
				"start_inside",
				"An RRULE here has no DTSTART or TZID: they are the fields starts_at and time_zone of the schedule.",
			)
		case pattern == nil:
			return "", domain.Invalid("/expression", "rrule", "%q is no part of an RRULE.", clip(part))
		case seen[name]:
			return "", domain.Invalid("/expression", "rrule", "%s stands twice in the RRULE.", name)
		case !pattern.MatchString(value):
			return "", domain.Invalid("/expression", "rrule", "%q is not a value of %s.", clip(value), name)
		}
		seen[name] = true
		if name == "UNTIL" {
			until = value
		}
	}
	if seen["UNTIL"] && seen["COUNT"] {
		return "", domain.Invalid("/expression", "rrule", "An RRULE has UNTIL or COUNT, not both.")
	}
	return until, nil
}

// readUntil returns the last instant that UNTIL includes: in UTC with a Z, else local; a date includes
// that whole day.
func readUntil(value string, zone *time.Location) (int64, error) {
	layout := map[int]string{8: "20060102", 15: "20060102T150405", 16: "20060102T150405Z"}[len(value)]
	t, err := time.Parse(layout, value)
	if err != nil {
		return 0, domain.Invalid("/expression", "rrule", "%q is not a value of UNTIL: write it like 20261231 or 20261231T170000Z.", value)
	}
	switch len(value) {
	case 16:
		return t.Unix(), nil
	case 15:
		return resolve(zone, t.Unix()), nil
	default:
		return resolve(zone, t.Unix()+day) - 1, nil
	}
}

// check refuses what RFC 5545 does not allow, what fires too often, and numbers that
// are out of all proportion.
func (r *recurrence) check(counted, spaced bool) error {
	switch {
	case r.Freq == rrule.SECONDLY || len(unique(r.Bysecond)) > 1:
		return domain.Invalid("/expression", "too_often", "A schedule runs once a minute at most.")
	case counted && (r.Count < 1 || r.Count > maxCount):
		return domain.Invalid("/expression", "out_of_range", "COUNT is a number from 1 to %d; UNTIL has no such limit.", maxCount)
	case spaced && (r.Interval < 1 || r.Interval > maxInterval):
		return domain.Invalid("/expression", "out_of_range", "INTERVAL is a number from 1 to %d.", maxInterval)
	}
	for _, list := range []struct {
		name      string
		values    []int
		low, high int
		signed    bool
	}{
		{"BYMONTH", r.Bymonth, 1, 12, false}, {"BYMONTHDAY", r.Bymonthday, 1, 31, true},
		{"BYYEARDAY", r.Byyearday, 1, 366, true}, {"BYWEEKNO", r.Byweekno, 1, 53, true},
		{"BYHOUR", r.Byhour, 0, 23, false}, {"BYMINUTE", r.Byminute, 0, 59, false},
		{"BYSECOND", r.Bysecond, 0, 59, false}, {"BYSETPOS", r.Bysetpos, 1, 366, true},
	} {
		for _, v := range list.values {
			if size := max(v, -v); size < list.low || size > list.high || v < 0 && !list.signed {
				return domain.Invalid("/expression", "out_of_range", "%d is not a value of %s.", v, list.name)
			}
		}
	}
	return r.checkTogether()
}

// checkTogether refuses parts that do not go with the frequency.
func (r *recurrence) checkTogether() error {
	ordinal := slices.ContainsFunc(r.Byweekday, func(w rrule.Weekday) bool { return w.N() != 0 })
	yearly, monthly := r.Freq == rrule.YEARLY, r.Freq == rrule.MONTHLY
	for _, rule := range []struct {
		broken bool
		text   string
	}{
		{len(r.Byweekno) > 0 && !yearly, "BYWEEKNO goes with FREQ=YEARLY only."},
		{len(r.Byyearday) > 0 && (monthly || r.Freq == rrule.WEEKLY || r.Freq == rrule.DAILY), "BYYEARDAY does not go with FREQ=MONTHLY, WEEKLY or DAILY."},
		{len(r.Bymonthday) > 0 && r.Freq == rrule.WEEKLY, "BYMONTHDAY does not go with FREQ=WEEKLY."},
		{ordinal && !yearly && !monthly, "A number before a day, like 2MO, goes with FREQ=MONTHLY or YEARLY only."},
		{ordinal && len(r.Byweekno) > 0, "A number before a day, like 2MO, does not go with BYWEEKNO."},
	} {
		if rule.broken {
			return domain.Invalid("/expression", "rrule", "%s", rule.text)
		}
	}
	return nil
}

// complete fills in from DTSTART what the rule leaves open, and puts lists in order.
func (r *recurrence) complete() {
	start := time.Unix(r.wall, 0).UTC()
	r.Interval = max(r.Interval, 1)
	if r.Freq < rrule.HOURLY && len(r.Byhour) == 0 {
		r.Byhour = []int{start.Hour()}
	}
	if r.Freq < rrule.HOURLY && len(r.Byminute) == 0 {
		r.Byminute = []int{start.Minute()}
	}
	if len(r.Bysecond) == 0 {
		r.Bysecond = []int{start.Second()}
	}
	r.Byhour, r.Byminute, r.Bysetpos = unique(r.Byhour), unique(r.Byminute), unique(r.Bysetpos)
	weekday := []rrule.Weekday{weekdays[start.Weekday()]}
	switch {
	case len(r.Byweekday) > 0 || len(r.Bymonthday) > 0 || len(r.Byyearday) > 0:
	case r.Freq == rrule.WEEKLY || r.Freq == rrule.YEARLY && len(r.Byweekno) > 0:
		r.Byweekday = weekday
	case r.Freq == rrule.YEARLY && len(r.Bymonth) == 0:
		r.Bymonth, r.Bymonthday = []int{int(start.Month())}, []int{start.Day()}
	case r.Freq == rrule.YEARLY || r.Freq == rrule.MONTHLY:
		r.Bymonthday = []int{start.Day()}
	}
}

var weekdays = []rrule.Weekday{rrule.SU, rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA}

// rule is how the recurrence is searched.
func (r *recurrence) rule() rule {
	if r.Freq < rrule.HOURLY {
		return byWall{r, r.zone}
	}
	return newSteps(r)
}

func unique(list []int) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
