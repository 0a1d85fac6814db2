package schedule

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// places are zones with everything that clocks do, in a year in which they do it.
var places = []struct {
	zone string
	year int
}{
	{"Europe/Paris", 2026},
	{"America/New_York", 2026},
	{"Australia/Lord_Howe", 2026}, // moves by half an hour
	{"America/Santiago", 2026},    // 24:00 becomes 23:00, 00:00 becomes 01:00
	{"Africa/Cairo", 2026},        // 00:00 becomes 01:00
	{"Asia/Beirut", 2026},         // the same on other days
	{"Asia/Kathmandu", 2026},      // 5:45 off
	{"Pacific/Apia", 2011},        // 30 December did not take place
	{"America/Sao_Paulo", 2018},   // midnight, when Brazil still did it
	{"UTC", 2026},
}

// TestADailyScheduleRunsOnceEachDay: every half hour of the day, over a year, in every
// place, against the walker; as a cron and as an RRULE.
func TestADailyScheduleRunsOnceEachDay(t *testing.T) {
	for _, place := range places {
		t.Run(place.zone, func(t *testing.T) {
			from := time.Date(place.year, time.January, 3, 0, 0, 0, 0, time.UTC)
			until := from.AddDate(1, 0, -6)
			w := newWalker(t, place.zone, from.AddDate(0, 0, -3), until)
			for half := range 48 {
				h, m := half/2, half%2*30
				want := after(w.byWall(30, func(wall time.Time) bool { return wall.Hour() == h && wall.Minute() == m }), from)
				cron := plan(t, "cron", fmt.Sprintf("%d %d * * *", m, h), place.zone, "")
				same(t, fmt.Sprintf("cron at %02d:%02d", h, m), cron.Between(from, until.Add(-time.Minute), 1000), want)
				rule := plan(t, "rrule", fmt.Sprintf("FREQ=DAILY;BYHOUR=%d;BYMINUTE=%d", h, m), place.zone, "2009-05-05T05:05:00")
				same(t, fmt.Sprintf("rrule at %02d:%02d", h, m), rule.Between(from, until.Add(-time.Minute), 1000), want)
				onceADay(t, want, cron.zone)
			}
		})
	}
}

func after(list []time.Time, from time.Time) []time.Time {
	for len(list) > 0 && !list[0].After(from) {
		list = list[1:]
	}
	return list
}

func onceADay(t *testing.T, runs []time.Time, zone *time.Location) {
	t.Helper()
	for i := 1; i < len(runs); i++ {
		before, now := runs[i-1].In(zone), runs[i].In(zone)
		if y, m, d := before.Date(); !now.After(before) || !sameDay(now, time.Date(y, m, d+1, 12, 0, 0, 0, time.UTC)) && zone.String() != "Pacific/Apia" {
			t.Fatalf("after %s comes %s", before, now)
		}
	}
}

func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }

// TestByTheHourGoesByElapsedTime: the clock is read at every instant, also in the hour
// that comes twice.
func TestByTheHourGoesByElapsedTime(t *testing.T) {
	for _, place := range places {
		t.Run(place.zone, func(t *testing.T) {
			from := time.Date(place.year, time.January, 3, 0, 0, 0, 0, time.UTC)
			until := from.AddDate(1, 0, -6)
			w := newWalker(t, place.zone, from, until)
			for expression, match := range map[string]func(time.Time) bool{
				"0 * * * *":        func(w time.Time) bool { return w.Minute() == 0 },
				"*/20 * * * *":     func(w time.Time) bool { return w.Minute()%20 == 0 },
				"45 0-23 * * 0":    func(w time.Time) bool { return w.Minute() == 45 && w.Weekday() == time.Sunday },
				"@hourly":          func(w time.Time) bool { return w.Minute() == 0 },
				"10,50 */1 * 10 *": func(w time.Time) bool { return w.Minute()%40 == 10 && w.Month() == time.October },
			} {
				got := plan(t, "cron", expression, place.zone, "").Between(from.Add(-time.Second), until.Add(-time.Minute), 1e6)
				same(t, expression, got, w.byClock(match))
			}
			hourly := plan(t, "rrule", "FREQ=HOURLY;INTERVAL=3", place.zone, "2010-01-01T06:30:00")
			previous, _ := hourly.Next(from)
			for _, at := range hourly.Between(previous, until, 1e6) {
				if at.Sub(previous) != 3*time.Hour {
					t.Fatalf("every 3 hours: from %s to %s", previous, at)
				}
				previous = at
			}
		})
	}
}

