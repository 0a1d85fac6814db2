package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestRefused verifies that the error of an invalid schedule states the location and the reason.
func TestRefused(t *testing.T) {
	const paris, start = "Europe/Paris", "2026-01-01T08:00:00"
	for _, c := range []struct{ kind, expression, zone, start, pointer, code string }{
		{"weekly", "x", paris, "", "/type", "enum"},
		{"", "x", paris, "", "/type", "enum"},
		{"cron", "", paris, "", "/expression", "required"},
		{"cron", strings.Repeat("0,", 250) + "0 * * * *", paris, "", "/expression", "max_length"},
		{"cron", "0 8 * * *", "", "", "/time_zone", "required"},
		{"cron", "0 8 * * *", "Local", "", "/time_zone", "unknown"},
		{"cron", "0 8 * * *", "Europe/Pariss", "", "/time_zone", "unknown"},
		{"cron", "0 8 * * *", "../etc/passwd", "", "/time_zone", "unknown"},
		{"cron", "0 8 * * *", "right/Europe/Paris", "", "/time_zone", "unknown"},
		{"cron", "0 8 * * *", paris, "tomorrow", "/starts_at", "format"},
		{"cron", "0 8 * * *", paris, "2026-01-01T08:00:00Z", "/starts_at", "format"},
		{"cron", "0 8 * * *", paris, "2026-02-30T08:00:00", "/starts_at", "format"},
		{"cron", "0 8 * * *", paris, "1969-01-01T08:00:00", "/starts_at", "out_of_range"},
		{"cron", "0 8 * * *", paris, "2200-01-02T08:00:00", "/starts_at", "out_of_range"},
		{"cron", "TZ=0", paris, "", "/expression", "time_zone_inside"},
		{"cron", " CRON_TZ=UTC 0 8 * * *", paris, "", "/expression", "time_zone_inside"},
		{"cron", "0 0 8 * * *", paris, "", "/expression", "cron"},
		{"cron", "0 8 * *", paris, "", "/expression", "cron"},
		{"cron", "60 8 * * *", paris, "", "/expression", "cron"},
		{"cron", "0 8 * * 8", paris, "", "/expression", "cron"},
		{"cron", "0 8 * * 5-9", paris, "", "/expression", "cron"},
		{"cron", "0 8 L * *", paris, "", "/expression", "cron"},
		{"cron", "*/0 * * * *", paris, "", "/expression", "cron"},
		{"cron", "@reboot", paris, "", "/expression", "cron"},
		{"cron", "@every 5s", paris, "", "/expression", "cron"},
		{"cron", "0 8 31 2 *", paris, "", "/expression", "never"},
		{"cron", "0 8 30,31 feb *", paris, "", "/expression", "never"},
		{"cron", ", 8 * * *", paris, "", "/expression", "cron"},
		{"rrule", "FREQ=DAILY", paris, "", "/starts_at", "required"},
		{"rrule", "BYHOUR=8", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=FORTNIGHTLY", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=DAILY;", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=DAILY;FREQ=WEEKLY", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=DAILY;BYEASTER=1", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=DAILY;BYHOUR=8,x", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=DAILY;BYHOUR=24", paris, start, "/expression", "out_of_range"},
		{"rrule", "FREQ=DAILY;BYMONTH=-1", paris, start, "/expression", "out_of_range"},
		{"rrule", "FREQ=DAILY;BYSETPOS=0", paris, start, "/expression", "out_of_range"},
		{"rrule", "FREQ=DAILY;BYDAY=2MO", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=MONTHLY;BYDAY=53MO", paris, start, "/expression", "never"},
		{"rrule", "FREQ=MONTHLY;BYDAY=0MO", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=WEEKLY;BYMONTHDAY=1", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=MONTHLY;BYWEEKNO=1", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=DAILY;DTSTART=20260101T080000Z", paris, start, "/expression", "start_inside"},
		{"rrule", "DTSTART;TZID=Europe/Paris:20260101T080000\nRRULE:FREQ=DAILY", paris, start, "/expression", "start_inside"},
		{"rrule", "FREQ=DAILY;UNTIL=20261231;COUNT=3", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=DAILY;UNTIL=20261301", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=DAILY;UNTIL=20251231", paris, start, "/expression", "never"},
		{"rrule", "FREQ=DAILY;COUNT=0", paris, start, "/expression", "out_of_range"},
		{"rrule", "FREQ=DAILY;COUNT=100000", paris, start, "/expression", "out_of_range"},
		{"rrule", "FREQ=DAILY;INTERVAL=0", paris, start, "/expression", "out_of_range"},
		{"rrule", "FREQ=DAILY;INTERVAL=999999999", paris, start, "/expression", "out_of_range"},
		{"rrule", "FREQ=DAILY;INTERVAL=99999999999999999999", paris, start, "/expression", "rrule"},
		{"rrule", "FREQ=SECONDLY", paris, start, "/expression", "too_often"},
		{"rrule", "FREQ=MINUTELY;BYSECOND=0,30", paris, start, "/expression", "too_often"},
		{"rrule", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31", paris, start, "/expression", "never"},
		// The libraries' own search of these two never ends.
		{"rrule", "FREQ=HOURLY;INTERVAL=24;BYHOUR=5", "UTC", start, "/expression", "never"},
		{"rrule", "FREQ=MINUTELY;INTERVAL=60;BYMINUTE=7", "UTC", start, "/expression", "never"},
		{"interval", "15m", paris, "", "/starts_at", "required"},
		{"interval", "often", paris, start, "/expression", "interval"},
		{"interval", "59s", paris, start, "/expression", "too_often"},
		{"interval", "-5m", paris, start, "/expression", "too_often"},
		{"interval", "P", paris, start, "/expression", "too_often"},
		{"interval", "P1M", paris, start, "/expression", "interval"},
		{"interval", "90.5s", paris, start, "/expression", "interval"},
		{"interval", "P9999W", paris, start, "/expression", "out_of_range"},
		{"interval", "1000000h", paris, start, "/expression", "out_of_range"},
		{"once", "soon", paris, "", "/expression", "format"},
		{"once", "2026-03-29T02:30:00+01:00", paris, "", "/expression", "format"},
		{"once", "2300-01-01", paris, "", "/expression", "out_of_range"},
	} {
		_, err := Parse(domainSchedule(c.kind, c.expression, c.zone, c.start))
		e, ok := errors.AsType[*domain.Error](err)
		if !ok || e.Code != domain.CodeInvalid || len(e.Fields) != 1 || e.Fields[0].Pointer != c.pointer || e.Fields[0].Code != c.code {
			t.Errorf("%s %q in %q from %q: %v, want %s at %s", c.kind, clip(c.expression), c.zone, c.start, err, c.code, c.pointer)
		}
	}
}

// TestWhatCronSays: the days that an expression names, in the first half of April 2026
// (a Wednesday is the first).
func TestWhatCronSays(t *testing.T) {
	for expression, want := range map[string]string{
		"0 8 * * 7":       "5 12",
		"0 8 * * SUN":     "5 12",
		"0 8 * * 0":       "5 12",
		"0 8 * * 5-7":     "3 4 5 10 11 12",
		"0 8 * * fri-sun": "3 4 5 10 11 12",
		"0 8 * * sun-tue": "5 6 7 12 13 14",
		"0 8 * * 1-7/3":   "2 5 6 9 12 13",
		"0 8 * * MON,Wed": "1 6 8 13 15",
		"0 8 5,13 * *":    "5 13",
		"0 8 13 * 5":      "3 10 13", // both restricted: either one
		"0 8 13 * *":      "13",
		"0 8 ? APR 2":     "7 14",
		"0 8 */5 * *":     "1 6 11",
		"0 8 * may *":     "",
		"@weekly":         "5 12",
		"@Monthly":        "1",
		"  0   8 1 * *  ": "1",
		"0 8 10-12 4 *":   "10 11 12",
	} {
		p := plan(t, "cron", expression, "UTC", "")
		var days []string
		for _, at := range p.Between(utc(t, "2026-03-31T23:59:59Z"), utc(t, "2026-04-15T23:00:00Z"), 100) {
			days = append(days, fmt.Sprint(at.Day()))
		}
		if got := strings.Join(days, " "); got != want {
			t.Errorf("%q: %q, want %q", expression, got, want)
		}
	}
}

// TestIntervals in both ways to write them.
func TestIntervals(t *testing.T) {
	for expression, want := range map[string]time.Duration{
		"15m": 15 * time.Minute, "2h": 2 * time.Hour, "36h": 36 * time.Hour, "1h30m": 90 * time.Minute, "90s": 90 * time.Second,
		"1.5h": 90 * time.Minute, "PT15M": 15 * time.Minute, "P1D": 24 * time.Hour, "p1dt1h1m1s": 25*time.Hour + 61*time.Second, "P2W": 14 * 24 * time.Hour,
	} {
		p := plan(t, "interval", expression, "America/New_York", "2026-03-01T09:00:00")
		list := p.Between(time.Time{}, utc(t, "2027-01-01T00:00:00Z"), 3)
		if !list[0].Equal(utc(t, "2026-03-01T14:00:00Z")) || list[1].Sub(list[0]) != want || list[2].Sub(list[1]) != want {
			t.Errorf("%s: %v", expression, list)
		}
	}
}

// TestAnchored: a schedule without a start gets the minute in which it was made, as the
// clock in its zone shows it, and keeps it when it is saved again.
func TestAnchored(t *testing.T) {
	made := utc(t, "2026-07-01T10:31:42Z")
	for kind, want := range map[string]string{"interval": "2026-07-01T12:31:00", "rrule": "2026-07-01T12:31:00", "cron": "2026-07-01T12:31:00", "once": ""} {
		s, err := Anchored(domainSchedule(kind, "x", "Europe/Paris", ""), made)
		if err != nil || s.StartsAt != want {
			t.Errorf("%s: %q %v", kind, s.StartsAt, err)
		}
		if again, _ := Anchored(s, made.AddDate(1, 0, 0)); again.StartsAt != want && kind != "once" {
			t.Errorf("%s moved to %q", kind, again.StartsAt)
		}
	}
	if _, err := Anchored(domainSchedule("interval", "1h", "Nowhere", ""), made); domain.ErrorCode(err) != domain.CodeInvalid {
		t.Errorf("an unknown zone: %v", err)
	}
}

// FuzzParse: whatever is written, reading it and asking for the next hundred neither
// panics nor takes long.
func FuzzParse(f *testing.F) {
	kinds := []string{"cron", "rrule", "interval", "once"}
	for i, s := range samples {
		f.Add(uint8(i), s.expression, "2026-01-01T08:00:00")
	}
	for _, s := range []string{"TZ=0", "CRON_TZ=", "* * * * */99999999999", "@", "0 0 * * 7-7/0", "1-2-3 * * * *", "0 0 1 1 0,*"} {
		f.Add(uint8(0), s, "")
	}
	for _, s := range []string{"FREQ=SECONDLY", "FREQ=HOURLY;INTERVAL=24;BYHOUR=5", "FREQ=YEARLY;BYDAY=-53MO;BYSETPOS=366", "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29", "RRULE:", "=;="} {
		f.Add(uint8(1), s, "2026-01-01T04:00:00")
	}
	f.Add(uint8(2), "PT9999999999999H", "2026-01-01T08:00:00")
	f.Fuzz(func(t *testing.T, kind uint8, expression, start string) {
		begin := testkit.CPU(t)
		p, err := Parse(domainSchedule(kinds[int(kind)%4], expression, "America/New_York", start))
		if err != nil {
			if domain.ErrorCode(err) != domain.CodeInvalid {
				t.Fatalf("%v", err)
			}
			return
		}
		at := utc(t, "2026-01-01T00:00:00Z")
		for range 100 {
			next, ok := p.Next(at)
			if ok && !next.After(at) {
				t.Fatalf("after %s comes %s", at, next)
			}
			if !ok {
				break
			}
			at = next
		}
		if took := testkit.CPU(t) - begin; took > 5*time.Second {
			t.Fatalf("%q took %s", expression, took)
		}
	})
}

// TestTheDearestExpressions: what was made to cost as much as possible costs little.
func TestTheDearestExpressions(t *testing.T) {
	count := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprint(i)
		}
		return strings.Join(list, ",")
	}
	for _, s := range []struct{ kind, expression string }{
		{"cron", "* 0-22 29 2 *"},
		{"rrule", "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=" + count(24) + ";BYMINUTE=" + count(60) + ";BYSETPOS=366,-366"},
		{"rrule", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=1000"},
		{"rrule", "FREQ=MINUTELY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=29;BYHOUR=3;COUNT=1000"},
		{"rrule", "FREQ=HOURLY;BYMINUTE=" + count(60) + ";BYMONTH=2;BYMONTHDAY=29;BYSETPOS=-1;COUNT=1000"},
		{"rrule", "FREQ=HOURLY;INTERVAL=9999;BYHOUR=3;BYDAY=MO;BYMONTH=1"},
		// These never come, however far one looks.
		{"rrule", "FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1"},
		{"rrule", "FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1;COUNT=1"},
		{"rrule", "FREQ=HOURLY;INTERVAL=2;BYHOUR=3,5;BYMINUTE=" + count(60) + ";COUNT=1"},
		{"rrule", "FREQ=MINUTELY;BYSETPOS=2;COUNT=1"},
		{"rrule", "FREQ=HOURLY;BYMINUTE=" + count(49) + ";BYSETPOS=50;COUNT=1"},
	} {
		begin := testkit.CPU(t)
		if p, err := Parse(domainSchedule(s.kind, s.expression, "Europe/Paris", "2026-01-01T03:00:00")); err == nil {
			p.Next(utc(t, "2151-03-01T00:00:00Z"))
		}
		if took := testkit.CPU(t) - begin; took > 2*time.Second {
			t.Errorf("%s takes %s", s.expression, took)
		}
	}
}

// TestRandomCronsAgainstTheWalker, around the days on which clocks change.
func TestRandomCronsAgainstTheWalker(t *testing.T) {
	changes := map[string]string{
		"Europe/Paris": "2026-03-29", "America/New_York": "2026-11-01", "Australia/Lord_Howe": "2026-04-05",
		"America/Santiago": "2026-09-06", "Africa/Cairo": "2026-04-24", "Pacific/Apia": "2011-12-30", "America/Sao_Paulo": "2018-11-04",
	}
	rapid.Check(t, func(rt *rapid.T) {
		zone := rapid.SampledFrom([]string{"Europe/Paris", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Cairo", "Pacific/Apia", "America/Sao_Paulo"}).Draw(rt, "zone")
		hours := rapid.SliceOfNDistinct(rapid.IntRange(0, 23), 1, 6, rapid.ID[int]).Draw(rt, "hours")
		minutes := rapid.SliceOfNDistinct(rapid.IntRange(0, 59), 1, 4, rapid.ID[int]).Draw(rt, "minutes")
		middle, _ := time.Parse(time.DateOnly, changes[zone])
		from, until := middle.AddDate(0, 0, -3), middle.AddDate(0, 0, 3)
		w := newWalker(t, zone, from.AddDate(0, 0, -3), until)
		list := func(values []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ","), "[]") }
		match := func(wall time.Time) bool {
			return slices.Contains(hours, wall.Hour()) && slices.Contains(minutes, wall.Minute())
		}
		p, err := Parse(domainSchedule("cron", list(minutes)+" "+list(hours)+" * * *", zone, ""))
		if err != nil {
			rt.Fatal(err)
		}
		got, want := p.Between(from, until.Add(-time.Minute), 10_000), after(w.byWall(1, match), from)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("%s: %v, want %v", zone, got, want)
		}
	})
}

// What the library reads as something else is rejected when a person writes it, and read as before where
// it is stored.
func TestNonsenseOfACron(t *testing.T) {
	for field, low := range []string{"0", "0", "1", "1", "0"} {
		for _, item := range []string{"*-5", "?-5", "*-*", "-5", "+5", "5-", "1--2", "1-2-3", "1,,2", "1,", "*/", "*/+2", "*/-2", "*/2/3", "1.5", "1/x", "!"} {
			fields := []string{"0", "8", "*", "*", "*"}
			fields[field] = item
			expression := strings.Join(fields, " ")
			_, err := Parse(domainSchedule("cron", expression, "UTC", ""))
			if e, ok := errors.AsType[*domain.Error](err); !ok || e.Fields[0].Code != "cron" || strings.Contains(err.Error(), "parse int") {
				t.Errorf("%s: %v", expression, err)
			}
		}
		for _, item := range []string{"*", "?", "*/2", low, low + "-3", "1-3/2", "1,2", "1/2"} {
			fields := []string{"0", "8", "*", "*", "*"}
			fields[field] = item
			if _, err := Parse(domainSchedule("cron", strings.Join(fields, " "), "UTC", "")); err != nil {
				t.Errorf("%s: %v", fields, err)
			}
		}
	}
	for _, expression := range []string{"*-5 8 * * *", "0,,30 8 * * *"} {
		if _, err := Stored(domainSchedule("cron", expression, "UTC", "")); err != nil {
			t.Errorf("%s is stored: %v", expression, err)
		}
	}
}
