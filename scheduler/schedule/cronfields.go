package schedule

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// fieldSpec describes one field of a cron expression.
type fieldSpec struct {
	name      string
	low, high int
	names     []string // of the values from low on
	example   string
}

// cronFields are the five fields in their order. A day of the week can be a 7, a second Sunday.
var cronFields = [5]fieldSpec{
	{"minute", 0, 59, nil, "0, 0,30 or */15"},
	{"hour", 0, 23, nil, "8, 8-18 or */2"},
	{"day of the month", 1, 31, nil, "1, 1-7 or */2"},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}, "1, 1-6 or jan"},
	{"day of the week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, "1, 1-5 or mon-fri"},
}

// cronNames are the names that can replace the five fields.
var cronNames = []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}

// checkCron rejects what is not a cron expression, with an error that describes what is accepted. The
// parser alone reads some nonsense as something else: *-5 as every value.
func checkCron(text string) error {
	if strings.HasPrefix(text, "@") {
		if !slices.Contains(cronNames, text) {
			return notCron("%q is not one of the names %s.", clip(text), strings.Join(cronNames, ", "))
		}
		return nil
	}
	for i, field := range strings.Fields(text) {
		for item := range strings.SplitSeq(field, ",") {
			if err := cronFields[i].check(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// check validates one item of the comma-separated list in a field.
func (f *fieldSpec) check(item string) error {
	span, step, stepped := strings.Cut(item, "/")
	if stepped {
		if n, ok := digits(step); !ok || n == 0 {
			return notCron("%q is not a step of the %s: after the slash comes a number from 1 on, as in */2.", clip(item), f.name)
		}
	}
	if span == "*" || span == "?" {
		return nil
	}
	low, high, ranged := strings.Cut(span, "-")
	from, ok := f.value(low)
	if !ok {
		return f.refuse(item)
	}
	if !ranged {
		return nil
	}
	to, ok := f.value(high)
	if ok && to == 0 && f.high == 7 { // a range can end with Sunday
		to = 7
	}
	switch {
	case !ok:
		return f.refuse(item)
	case from > to:
		return notCron("The range %q of the %s ends before it begins: write it as two ranges with a comma between them.", clip(item), f.name)
	}
	return nil
}

// value reads a number or a name.
func (f *fieldSpec) value(text string) (int, bool) {
	if i := slices.Index(f.names, text); i >= 0 {
		return f.low + i, true
	}
	n, ok := digits(text)
	return n, ok && n >= f.low && n <= f.high
}

func digits(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err == nil
}

func (f *fieldSpec) refuse(item string) error {
	hint := ""
	switch {
	case f.name == "day of the month" && strings.Contains(item, "l"):
		hint = ` The last day of a month is a schedule of type "rrule": FREQ=MONTHLY;BYMONTHDAY=-1.`
	case f.high == 7 && strings.ContainsAny(item, "#l"):
		hint = ` A certain weekday of a month is a schedule of type "rrule", like FREQ=MONTHLY;BYDAY=1MO or FREQ=MONTHLY;BYDAY=-1FR.`
	}
	names := ""
	if len(f.names) > 0 {
		names = " or names from " + f.names[0] + " to " + f.names[len(f.names)-1]
	}
	return notCron("%q is not a value of the %s: it takes numbers from %d to %d%s, like %s.%s",
		clip(item), f.name, f.low, f.high, names, f.example, hint)
}

func notCron(format string, args ...any) error {
	return domain.Invalid("/expression", "cron", format, args...)
}
