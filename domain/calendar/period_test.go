package calendar

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-dev/fermata/domain"
)

func calendar(t testing.TB, zone string, dayStart int, week time.Weekday) Calendar {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return Calendar{Zone: location, DayStartHour: dayStart, WeekStart: week}
}

func TestPeriods(t *testing.T) {
	paris, newYork := calendar(t, "Europe/Paris", 0, time.Monday), calendar(t, "America/New_York", 4, time.Sunday)
	wednesday := time.Date(2026, 11, 18, 12, 30, 0, 0, time.UTC)
	for _, tt := range []struct {
		about     string
		cal       Calendar
		reference time.Time
		period    Period
		from      string
		until     string
	}{
		{"today", paris, wednesday, Period{Relative: "0_DAY"}, "2026-11-18T00:00:00+01:00", "2026-11-19T00:00:00+01:00"},
		{"last week", paris, wednesday, Period{Relative: "-1_WEEK"}, "2026-11-09T00:00:00+01:00", "2026-11-16T00:00:00+01:00"},
		{"a week that begins on Sunday at 4", newYork, wednesday, Period{Relative: "0_WEEK"}, "2026-11-15T04:00:00-05:00", "2026-11-22T04:00:00-05:00"},
		{"at three, the day of yesterday continues", newYork, time.Date(2026, 11, 18, 8, 0, 0, 0, time.UTC), Period{Relative: "0_DAY"}, "2026-11-17T04:00:00-05:00", "2026-11-18T04:00:00-05:00"},
		{"the month before January", paris, time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC), Period{Relative: "-1_MONTH"}, "2025-12-01T00:00:00+01:00", "2026-01-01T00:00:00+01:00"},
		{"next year", paris, wednesday, Period{Relative: "+1_YEAR"}, "2027-01-01T00:00:00+01:00", "2028-01-01T00:00:00+01:00"},
		{"the hour", paris, wednesday, Period{Relative: "0_HOUR"}, "2026-11-18T13:00:00+01:00", "2026-11-18T14:00:00+01:00"},
		{"a range, both included", paris, wednesday, Period{From: "-3_DAY", To: "0_DAY"}, "2026-11-15T00:00:00+01:00", "2026-11-19T00:00:00+01:00"},
		{"a range of two units", paris, wednesday, Period{From: "-1_MONTH", To: "-1_DAY"}, "2026-10-01T00:00:00+02:00", "2026-11-18T00:00:00+01:00"},
		{"dates, both included", paris, wednesday, Period{Start: "2026-03-28", End: "2026-03-29"}, "2026-03-28T00:00:00+01:00", "2026-03-30T00:00:00+02:00"},
		{"dates of days that begin at 4", newYork, wednesday, Period{Start: "2026-11-01", End: "2026-11-01"}, "2026-11-01T04:00:00-05:00", "2026-11-02T04:00:00-05:00"},
		{"instants, the end not included", paris, wednesday, Period{Start: "2026-11-18T08:00:00Z", End: "2026-11-18T10:15"}, "2026-11-18T09:00:00+01:00", "2026-11-18T10:15:00+01:00"},
		{"no beginning", paris, wednesday, Period{End: "2026-01-01"}, "", "2026-01-02T00:00:00+01:00"},
		{"the day on which clocks go forward", paris, time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC), Period{Relative: "0_DAY"}, "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"},
		{"a day that begins in the hour that is skipped", calendar(t, "America/New_York", 2, time.Monday), time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC), Period{Relative: "0_DAY"}, "2026-03-08T03:00:00-04:00", "2026-03-09T02:00:00-04:00"},
		{"a day that begins in the hour that comes twice", calendar(t, "America/New_York", 1, time.Monday), time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC), Period{Relative: "0_DAY"}, "2026-11-01T01:00:00-04:00", "2026-11-02T01:00:00-05:00"},
		{"midnight that does not exist", calendar(t, "America/Santiago", 0, time.Monday), time.Date(2026, 9, 6, 12, 0, 0, 0, time.UTC), Period{Relative: "0_DAY"}, "2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			span, err := tt.period.Resolve(tt.reference, tt.cal)
			if err != nil {
				t.Fatal(err)
			}
			for _, side := range []struct {
				got  time.Time
				want string
			}{{span.From, tt.from}, {span.Until, tt.until}} {
				if side.want == "" && side.got.IsZero() {
					continue
				}
				if got := side.got.In(tt.cal.Zone).Format(time.RFC3339); got != side.want {
					t.Errorf("got %s, want %s", got, side.want)
				}
			}
			again, err := span.Freeze(tt.cal).Resolve(tt.reference.AddDate(1, 2, 3), tt.cal)
			if err != nil || !again.From.Equal(span.From) || !again.Until.Equal(span.Until) {
				t.Errorf("frozen, it is %v, %v", again, err)
			}
		})
	}
}

