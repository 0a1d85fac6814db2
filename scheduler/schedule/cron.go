package schedule

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/fermata-dev/fermata/domain"
)

// starBit is how the parser marks a field that restricts nothing.
const starBit = 1 << 63

var cronParser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// calendar is the rule of a cron: which days, and at which times.
type calendar struct {
	dom, month, dow uint64
	times           []int64
}

// parseCron reads the five fields, or a name like @daily, once check has accepted them. A 7 as day
// of the week is a Sunday, also at the end of a range.
func parseCron(expression string, zone *time.Location, check func(text string) error) (rule, error) {
	text := strings.ToLower(strings.TrimSpace(expression))
	switch {
	case strings.HasPrefix(text, "tz=") || strings.HasPrefix(text, "cron_tz="):
		return nil, domain.Invalid(
			"/expression",
			"time_zone_inside",
			"The time zone of a schedule is its field time_zone; take it out of the expression.",
		)
	case strings.HasPrefix(text, "@every"):
		return nil, domain.Invalid("/expression", "cron", `Every so often is a schedule of type "interval", with an expression like "90m".`)
	}
	if !strings.HasPrefix(text, "@") {
		fields := strings.Fields(text)
		if len(fields) != 5 {
			return nil, domain.Invalid(
				"/expression",
				"cron",
				"A cron has five fields (minute, hour, day of the month, month and day of the week) or is a name like @daily; this one has %d.",
				len(fields),
			)
		}
	}
	if err := check(text); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(text, "@") {
		fields := strings.Fields(text)
		fields[4] = sundays(fields[4])
		text = strings.Join(fields, " ")
	}
	parsed, err := cronParser.Parse(text)
	spec, ok := parsed.(*cron.SpecSchedule)
	if err != nil || !ok {
		return nil, domain.Invalid(
			"/expression",
			"cron",
			"%q is not a cron like \"30 7 * * mon-fri\".",
			clip(expression),
		)
	}
	c := &calendar{dom: spec.Dom, month: spec.Month, dow: spec.Dow}
	for h := range 24 {
		for m := range 60 {
			if spec.Hour&(1<<h) != 0 && spec.Minute&(1<<m) != 0 {
				c.times = append(c.times, int64(h*hour+m*minute))
			}
		}
	}
	if bits.OnesCount64(spec.Hour&^starBit) == 24 {
		return byClock{c, zone}, nil
	}
	return byWall{c, zone}, nil
}

// sundays rewrites days of the week without a 7, which the parser rejects, and ranges up to Sunday (5-7,
// fri-sun) as lists. Other items are left unchanged.
func sundays(field string) string {
	parts := strings.Split(field, ",")
	for i, part := range parts {
		span, step, stepped := strings.Cut(part, "/")
		low, high, ranged := strings.Cut(span, "-")
		switch {
		case span == "7":
			parts[i] = "0"
		case ranged && (high == "7" || high == "sun"):
			parts[i] = upToSunday(part, low, step, stepped)
		}
	}
	return strings.Join(parts, ",")
}

func upToSunday(part, low, step string, stepped bool) string {
	first := slices.Index([]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, low)
	if len(low) != 3 {
		n, err := strconv.Atoi(low)
		if err != nil || n < 0 || n > 7 {
			return part
		}
		first = n
	} else if first < 0 {
		return part
	}
	by := 1
	if stepped {
		n, err := strconv.Atoi(step)
		if err != nil || n < 1 {
			return part
		}
		by = n
	}
	var list []string
	for d := first; d <= 7; d += min(by, 8) {
		list = append(list, strconv.Itoa(d%7))
	}
	return strings.Join(list, ",")
}

// walk: with both day fields restricted a day needs to match only one of them.
func (c *calendar) walk() func(int64) []int64 {
	return func(d int64) []int64 {
		date := time.Unix(d*day, 0).UTC()
		_, month, dom := date.Date()
		if c.month&(1<<month) == 0 {
			return nil
		}
		inMonth, inWeek := c.dom&(1<<dom) != 0, c.dow&(1<<date.Weekday()) != 0
		either := c.dom&starBit == 0 && c.dow&starBit == 0
		if inMonth && inWeek || either && (inMonth || inWeek) {
			return c.times
		}
		return nil
	}
}
