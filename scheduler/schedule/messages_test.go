package schedule

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// TestWhatARefusalSays: the sentences that a person reads, each with what to do.
func TestWhatARefusalSays(t *testing.T) {
	for _, c := range []struct{ kind, expression, zone, start, want string }{
		{"weekly", "x", "UTC", "", "The type of a schedule is cron, rrule, interval or once."},
		{"cron", " ", "UTC", "", "A schedule needs an expression."},
		{"cron", strings.Repeat("*", 501), "UTC", "", "An expression has 500 characters at most."},
		{"cron", "0 8 * * *", "", "", "A schedule needs a time zone, like Europe/Paris or UTC."},
		{"cron", "0 8 * * *", "CEST!", "", `"CEST!" is not a time zone: write its IANA name, like Europe/Paris or UTC.`},
		{"cron", "0 8 * * *", "UTC", "1950-01-01", `"1950-01-01" is not in the years 1970 to 2199.`},
		{"cron", "0 8 * * *", "UTC", "8:00",
			`"8:00" is not a local date and time like 2026-03-29T08:00:00, without offset: the zone is time_zone.`},
		{"cron", "TZ=UTC 0 8 * * *", "UTC", "", "The time zone of a schedule is its field time_zone; take it out of the expression."},
		{"cron", "@every 5m", "UTC", "", `Every so often is a schedule of type "interval", with an expression like "90m".`},
		{"cron", "0 8 * *", "UTC", "", "A cron has five fields (minute, hour, day of the month, month and day of the week) " +
			"or is a name like @daily; this one has 4."},
		{"cron", "*-5 8 * * *", "UTC", "", `"*-5" is not a value of the minute: it takes numbers from 0 to 59, like 0, 0,30 or */15.`},
		{"cron", "0 8 L * *", "UTC", "", `"l" is not a value of the day of the month: it takes numbers from 1 to 31, like 1, 1-7 or */2. ` +
			`The last day of a month is a schedule of type "rrule": FREQ=MONTHLY;BYMONTHDAY=-1.`},
		{"cron", "0 8 * * 1#1", "UTC", "", `"1#1" is not a value of the day of the week: it takes numbers from 0 to 7 or names from sun to sat, ` +
			`like 1, 1-5 or mon-fri. A certain weekday of a month is a schedule of type "rrule", like FREQ=MONTHLY;BYDAY=1MO or FREQ=MONTHLY;BYDAY=-1FR.`},
		{"cron", "0 8 * * Monday", "UTC", "", `"monday" is not a value of the day of the week: it takes numbers from 0 to 7 or names from sun to sat, ` +
			`like 1, 1-5 or mon-fri.`},
		{"cron", "0 8 1W * *", "UTC", "", `"1w" is not a value of the day of the month: it takes numbers from 1 to 31, like 1, 1-7 or */2.`},
		{"cron", "0 22-6 * * *", "UTC", "",
			`The range "22-6" of the hour ends before it begins: write it as two ranges with a comma between them.`},
		{"cron", "*/0 * * * *", "UTC", "", `"*/0" is not a step of the minute: after the slash comes a number from 1 on, as in */2.`},
		{"cron", "@reboot", "UTC", "", `"@reboot" is not one of the names @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly.`},
		{"cron", "0 0 31 6 *", "UTC", "", `"0 0 31 6 *" never comes: there is no such time, or it lies before the start or after the end.`},
		{"rrule", "FREQ=DAILY", "UTC", "", "This schedule counts from starts_at: a local date and time like 2026-03-29T08:00:00."},
		{"rrule", "FREQ=DAILY;COLOUR=3", "UTC", "2026-01-01", `"COLOUR=3" is no part of an RRULE.`},
		{"rrule", "FREQ=DAILY;FREQ=DAILY", "UTC", "2026-01-01", "FREQ stands twice in the RRULE."},
		{"rrule", "FREQ=DAILY;BYHOUR=noon", "UTC", "2026-01-01", `"NOON" is not a value of BYHOUR.`},
		{"rrule", "FREQ=DAILY;BYHOUR=25", "UTC", "2026-01-01", "25 is not a value of BYHOUR."},
		{"rrule", "FREQ=DAILY;COUNT=1;UNTIL=20270101", "UTC", "2026-01-01", "An RRULE has UNTIL or COUNT, not both."},
		{"rrule", "FREQ=DAILY;UNTIL=20261301", "UTC", "2026-01-01",
			`"20261301" is not a value of UNTIL: write it like 20261231 or 20261231T170000Z.`},
		{"rrule", "FREQ=DAILY;COUNT=1001", "UTC", "2026-01-01", "COUNT is a number from 1 to 1000; UNTIL has no such limit."},
		{"rrule", "FREQ=DAILY;INTERVAL=0", "UTC", "2026-01-01", "INTERVAL is a number from 1 to 10000."},
		{"rrule", "FREQ=SECONDLY", "UTC", "2026-01-01", "A schedule runs once a minute at most."},
		{"rrule", "FREQ=MONTHLY;BYWEEKNO=3", "UTC", "2026-01-01", "BYWEEKNO goes with FREQ=YEARLY only."},
		{"rrule", "FREQ=WEEKLY;BYDAY=2MO", "UTC", "2026-01-01", "A number before a day, like 2MO, goes with FREQ=MONTHLY or YEARLY only."},
		{"rrule", "FREQ=DAILY;DTSTART=20260101", "UTC", "2026-01-01",
			"An RRULE here has no DTSTART or TZID: they are the fields starts_at and time_zone of the schedule."},
		{"interval", "weekly", "UTC", "2026-01-01", `"weekly" is not an interval like "15m", "36h" or "PT15M", in whole seconds.`},
		{"interval", "30s", "UTC", "2026-01-01", "A schedule runs once a minute at most."},
		{"interval", "P9999W", "UTC", "2026-01-01", "An interval is ten years at most."},
	} {
		_, err := Parse(domainSchedule(c.kind, c.expression, c.zone, c.start))
		e, ok := errors.AsType[*domain.Error](err)
		if !ok || len(e.Fields) != 1 || e.Fields[0].Message != c.want {
			t.Errorf("%s %q: %v, want %q", c.kind, clip(c.expression), err, c.want)
		}
	}
}

