package schedule

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

const (
	maxExpression = 500
	localLayout   = "2006-01-02T15:04:05"
	// soon is how far a schedule may lie apart from its start. 29 February can be eight
	// years away (2096 to 2104); what does not come by then, like 31 February, never does.
	soon = 9 * 366 * day
)

// Parse reads a schedule. Errors are domain invalid errors with pointers into it.
//
// Nothing runs before starts_at. An rrule and an interval need one (see Anchored); a
// cron may have one; one date has no use for it.
func Parse(s automation.Schedule) (*Plan, error) { return parse(s, checkCron) }

// Stored reads a schedule that was accepted before. Earlier versions accepted some cron expressions
// that Parse rejects; automations that have one keep their schedule.
func Stored(s automation.Schedule) (*Plan, error) {
	return parse(s, func(string) error { return nil })
}

func parse(s automation.Schedule, cron func(text string) error) (*Plan, error) {
	if utf8.RuneCountInString(s.Expression) > maxExpression {
		return nil, domain.Invalid("/expression", "max_length", "An expression has %d characters at most.", maxExpression)
	}
	if strings.TrimSpace(s.Expression) == "" {
		return nil, domain.Invalid("/expression", "required", "A schedule needs an expression.")
	}
	zone, err := loadZone(s.TimeZone)
	if err != nil {
		return nil, err
	}
	p := &Plan{zone: zone, start: earliest, end: latest}
	if s.StartsAt != "" {
		if p.start, _, err = readLocal("/starts_at", s.StartsAt, zone); err != nil {
			return nil, err
		}
	}
	if err := p.read(s, cron); err != nil {
		return nil, err
	}
	if _, ok := p.next(p.start-1, min(p.start+soon, latest)); !ok {
		return nil, domain.Invalid(
			"/expression",
			"never",
			"%q never comes: there is no such time, or it lies before the start or after the end.",
			clip(s.Expression),
		)
	}
	return p, nil
}

func (p *Plan) read(s automation.Schedule, cron func(text string) error) error {
	var err error
	switch s.Type {
	case "cron":
		p.rule, err = parseCron(s.Expression, p.zone, cron)
	case "rrule":
		if s.StartsAt == "" {
			return noStart()
		}
		var r *recurrence
		if r, err = parseRRule(s.Expression, p.start, p.zone); err == nil {
			p.rule, p.end = r.rule(), r.end
			p.count(r.Count)
		}
	case "interval":
		if s.StartsAt == "" {
			return noStart()
		}
		var step int64
		step, err = parseInterval(s.Expression)
		p.rule = every{p.start, step}
	case "once":
		var f fixed
		f.at, f.wall, err = readLocal("/expression", strings.TrimSpace(s.Expression), p.zone)
		p.rule, p.start = f, f.at
	default:
		err = domain.Invalid("/type", "enum", "The type of a schedule is cron, rrule, interval or once.")
	}
	return err
}

func noStart() error {
	return domain.Invalid("/starts_at", "required", "This schedule counts from starts_at: a local date and time like 2026-03-29T08:00:00.")
}

// count ends the plan with the n-th run; 0 is no end.
func (p *Plan) count(n int) {
	if n == 0 {
		return
	}
	last := p.start - 1
	for range n {
		at, ok := p.next(last, latest)
		if !ok {
			return
		}
		last = at
	}
	p.end = last
}

// Anchored sets the start of a schedule without one: its creation time, without the seconds. A single date
// needs none.
func Anchored(s automation.Schedule, made time.Time) (automation.Schedule, error) {
	if s.StartsAt != "" || s.Type == "once" {
		return s, nil
	}
	zone, err := loadZone(s.TimeZone)
	if err != nil {
		return s, err
	}
	s.StartsAt = made.In(zone).Format("2006-01-02T15:04") + ":00"
	return s, nil
}

// readLocal reads a local date and time, or a date: its 00:00.
func readLocal(pointer, text string, zone *time.Location) (at, wall int64, err error) {
	for _, layout := range []string{localLayout, "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil && t.Nanosecond() == 0 {
			if at := resolve(zone, t.Unix()); at >= earliest && at <= latest {
				return at, t.Unix(), nil
			}
			return 0, 0, domain.Invalid(pointer, "out_of_range", "%q is not in the years 1970 to 2199.", clip(text))
		}
	}
	return 0, 0, domain.Invalid(pointer, "format",
		"%q is not a local date and time like 2026-03-29T08:00:00, without offset: the zone is time_zone.", clip(text))
}

var isoPattern = regexp.MustCompile(`^P(?:([0-9]{1,4})W)?(?:([0-9]{1,5})D)?(?:T(?:([0-9]{1,6})H)?(?:([0-9]{1,8})M)?(?:([0-9]{1,9})S)?)?$`)

// parseInterval reads "15m", "1h30m" or ISO 8601 "PT15M"; a day is 24 hours and a week
// seven of them, and no more.
func parseInterval(expression string) (int64, error) {
	text := strings.TrimSpace(expression)
	var step int64
	if m := isoPattern.FindStringSubmatch(strings.ToUpper(text)); m != nil {
		for i, unit := range []int64{7 * day, day, hour, minute, 1} {
			n, _ := strconv.ParseInt("0"+m[i+1], 10, 64) // the pattern lets only short numbers pass
			step += n * unit
		}
	} else {
		d, err := time.ParseDuration(text)
		if err != nil || d%time.Second != 0 {
			return 0, domain.Invalid(
				"/expression",
				"interval",
				"%q is not an interval like \"15m\", \"36h\" or \"PT15M\", in whole seconds.",
				clip(text),
			)
		}
		step = int64(d / time.Second)
	}
	switch {
	case step < minute:
		return 0, domain.Invalid("/expression", "too_often", "A schedule runs once a minute at most.")
	case step > 10*366*day:
		return 0, domain.Invalid("/expression", "out_of_range", "An interval is ten years at most.")
	}
	return step, nil
}