// TestTheLastDayOfALeapYear: in every zone one gets on from it. (The standard library
// says there that the stretch of time which contains it is over.)
func TestTheLastDayOfALeapYear(t *testing.T) {
	for _, place := range places {
		for _, year := range []int{2028, 2096, 2196} {
			p := plan(t, "cron", "30 */6 * * *", place.zone, "")
			from := time.Date(year, time.December, 28, 0, 0, 0, 0, time.UTC)
			w := newWalker(t, place.zone, from.AddDate(0, 0, -3), from.AddDate(0, 0, 8))
			want := after(w.byWall(30, func(wall time.Time) bool { return wall.Hour()%6 == 0 && wall.Minute() == 30 }), from)
			same(t, fmt.Sprint(place.zone, " ", year), p.Between(from, from.AddDate(0, 0, 8).Add(-time.Minute), 100), want)
			hourly := plan(t, "cron", "0 * 31 12 *", place.zone, "").Between(from, from.AddDate(0, 0, 8), 100)
			if len(hourly) != 24 {
				t.Errorf("%s %d: %d hours", place.zone, year, len(hourly))
			}
			for at := from.Unix(); at < from.Unix()+8*day; at += hour {
				if s := spanAt(p.zone, at); s.until <= at || s.from > at {
					t.Fatalf("%s: %v is not around %d", place.zone, s, at)
				}
			}
		}
	}
}

// TestTheNightsOnWhichClocksChange covers the rules for clock changes one by one.
func TestTheNightsOnWhichClocksChange(t *testing.T) {
	for _, story := range []struct {
		name, kind, expression, zone, after string
		want                                []string
	}{
		{"02:30 does not exist and runs at 03:30", "cron", "30 2 * * *", "Europe/Paris", "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T03:30:00+02:00", "2026-03-30T02:30:00+02:00"}},
		{"02:30 exists twice and runs the first time", "cron", "30 2 * * *", "Europe/Paris", "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"}},
		{"02:30 and 03:30 become the same instant and run once", "cron", "30 2,3 * * *", "Europe/Paris", "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T03:30:00+02:00", "2026-03-30T02:30:00+02:00", "2026-03-30T03:30:00+02:00"}},
		{"03:10 comes before what was 02:30", "rrule", "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=10,30", "Europe/Paris", "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T03:10:00+02:00", "2026-03-29T03:30:00+02:00", "2026-03-30T02:10:00+02:00"}},
		{"every two hours names local times", "cron", "0 */2 * * *", "Europe/Paris", "2026-10-24T22:30:00Z",
			[]string{"2026-10-25T02:00:00+02:00", "2026-10-25T04:00:00+01:00"}},
		{"midnight does not exist", "cron", "0 */12 * * *", "Asia/Beirut", "2026-03-28T11:00:00Z",
			[]string{"2026-03-29T01:00:00+03:00", "2026-03-29T12:00:00+03:00"}},
		{"the day that did not take place", "cron", "0 10 * * *", "Pacific/Apia", "2011-12-29T19:59:00Z",
			[]string{"2011-12-29T10:00:00-10:00", "2011-12-31T10:00:00+14:00", "2012-01-01T10:00:00+14:00"}},
		{"half an hour is skipped", "cron", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z",
			[]string{"2026-10-04T02:45:00+11:00", "2026-10-05T02:15:00+11:00"}},
		{"one date in the gap", "once", "2026-03-29T02:30:00", "Europe/Paris", "2026-01-01T00:00:00Z",
			[]string{"2026-03-29T03:30:00+02:00"}},
		{"one date that exists twice", "once", "2026-10-25T02:30", "Europe/Paris", "2026-01-01T00:00:00Z",
			[]string{"2026-10-25T02:30:00+02:00"}},
		{"a date alone is its midnight", "once", "2026-10-25", "Europe/Paris", "2026-01-01T00:00:00Z",
			[]string{"2026-10-25T00:00:00+02:00"}},
		{"an interval goes by elapsed time", "interval", "24h", "Europe/Paris", "2026-03-28T10:00:00Z",
			[]string{"2026-03-28T12:00:00+01:00", "2026-03-29T13:00:00+02:00"}},
		{"hourly with minutes reads them off the clock", "rrule", "FREQ=HOURLY;BYMINUTE=15", "Australia/Lord_Howe", "2026-04-04T14:00:00Z",
			[]string{"2026-04-05T01:15:00+11:00", "2026-04-05T02:15:00+10:30", "2026-04-05T03:15:00+10:30"}},
		{"hourly in the hour that comes twice", "rrule", "FREQ=HOURLY;BYHOUR=2", "Europe/Paris", "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-26T02:00:00+01:00"}},
	} {
		t.Run(story.name, func(t *testing.T) {
			start := ""
			if story.kind == "rrule" || story.kind == "interval" {
				start = "2009-01-01T12:00:00"
			}
			p := plan(t, story.kind, story.expression, story.zone, start)
			at := utc(t, story.after)
			for _, want := range story.want {
				next, ok := p.Next(at)
				if got := next.In(p.zone).Format(time.RFC3339); !ok || got != want {
					t.Fatalf("after %s comes %s, want %s", at.In(p.zone), got, want)
				}
				at = next
			}
		})
	}
}

