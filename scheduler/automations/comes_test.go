package automations

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// What has no time left would be stored, enabled, and never run.
func TestAScheduleWithoutAFutureIsRefused(t *testing.T) {
	now := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		kind, expression, zone, starts string
		refused                        bool
	}{
		{"once", "2020-01-01T00:00:00", "UTC", "", true},
		{"once", "2026-11-26", "UTC", "", true},                 // midnight is over
		{"once", "2026-11-26T10:00:00", "UTC", "", true},        // now is over too
		{"once", "2026-11-26T10:00:01", "UTC", "", false},       //
		{"once", "2026-11-26T11:00:00", "Asia/Tokyo", "", true}, // 02:00 in UTC
		{"once", "2026-11-26T09:00:00", "America/New_York", "", false},
		{"once", "2026-11-27", "UTC", "", false},
		{"rrule", "FREQ=DAILY;UNTIL=20200101T000000Z", "UTC", "2019-12-01T08:00:00", true},
		{"rrule", "FREQ=DAILY;COUNT=3", "UTC", "2026-11-01T08:00:00", true},
		{"rrule", "FREQ=DAILY;COUNT=40", "UTC", "2026-11-01T08:00:00", false},
		{"rrule", "FREQ=YEARLY", "UTC", "2000-01-01T08:00:00", false},
		{"interval", "24h", "UTC", "2000-01-01T08:00:00", false},
		{"cron", "0 8 * * *", "Europe/Paris", "", false},
		{"cron", "0 8 29 2 *", "Europe/Paris", "2024-01-01T00:00:00", false},
	} {
		err := checkSchedule(&automation.Schedule{Type: c.kind, Expression: c.expression, TimeZone: c.zone, StartsAt: c.starts}, now)
		if (err != nil) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%+v: %v is not the caller's mistake", c, err)
		}
	}
}