// TestTheBoundsOfAnInterval, to the second, however it is written.
func TestTheBoundsOfAnInterval(t *testing.T) {
	const spaced = " 1m "
	for text, want := range map[string]int64{
		"60s": 60, "1m": 60, "PT60S": 60, "pt1m": 60, spaced: 60, "59s": 0, "PT59S": 0, "PT": 0, "P": 0, "0s": 0, "-1h": 0,
		"61s": 61, "1m1s": 61, "60000ms": 60, "60500ms": 0, "1d": 0, "1w": 0, "P1DT": day, "P1WT1S": 7*day + 1, "P1W1D": 8 * day,
		"P3660D": 3660 * day, "P3660DT1S": 0, "P3661D": 0, "87840h": 3660 * day, "87841h": 0, "PT999999999S": 0, "1e3m": 0,
		"P1.5D": 0, "P-1D": 0, "P1D1W": 0, "PT1S1M": 0, "P1Y": 0, "": 0, "99999999999999999999h": 0, "P99999W": 0,
	} {
		got, err := parseInterval(text)
		if (err == nil) != (want > 0) || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}

// TestUnusualClocks: what zones did that no rule of thumb has, as local times with their
// offsets.
func TestUnusualClocks(t *testing.T) {
	for _, c := range []struct{ what, expression, zone, after, want string }{
		{"Ireland's winter is the one that is saved", "30 1 * * *", "Europe/Dublin", "2026-03-28T12:00:00Z",
			"03-29T02:30+01:00 03-30T01:30+01:00"},
		{"Morocco goes back for Ramadan", "30 2 * * *", "Africa/Casablanca", "2026-02-14T12:00:00Z", "02-15T02:30+01:00 02-16T02:30Z"},
		{"Morocco goes forward after it", "30 2 * * *", "Africa/Casablanca", "2026-03-21T12:00:00Z", "03-22T03:30+01:00 03-23T02:30+01:00"},
		{"Troll moves by two hours", "30 1,2 * * *", "Antarctica/Troll", "2026-03-28T12:00:00Z",
			"03-29T03:30+02:00 03-29T04:30+02:00 03-30T01:30+02:00"},
		{"half an hour comes twice", "45 1 * * *", "Australia/Lord_Howe", "2026-04-03T20:00:00Z", "04-05T01:45+11:00 04-06T01:45+10:30"},
		{"Korea's north went back half an hour for good", "45 23 * * *", "Asia/Pyongyang", "2015-08-14T00:00:00Z",
			"08-14T23:45+09:00 08-15T23:45+08:30"},
		{"and forward again", "45 23 * * *", "Asia/Pyongyang", "2018-05-04T00:00:00Z", "05-05T00:15+09:00 05-05T23:45+09:00"},
		{"Kwajalein left a day out", "0 12 * * *", "Pacific/Kwajalein", "1993-08-20T12:00:00Z", "08-20T12:00-12:00 08-22T12:00+12:00"},
		{"New York's hour comes twice, by the hour", "30 * * * *", "America/New_York", "2026-11-01T05:00:00Z",
			"11-01T01:30-04:00 11-01T01:30-05:00 11-01T02:30-05:00"},
		{"London's midnight is at 23:00 UTC", "0 0 * * *", "Europe/London", "2026-03-28T12:00:00Z", "03-29T00:00Z 03-30T00:00+01:00"},
		{"29 February, when it comes again", "0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "02-29T00:00Z 02-29T00:00Z"},
	} {
		p := plan(t, "cron", c.expression, c.zone, "")
		var got []string
		for _, at := range p.Between(utc(t, c.after), time.Unix(latest, 0), strings.Count(c.want, " ")+1) {
			got = append(got, at.In(p.zone).Format("01-02T15:04Z07:00"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", c.what, strings.Join(got, " "), c.want)
		}
	}
}
