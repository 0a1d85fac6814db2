package prompt

import (
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// late is the difference between scheduled and actual time from which both are stated.
const late = time.Minute

// Tail returns the part that changes with each call: the current time in the workspace's time zone,
// and the scheduled time of a run if it differs. It is placed at the very end of the prompt, so
// that everything before it can be cached.
func Tail(now time.Time, scheduled *time.Time, s *domain.Settings) string {
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	local := now.In(zone)
	text := fmt.Sprintf("Now: %s %s (%s, UTC%s).", local.Weekday(), local.Format("2006-01-02 15:04"), zone, local.Format("-07:00"))
	if s.DayStartHour > 0 {
		text += fmt.Sprintf(" Days begin at %02d:00", s.DayStartHour)
		if local.Hour() < s.DayStartHour {
			yesterday := local.AddDate(0, 0, -1)
			text += fmt.Sprintf(", so today still is %s %s", yesterday.Weekday(), yesterday.Format("2006-01-02"))
		}
		text += "."
	}
	if day := strings.ToLower(s.WeekStartDay); day != "" && day != "monday" {
		text += " Weeks begin on " + strings.ToUpper(day[:1]) + day[1:] + "."
	}
	if scheduled != nil && now.Sub(*scheduled).Abs() >= late {
		at := scheduled.In(zone)
		text += fmt.Sprintf(" This run was scheduled for %s %s (UTC%s): relative periods like \"last week\" are counted from then.",
			at.Weekday(), at.Format("2006-01-02 15:04"), at.Format("-07:00"))
	}
	return Notice("NOW", text)
}