func TestPeriodsThatAreRefused(t *testing.T) {
	paris := calendar(t, "Europe/Paris", 0, time.Monday)
	for _, tt := range []struct {
		period  Period
		pointer string
	}{
		{Period{}, ""},
		{Period{Start: "2026-01-01", Relative: "0_DAY"}, ""},
		{Period{From: "0_DAY"}, ""},
		{Period{Relative: "last week"}, "/relative"},
		{Period{Relative: "-1_week"}, "/relative"},
		{Period{Relative: "1.5_DAY"}, "/relative"},
		{Period{Relative: "-99999_YEAR"}, "/relative"},
		{Period{Relative: "99999_MONTH"}, "/relative"},
		{Period{Relative: "-123456_DAY"}, "/relative"},
		{Period{From: "0_DAY", To: "-1_DAY"}, "/to"},
		{Period{Start: "yesterday"}, "/start"},
		{Period{Start: "2026-02-30"}, "/start"},
		{Period{Start: "2026-02-02", End: "2026-02-01T00:00:00Z"}, "/end"},
	} {
		_, err := tt.period.Resolve(time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC), paris)
		if domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%+v: %v", tt.period, err)
			continue
		}
		if e, ok := err.(*domain.Error); !ok || e.Fields[0].Pointer != tt.pointer {
			t.Errorf("%+v: %+v", tt.period, err)
		}
	}
}

// clock is a second, slow way to read a calendar: it walks minute by minute and asks
// only what a clock on the wall shows.
type wallClock struct{ Calendar }

// day numbers the day that contains t by its noon, walking from two days before: a day
// once begun is not left again when clocks go back over its beginning.
func (w wallClock) day(t time.Time) int {
	latest := 0
	for at := t.Truncate(time.Minute).Add(-50 * time.Hour); !at.After(t); at = at.Add(time.Minute) {
		latest = max(latest, w.shown(at))
	}
	return latest
}

// shown is the number of the day by the wall's clock alone.
func (w wallClock) shown(at time.Time) int {
	local := at.In(w.Zone)
	y, m, d := local.Date()
	number := int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	if local.Hour() < w.DayStartHour {
		number--
	}
	return number
}

// dates are the first day of the unit that contains day number n, and of the next.
func (w wallClock) unit(kind string, n int) (first, next int) {
	date := func(n int) time.Time { return time.Unix(int64(n)*86400, 0).UTC() }
	same := func(a, b int) bool {
		switch kind {
		case "DAY":
			return a == b
		case "MONTH":
			return date(a).Month() == date(b).Month() && date(a).Year() == date(b).Year()
		case "YEAR":
			return date(a).Year() == date(b).Year()
		}
		for a > b {
			a, b = b, a
		}
		for n := a + 1; n <= b; n++ {
			if date(n).Weekday() == w.WeekStart {
				return false
			}
		}
		return true
	}
	first, next = n, n+1
	for same(first-1, n) {
		first--
	}
	for same(next, n) {
		next++
	}
	return first, next
}

func TestPeriodsAgreeWithTheWallClock(t *testing.T) {
	zones := []string{"UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "America/Santiago",
		"Asia/Kathmandu", "Pacific/Apia", "America/St_Johns", "Africa/Casablanca"}
	rapid.Check(t, func(t *rapid.T) {
		location, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		cal := Calendar{Zone: location, DayStartHour: rapid.IntRange(0, 23).Draw(t, "dayStart"), WeekStart: time.Weekday(rapid.IntRange(0, 6).Draw(t, "weekStart"))}
		reference := referenceNearAChange(t, location)
		kind := rapid.SampledFrom([]string{"DAY", "WEEK", "MONTH", "YEAR"}).Draw(t, "kind")
		span, err := Period{Relative: "0_" + kind}.Resolve(reference, cal)
		if err != nil {
			t.Fatal(err)
		}
		if span.From.After(reference) || !span.Until.After(reference) {
			t.Fatalf("%s is not within %s to %s", reference, span.From, span.Until)
		}
		wall := wallClock{cal}
		first, next := wall.unit(kind, wall.day(reference))
		if got := wall.day(span.From); got < first {
			t.Errorf("it begins on day %d, not %d", got, first)
		}
		if got := wall.day(span.From.Add(-time.Minute)); got >= first {
			t.Errorf("the minute before belongs to it: day %d, first %d", got, first)
		}
		if got := wall.day(span.Until.Add(-time.Minute)); got >= next {
			t.Errorf("its last minute is on day %d, beyond %d", got, next)
		}
		if got := wall.day(span.Until); got < next {
			t.Errorf("it ends on day %d, before %d", got, next)
		}
	})
}

// referenceNearAChange draws an instant, often near a change of the clocks.
func referenceNearAChange(t *rapid.T, location *time.Location) time.Time {
	reference := time.Unix(rapid.Int64Range(1104537600, 1893456000).Draw(t, "reference"), 0).UTC() // 2005 to 2030
	if rapid.Bool().Draw(t, "near a change") {
		if _, change := reference.In(location).ZoneBounds(); !change.IsZero() {
			reference = change.UTC().Add(time.Duration(rapid.IntRange(-2000, 2000).Draw(t, "minutes")) * time.Minute)
		}
	}
	return reference
}

