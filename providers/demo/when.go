package demo

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// What people say of time. A period and a grouping stand at the end of a question, a
// day at the end of what is noted.
const (
	whenEN = `(?:,? (?:in |over |for |during |of )?(?P<when>today|yesterday|(?:the )?(?:this|last|past) (?:week|month|year)|(?:the )?(?:last|past) \d{1,3} (?:days|weeks|months)))?` + `(?:,? (?P<by>(?:by|per|each|every) (?:day|week|month)))?`
	whenFR = `(?:,? (?:sur |pour |pendant |de )?(?P<when>aujourd'hui|hier|cette (?:semaine|année)|ce mois(?:-ci)?|la semaine dernière|le mois dernier|l'année dernière|(?:ces |les )?\d{1,3} derni(?:er|ère)s (?:jours|semaines|mois)))?` + `(?:,? (?P<by>(?:par|chaque) (?:jour|semaine|mois)))?`
	dayEN  = `(?:,? (?P<day>today|yesterday|\d{1,3} days? ago|on \d{4}-\d{2}-\d{2}))?`
	dayFR  = `(?:,? (?P<day>aujourd'hui|hier|il y a \d{1,3} jours?|le \d{4}-\d{2}-\d{2}))?`
)

var (
	digits  = regexp.MustCompile(`\d+`)
	isoDate = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
)

// unitIn finds the unit of time that words name, in either language.
func unitIn(words string) string {
	for _, u := range []struct{ word, unit string }{
		{"week", "WEEK"}, {"semaine", "WEEK"}, {"month", "MONTH"}, {"mois", "MONTH"}, {"year", "YEAR"}, {"annee", "YEAR"},
	} {
		if strings.Contains(words, u.word) {
			return u.unit
		}
	}
	return "DAY"
}

// periodOf is the period that words mean; nil for none.
func periodOf(when string) map[string]any {
	words := accents.Replace(strings.ToLower(when))
	unit := unitIn(words)
	if n := digits.FindString(words); n != "" {
		count, err := strconv.Atoi(n)
		if err != nil || count < 1 {
			return nil
		}
		return map[string]any{"from": strconv.Itoa(1-count) + "_" + unit, "to": "0_" + unit}
	}
	switch {
	case words == "":
		return nil
	case words == "yesterday",
		words == "hier",
		strings.Contains(words, "last"),
		strings.Contains(words, "past"),
		strings.Contains(words, "dernier"):
		return map[string]any{"relative": "-1_" + unit}
	}
	return map[string]any{"relative": "0_" + unit}
}

// groupOf is what group_by is for words like "by week"; "" for none.
func groupOf(by string) string {
	if by == "" {
		return ""
	}
	return strings.ToLower(unitIn(strings.ToLower(by)))
}

// timestampOf is the moment that a word for a day means: noon, which is within that
// day wherever it begins. "" means now. ok is false where it means no day.
func (c *planner) timestampOf(day string) (timestamp string, ok bool) {
	words := strings.ToLower(day)
	if words == "" || words == "today" || words == "aujourd'hui" {
		return "", true
	}
	if date := isoDate.FindString(words); date != "" {
		_, err := time.Parse(time.DateOnly, date)
		return date + "T12:00:00", err == nil
	}
	today, err := time.Parse(time.DateOnly, c.today)
	if err != nil {
		return "", false
	}
	ago := 1
	if n := digits.FindString(words); n != "" {
		if ago, err = strconv.Atoi(n); err != nil {
			return "", false
		}
	}
	return today.AddDate(0, 0, -ago).Format(time.DateOnly) + "T12:00:00", true
}

// isDay: the word behind a number is a day and not its unit.
func isDay(word string) bool {
	switch strings.ToLower(word) {
	case "today", "yesterday", "aujourd'hui", "hier":
		return true
	}
	return false
}
