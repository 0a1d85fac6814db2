package domain

import (
	"fmt"
	"time"
)

// Say formats the phrase in the workspace's language. The phrases are side by side so that neither is
// forgotten.
func (s *Settings) Say(english, french string, args ...any) string {
	return Say(english, french, args...).In(s.Language)
}

// Plural counts things in English: "1 entry", "3 entries".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Many is Plural for a noun whose plural only adds an s.
func Many[N int | int64](n N, noun string) string { return Plural(int(n), noun, noun+"s") }

// When is an instant as people of the workspace read it, in its zone.
func (s *Settings) When(at time.Time) string {
	if zone, err := time.LoadLocation(s.TimeZone); err == nil {
		at = at.In(zone)
	}
	if s.Language == "fr" {
		return at.Format("02/01/2006 à 15:04 (MST)")
	}
	return at.Format("2 January 2006, 15:04 (MST)")
}

// Lasting says a duration as people of the workspace do: "1 hour 30 minutes".
func (s *Settings) Lasting(d time.Duration) string { return Lasting(d).In(s.Language) }

// Overtime says why a run or an agent was stopped that worked for longer than it may.
func Overtime(limit time.Duration) Text {
	return Say("It worked for more than %s in total.", "Durée de travail dépassée (%s au total).", Lasting(limit))
}