// Consecutive units meet: no instant falls between two of them or into both.
func TestPeriodsMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		location, err := time.LoadLocation(rapid.SampledFrom([]string{"Europe/Paris", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Pacific/Apia"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		cal := Calendar{Zone: location, DayStartHour: rapid.IntRange(0, 23).Draw(t, "dayStart"), WeekStart: time.Monday}
		reference := referenceNearAChange(t, location)
		kind := rapid.SampledFrom([]string{"DAY", "WEEK", "MONTH", "YEAR"}).Draw(t, "kind")
		n := rapid.IntRange(-40, 40).Draw(t, "offset")
		resolve := func(n int) Span {
			span, err := Period{Relative: fmt.Sprintf("%d_%s", n, kind)}.Resolve(reference, cal)
			if err != nil {
				t.Fatal(err)
			}
			return span
		}
		if here, next := resolve(n), resolve(n+1); !here.Until.Equal(next.From) {
			t.Fatalf("%d %s ends at %s, the next begins at %s", n, kind, here.Until, next.From)
		}
	})
}

// An hour is what the clock shows: it begins and ends on a full hour, holds its
// instant, and no full hour lies within it.
func TestHoursAgreeWithTheWallClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		location, err := time.LoadLocation(rapid.SampledFrom([]string{"Europe/Paris", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		cal := Calendar{Zone: location}
		reference := referenceNearAChange(t, location)
		n := rapid.IntRange(-50, 50).Draw(t, "offset")
		span, err := Period{Relative: fmt.Sprintf("%d_HOUR", n)}.Resolve(reference, cal)
		if err != nil {
			t.Fatal(err)
		}
		full := func(t time.Time) bool { return t.In(location).Minute() == 0 && t.In(location).Second() == 0 }
		from := reference.Add(time.Duration(n) * time.Hour).Truncate(time.Minute)
		for !full(from) {
			from = from.Add(-time.Minute)
		}
		until := from.Add(time.Minute)
		for !full(until) {
			until = until.Add(time.Minute)
		}
		if !span.From.Equal(from) || !span.Until.Equal(until) {
			t.Fatalf("got %s to %s, want %s to %s", span.From.In(location), span.Until.In(location), from.In(location), until.In(location))
		}
	})
}

func TestTimesAreReadInTheWorkspacesZone(t *testing.T) {
	paris := calendar(t, "Europe/Paris", 4, time.Monday)
	for text, want := range map[string]string{
		"2026-11-18T08:00:00Z":         "2026-11-18T08:00:00Z",
		"2026-11-18T08:00:00.1234567Z": "2026-11-18T08:00:00.123456Z",
		"2026-11-18T08:00:00+05:30":    "2026-11-18T02:30:00Z",
		"2026-11-18T08:00:00":          "2026-11-18T07:00:00Z",
		"2026-07-18T08:00":             "2026-07-18T06:00:00Z",
		"2026-07-18 08:00":             "2026-07-18T06:00:00Z",
		"2026-11-18":                   "2026-11-17T23:00:00Z",
		"2026-03-29T02:30:00":          "2026-03-29T01:00:00Z", // skipped: the moment of the change
		"2026-10-25T02:30:00":          "2026-10-25T00:30:00Z", // twice: the first
	} {
		got, err := paris.ParseTime("/timestamp", text)
		if err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%s is %s, %v; want %s", text, got.Format(time.RFC3339Nano), err, want)
		}
	}
	for _, text := range []string{"", "now", "18.11.2026", "2026-13-01", "0000-12-31T00:00:00Z",
		"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.0000004Z", "0001-01-01", "0001-01-01T00:00"} {
		if _, err := paris.ParseTime("/timestamp", text); domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAPeriodToTheLastDayThereIsCanBeFrozenAndReadAgain(t *testing.T) {
	for _, zone := range []string{"UTC", "Pacific/Auckland", "America/New_York"} {
		cal := calendar(t, zone, 4, time.Monday)
		for _, p := range []Period{{Start: "0001-01-01", End: "9999-12-31"}, {End: "9999-12-31"}, {Start: "0001-01-01", End: "2026-01-01"}} {
			span, err := p.Resolve(time.Now(), cal)
			if err != nil {
				t.Fatalf("%s: %+v: %v", zone, p, err)
			}
			again, err := span.Freeze(cal).Resolve(time.Now(), cal)
			if err != nil || !again.From.Equal(span.From) || !again.Until.Equal(span.Until) {
				t.Errorf("%s: %+v is %s, and read again %s, %v", zone, p, span, again, err)
			}
		}
	}
}

func TestCalendarOfSettings(t *testing.T) {
	s := domain.DefaultSettings()
	if _, err := Of(&s); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []func(*domain.Settings){
		func(s *domain.Settings) { s.TimeZone = "Mars/Olympus" },
		func(s *domain.Settings) { s.DayStartHour = 24 },
		func(s *domain.Settings) { s.WeekStartDay = "lundi" },
	} {
		s := domain.DefaultSettings()
		wrong(&s)
		if _, err := Of(&s); err == nil {
			t.Errorf("accepted: %+v", s)
		}
	}
}
