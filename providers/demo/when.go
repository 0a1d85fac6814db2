package demo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	digits  = regexp.MustCompile(`\d+`)
	isoDate = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
	past    = regexp.MustCompile(`^yesterday$|^hier$|last|past|dernier`)
	// aDay is a day that may stand behind a number, where its unit would.
	aDay = regexp.MustCompile(`(?i)^(?:today|yesterday|aujourd'hui|hier)$`)
	// weekdays are the days in cron's numbers, by their first letters.
	weekdays = regexp.MustCompile(`\b(?:(sun|dimanche)|(mon|lundi)|(tue|mardi)|(wed|mercredi)|(thu|jeudi)|(fri|vendredi)|(sat|samedi))`)
)

// unitIn finds the unit of time that words name, in either language.
func unitIn(words string) string {
	for _, u := range [][2]string{
		{"week", "WEEK"}, {"semaine", "WEEK"}, {"month", "MONTH"}, {"mois", "MONTH"}, {"year", "YEAR"}, {"annee", "YEAR"},
	} {
		if strings.Contains(words, u[0]) {
			return u[1]
		}
	}
	return "DAY"
}

// periodOf is the period that words mean; nil for none.
func periodOf(when string) object {
	words := accents.Replace(strings.ToLower(when))
	unit, n := unitIn(words), digits.FindString(words)
	switch count, _ := strconv.Atoi(n); {
	case words == "", n != "" && count < 1:
		return nil
	case n != "":
		return object{"from": strconv.Itoa(1-count) + "_" + unit, "to": "0_" + unit}
	case past.MatchString(words):
		return object{"relative": "-1_" + unit}
	}
	return object{"relative": "0_" + unit}
}

// periodUntilToday is the period that ends today: a day, a week of seven days, a month of thirty.
func periodUntilToday(span string) object {
	switch span = strings.ToLower(span); {
	case strings.HasPrefix(span, "day"), strings.HasPrefix(span, "jour"):
		return object{"relative": "0_DAY"}
	case strings.HasPrefix(span, "month"), strings.HasPrefix(span, "mois"):
		return object{"from": "-29_DAY", "to": "0_DAY"}
	}
	return object{"from": "-6_DAY", "to": "0_DAY"}
}

// timestampOf is the moment that a word for a day means: noon, which is within that
// day wherever it begins. "" means now. ok is false where it means no day.
func (c *planner) timestampOf(day string) (timestamp string, ok bool) {
	words, date, ago := strings.ToLower(day), isoDate.FindString(day), 0
	switch {
	case words == "" || words == "today" || words == "aujourd'hui":
		return "", true
	case date == "":
		date, ago = c.today, 1
		if n := digits.FindString(words); n != "" {
			ago, _ = strconv.Atoi(n) // three digits
		}
	}
	at, err := time.Parse(time.DateOnly, date)
	return at.AddDate(0, 0, -ago).Format(time.DateOnly) + "T12:00:00", err == nil
}

// cronOf is the schedule that words mean. A time that is not said is eight in the morning, seven
// in the evening.
func cronOf(days, at string) (string, bool) {
	days, at = strings.ToLower(days), strings.ToLower(at)
	hour, minute := 8, 0
	numbers := digits.FindAllString(at, 2)
	switch {
	case len(numbers) > 0:
		hour, _ = strconv.Atoi(numbers[0]) // two digits
	case at == "noon" || at == "midi":
		hour = 12
	case strings.HasPrefix(days, "evening") || strings.HasPrefix(days, "soir"):
		hour = 19
	}
	if len(numbers) > 1 {
		minute, _ = strconv.Atoi(numbers[1])
	}
	if strings.HasSuffix(at, "pm") && hour < 12 {
		hour += 12
	} else if strings.HasSuffix(at, "am") && hour == 12 {
		hour = 0
	}
	return fmt.Sprintf("%d %d * * %s", minute, hour, daysOfCron(days)), hour <= 23 && minute <= 59
}

func daysOfCron(days string) string {
	if strings.HasPrefix(days, "weekday") || strings.HasSuffix(days, "de semaine") {
		return "1-5"
	}
	var list []string
	for _, m := range weekdays.FindAllStringSubmatch(days, -1) {
		for day, name := range m[1:] {
			if name != "" {
				list = append(list, strconv.Itoa(day))
			}
		}
	}
	if len(list) == 0 {
		return "*"
	}
	return strings.Join(list, ",")
}