// samples are schedules of every kind, for what must hold for all.
var samples = []struct{ kind, expression string }{
	{"cron", "30 7 * * mon-fri"}, {"cron", "0 0 13 * 5"}, {"cron", "*/7 * * * *"}, {"cron", "0 */3 29 2 *"},
	{"cron", "*/5 0-3 * * *"}, {"cron", "0 0 1,15 * *"}, {"cron", "59 23 31 12 *"},
	{"rrule", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR"}, {"rrule", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"},
	{"rrule", "FREQ=HOURLY;INTERVAL=5;BYDAY=SA,SU"}, {"rrule", "FREQ=MINUTELY;INTERVAL=25;BYHOUR=0,1,2,3"},
	{"rrule", "FREQ=HOURLY;BYMINUTE=0,20,40;BYSETPOS=1,-1"}, {"rrule", "FREQ=YEARLY;BYWEEKNO=1,53"},
	{"rrule", "FREQ=DAILY;COUNT=400"}, {"rrule", "FREQ=DAILY;BYHOUR=0,1,2,3;BYMINUTE=0,30;UNTIL=20270101T000000Z"},
	{"interval", "90m"}, {"interval", "P1DT1H"}, {"once", "2026-03-29T02:30:00"},
}

// TestNextGoesOnAndOn: from any instant Next is later than it; nothing lies between;
// and the same list comes out however it is asked for.
func TestNextGoesOnAndOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.SampledFrom(samples).Draw(t, "sample")
		place := rapid.SampledFrom(places).Draw(t, "place")
		start := ""
		if sample.kind != "cron" {
			start = rapid.SampledFrom([]string{"2010-06-01T10:31:00", "2011-10-09T00:30:00"}).Draw(t, "start")
		}
		p, err := Parse(domainSchedule(sample.kind, sample.expression, place.zone, start))
		if err != nil {
			t.Fatal(err)
		}
		from := time.Date(place.year, 1, 1, 0, 0, rapid.IntRange(0, 366*86400).Draw(t, "from"), rapid.IntRange(0, 999_999_999).Draw(t, "nano"), time.UTC)
		list := p.Between(from, from.AddDate(0, 0, 20), 5000)
		at := from
		for _, want := range list {
			next, ok := p.Next(at)
			if !ok || !next.Equal(want) || !next.After(at) {
				t.Fatalf("after %s comes %s %v, and Between says %s", at, next, ok, want)
			}
			// From anywhere in between, and from just before, it is the same one.
			gap := rapid.Int64Range(0, int64(want.Sub(at))-1).Draw(t, "gap")
			if again, _ := p.Next(at.Add(time.Duration(gap))); !again.Equal(want) {
				t.Fatalf("from %s comes %s, from %s %s", at, want, at.Add(time.Duration(gap)), again)
			}
			at = want
		}
		if next, ok := p.Next(at); ok && !next.After(from.AddDate(0, 0, 20)) {
			t.Fatalf("Between leaves out %s", next)
		}
		// A truncated list continues where it ended: the history is enough.
		if len(list) > 2 {
			head := p.Between(from, from.AddDate(0, 0, 20), len(list)/2)
			tail := p.Between(head[len(head)-1], from.AddDate(0, 0, 20), 5000)
			if len(head)+len(tail) != len(list) {
				t.Fatalf("%d and %d are not %d", len(head), len(tail), len(list))
			}
		}
	})
}

// TestTheEnds: nothing before the start, after the end, or outside the years that are
// planned, wherever one asks from.
func TestTheEnds(t *testing.T) {
	p := plan(t, "cron", "0 8 * * *", "Europe/Paris", "2026-05-01T08:00:00")
	if at, ok := p.Next(time.Time{}); !ok || !at.Equal(utc(t, "2026-05-01T06:00:00Z")) {
		t.Errorf("the first is at %s", at)
	}
	for _, late := range []string{"2200-01-01T00:00:00Z", "9999-01-01T00:00:00Z"} {
		if at, ok := p.Next(utc(t, late)); ok {
			t.Errorf("after %s comes %s", late, at)
		}
	}
	p = plan(t, "rrule", "FREQ=DAILY;COUNT=3;BYHOUR=2,3;BYMINUTE=30", "Europe/Paris", "2026-03-29T00:00:00")
	var got []string
	for _, at := range p.Between(time.Time{}, utc(t, "2100-01-01T00:00:00Z"), 100) {
		got = append(got, at.In(p.zone).Format(localLayout))
	}
	if fmt.Sprint(got) != "[2026-03-29T03:30:00 2026-03-30T02:30:00 2026-03-30T03:30:00]" {
		t.Errorf("three runs: %v", got)
	}
	for until, last := range map[string]string{
		"20260310": "2026-03-10T23:00:00+01:00", "20260310T230000": "2026-03-10T23:00:00+01:00",
		"20260310T220000Z": "2026-03-10T23:00:00+01:00", "20260310T215959Z": "2026-03-09T23:00:00+01:00",
	} {
		p = plan(t, "rrule", "FREQ=DAILY;UNTIL="+until, "Europe/Paris", "2026-03-01T23:00:00")
		list := p.Between(time.Time{}, utc(t, "2100-01-01T00:00:00Z"), 100)
		if got := list[len(list)-1].In(p.zone).Format(time.RFC3339); got != last {
			t.Errorf("until %s: the last is at %s, want %s", until, got, last)
		}
	}
}
