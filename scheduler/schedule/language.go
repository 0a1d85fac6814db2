package schedule

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// words are one language's texts for describing a schedule.
type words struct {
	and, or, at, in, everyDay, weekdays       string
	once, from, quoted, atMinute, daysOfMonth string
	count, until                              string
	onDays                                    string
	days                                      [7]string // Sunday first
	months                                    [12]string
	one, many                                 [7]string // every year, month, week, day, hour, minute, second; and every %d of them
	forward, back, skipped, twice             string
	instant                                   string // day of the week, day, month, year, time
}

// languageOf is English unless another is known.
func languageOf(language string) *words {
	if language == "fr" {
		return &french
	}
	return &english
}

var english = words{
	and:         " and ",
	or:          ", or ",
	at:          "at %s",
	in:          "in %s",
	everyDay:    "every day",
	weekdays:    "Monday to Friday",
	onDays:      "every %s",
	once:        "once, on %s at %s",
	from:        "%s from %s",
	quoted:      "by the rule \"%s\"",
	atMinute:    "%s at minute %s",
	daysOfMonth: "on day %s of the month",
	count:       ", %d times",
	until:       ", until %s",
	days:        [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
	months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August",
		"September", "October", "November", "December"},
	one: [7]string{"every year", "every month", "every week", "every day", "every hour", "every minute", "every second"},
	many: [7]string{
		"every %d years",
		"every %d months",
		"every %d weeks",
		"every %d days",
		"every %d hours",
		"every %d minutes",
		"every %d seconds",
	},
	forward: "Clocks go forward from %s to %s.",
	back:    "Clocks go back from %s to %s.",
	skipped: "%s does not exist: it runs at %s.",
	twice:   "%s comes twice: it runs the first time.",
	instant: "%s %d %s %d, %s",
}

var french = words{
	and:         " et ",
	or:          ", ou ",
	at:          "à %s",
	in:          "en %s",
	everyDay:    "tous les jours",
	weekdays:    "du lundi au vendredi",
	onDays:      "chaque %s",
	once:        "une fois, le %s à %s",
	from:        "%s à partir du %s",
	quoted:      "selon la règle « %s »",
	atMinute:    "%s à la minute %s",
	daysOfMonth: "le %s du mois",
	count:       ", %d fois",
	until:       ", jusqu'au %s",
	days:        [7]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
	months: [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août",
		"septembre", "octobre", "novembre", "décembre"},
	one: [7]string{
		"tous les ans",
		"tous les mois",
		"toutes les semaines",
		"tous les jours",
		"toutes les heures",
		"toutes les minutes",
		"toutes les secondes",
	},
	many: [7]string{
		"tous les %d ans",
		"tous les %d mois",
		"toutes les %d semaines",
		"tous les %d jours",
		"toutes les %d heures",
		"toutes les %d minutes",
		"toutes les %d secondes",
	},
	forward: "L'heure avance de %s à %s.",
	back:    "L'heure recule de %s à %s.",
	skipped: "%s n'existe pas : exécution à %s.",
	twice:   "%s vient deux fois : exécution la première fois.",
	instant: "%s %d %s %d à %s",
}

// Said formats an instant in its zone: "Monday 30 November 2026, 08:00".
func Said(at time.Time, language string) string {
	l := languageOf(language)
	return fmt.Sprintf(l.instant, l.days[at.Weekday()], at.Day(), l.months[at.Month()-1], at.Year(), at.Format("15:04"))
}

// every formats "every 2 weeks"; unit is an index of the lists.
func (l *words) every(n, unit int) string {
	if n == 1 {
		return l.one[unit]
	}
	return fmt.Sprintf(l.many[unit], n)
}

// length formats "every 90 minutes", in the largest unit that fits: hours at most, since a day is not
// always 24 of them.
func (l *words) length(seconds int64) string {
	for i, unit := range []int64{hour, minute, 1} {
		if seconds%unit == 0 {
			return l.every(int(seconds/unit), 4+i)
		}
	}
	return ""
}

// times lists a few times of day; more than four are too many for a line.
func (l *words) times(list []int64) string {
	if len(list) == 0 || len(list) > 4 {
		return ""
	}
	var said []string
	for _, t := range list {
		layout := "15:04"
		if t%minute != 0 {
			layout = "15:04:05"
		}
		said = append(said, shownAs(t, layout))
	}
	return fmt.Sprintf(l.at, l.list(said))
}

func (l *words) daysOfWeek(set uint64) string {
	const mondayToFriday = 0b0111110
	switch set &^ starBit {
	case 0b1111111:
		return l.everyDay
	case mondayToFriday:
		return l.weekdays
	}
	return fmt.Sprintf(l.onDays, l.list(l.named(l.days[:], set)))
}

// named lists the names of a bit set.
func (l *words) named(names []string, set uint64) []string {
	var list []string
	for set &= 1<<len(names) - 1; set != 0; set &= set - 1 {
		list = append(list, names[bits.TrailingZeros64(set)])
	}
	return list
}

// list joins with commas and an "and".
func (l *words) list(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + l.and + parts[len(parts)-1]
}
