package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/teambition/rrule-go"
	"pgregory.net/rapid"
)

// TestTheExamplesOfTheRFC, where they say something that is easily got wrong (in New
// York, from 2 September 1997, 09:00, as there).
func TestTheExamplesOfTheRFC(t *testing.T) {
	for rule, want := range map[string]string{
		"FREQ=DAILY;INTERVAL=10;COUNT=5":                                              "1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12",
		"FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH":                      "1997-09-02 1997-09-04 1997-09-09 1997-09-11 1997-09-16 1997-09-18 1997-09-23 1997-09-25 1997-09-30 1997-10-02",
		"FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH":                          "1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30 1997-10-02 1997-10-14 1997-10-16",
		"FREQ=MONTHLY;COUNT=3;BYDAY=-2MO":                                             "1997-09-22 1997-10-20 1997-11-17",
		"FREQ=MONTHLY;INTERVAL=2;COUNT=4;BYDAY=1SU,-1SU":                              "1997-09-07 1997-09-28 1997-11-02 1997-11-30",
		"FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=2":                                          "1997-09-28 1997-10-29",
		"FREQ=YEARLY;INTERVAL=3;COUNT=4;BYYEARDAY=1,100,200":                          "2000-01-01 2000-04-09 2000-07-18 2003-01-01",
		"FREQ=YEARLY;BYDAY=20MO;COUNT=2":                                              "1998-05-18 1999-05-17",
		"FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=2":                                    "1998-05-11 1999-05-17",
		"FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3":                                 "1998-02-13 1998-03-13 1998-11-13",
		"FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=2": "1997-11-04 2001-11-06",
		"FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3":                              "1997-09-04 1997-10-07 1997-11-06",
		"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=2":                       "1997-09-29 1997-10-30",
		// A month that has no such day is left out; a day and a second Tuesday are one or the other.
		"FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=4;BYMONTH=1,2": "1998-01-15 1998-01-30 1998-02-15 1999-01-15",
		"FREQ=MONTHLY;BYDAY=1MO,SU;COUNT=4":                 "1997-09-07 1997-09-14 1997-09-21 1997-09-28",
		"FREQ=YEARLY;BYWEEKNO=1;COUNT=3":                    "1997-12-30 1999-01-05 2000-01-04",
	} {
		var days []string
		p := plan(t, "rrule", rule, "America/New_York", "1997-09-02T09:00:00")
		for _, at := range p.Between(time.Time{}, utc(t, "2010-01-01T00:00:00Z"), 100) {
			local := at.In(p.zone)
			if local.Format(time.TimeOnly) != "09:00:00" {
				t.Errorf("%s: %s", rule, local)
			}
			days = append(days, local.Format(time.DateOnly))
		}
		if got := strings.Join(days, " "); got != want {
			t.Errorf("%s:\n %s, want\n %s", rule, got, want)
		}
	}
}

// TestAgainstTheLibrary: in UTC, where no clock is moved, and for what the library gets
// right, both say the same.
func TestAgainstTheLibrary(t *testing.T) {
	draw := func(t *rapid.T, name string, low, high, most int) string {
		list := rapid.SliceOfNDistinct(rapid.IntRange(low, high).Filter(func(v int) bool { return v != 0 || low == 0 }), 0, most, rapid.ID[int]).Draw(t, name)
		if len(list) == 0 {
			return ""
		}
		return ";" + name + "=" + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
	}
	rapid.Check(t, func(t *rapid.T) {
		freq := rapid.SampledFrom([]string{"YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"}).Draw(t, "freq")
		text := "FREQ=" + freq + draw(t, "BYMONTH", 1, 12, 3) + draw(t, "BYHOUR", 0, 23, 3)
		if freq != "HOURLY" {
			text += draw(t, "BYMINUTE", 0, 59, 2)
		}
		if freq != "WEEKLY" {
			text += draw(t, "BYMONTHDAY", -31, 31, 4)
		}
		if freq == "YEARLY" {
			text += draw(t, "BYYEARDAY", 1, 366, 4)
		}
		days := []string{"MO", "TU", "WE", "TH", "FR", "SA", "SU"}
		if freq == "YEARLY" && rapid.Bool().Draw(t, "weeks") {
			// The year's last week that begins the next year is what the library leaves out.
			text += draw(t, "BYWEEKNO", 2, 51, 3) + ";BYDAY=" + rapid.SampledFrom(days).Draw(t, "day")
		} else if rapid.Bool().Draw(t, "by day") {
			nth := ""
			if freq == "MONTHLY" {
				nth = rapid.SampledFrom([]string{"", "1", "2", "-1", "4"}).Draw(t, "nth")
			}
			text += ";BYDAY=" + nth + rapid.SampledFrom(days).Draw(t, "day") + "," + nth + rapid.SampledFrom(days).Draw(t, "other")
		}
		text += ";WKST=" + rapid.SampledFrom(days).Draw(t, "week")
		if freq == "MONTHLY" || freq == "YEARLY" { // of the first week the library counts only what follows the start
			text += draw(t, "BYSETPOS", -5, 5, 2)
		}
		interval := map[string]int{"YEARLY": 3, "MONTHLY": 5, "WEEKLY": 4, "DAILY": 9, "HOURLY": 1, "MINUTELY": 1}[freq]
		text += fmt.Sprintf(";INTERVAL=%d", rapid.IntRange(1, interval).Draw(t, "interval"))
		start := time.Date(2024, 1, rapid.IntRange(1, 700).Draw(t, "start"), rapid.IntRange(0, 23).Draw(t, "hour"), 30, 0, 0, time.UTC)
		until := start.AddDate(4, 0, 0)
		library, err := rrule.StrToRRule(text + ";UNTIL=" + until.Format("20060102T150405Z"))
		if err != nil {
			t.Fatal(err)
		}
		library.DTStart(start)
		p, err := Parse(domainSchedule("rrule", text, "UTC", start.Format(localLayout)))
		next := library.Iterator()
		for i := range 300 {
			want, ok := next()
			if err != nil {
				if ok {
					t.Fatalf("%s is refused (%v), and runs at %s", text, err, want)
				}
				return
			}
			got, found := p.Next(start.Add(-time.Second))
			if found && got.After(until) {
				found = false
			}
			if found != ok || ok && !got.Equal(want) {
				t.Fatalf("%s from %s: run %d is at %s %v, in the library at %s %v", text, start, i, got, found, want, ok)
			}
			if !ok {
				return
			}
			start = want.Add(time.Second)
		}
	})
}

func BenchmarkNext(b *testing.B) {
	for _, s := range samples {
		b.Run(s.kind+" "+s.expression, func(b *testing.B) {
			p := plan(b, s.kind, s.expression, "Europe/Paris", "2010-01-01T08:00:00")
			at := utc(b, "2026-03-20T00:00:00Z")
			for b.Loop() {
				p.Next(at)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, s := range samples {
		b.Run(s.kind+" "+s.expression, func(b *testing.B) {
			for b.Loop() {
				plan(b, s.kind, s.expression, "Europe/Paris", "2010-01-01T08:00:00")
			}
		})
	}
}

// TestNothingThatComesIsLeaptOver: where the steps come to a named time of day only when
// the clock is moved, it is found as if each of them were looked at.
func TestNothingThatComesIsLeaptOver(t *testing.T) {
	found := 0
	for _, zone := range []string{"UTC", "Europe/Paris", "Australia/Lord_Howe", "Asia/Kathmandu"} {
		for _, rule := range []string{
			"FREQ=MINUTELY;INTERVAL=30;BYMINUTE=15", "FREQ=MINUTELY;INTERVAL=60;BYMINUTE=30", "FREQ=MINUTELY;INTERVAL=120;BYHOUR=3",
			"FREQ=HOURLY;INTERVAL=2;BYHOUR=3,5", "FREQ=HOURLY;INTERVAL=6;BYHOUR=7;BYMINUTE=10,40", "FREQ=HOURLY;INTERVAL=2;BYHOUR=1;BYMINUTE=45",
			"FREQ=HOURLY;BYMINUTE=10,40;BYSETPOS=3", "FREQ=HOURLY;INTERVAL=7;BYHOUR=3;BYMINUTE=0,30;BYSETPOS=-1", "FREQ=MINUTELY;INTERVAL=7;BYMINUTE=3;BYHOUR=4",
		} {
			location, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			start := utc(t, "1985-06-01T00:00:00Z").Unix()
			r, err := parseRRule(rule, start-spanAt(location, start).offset, location)
			if err != nil {
				t.Fatal(err)
			}
			leaping := newSteps(r)
			each := leaping
			each.cycle, each.comes = minute, map[int64]bool{0: true}
			for at, until := r.start-1, r.start+2*366*day; ; found++ {
				got, ok := leaping.next(at, until)
				want, there := each.next(at, until)
				if ok != there || ok && got != want {
					t.Fatalf("%s in %s: after %d comes %d (%v), want %d (%v)", rule, zone, at, got, ok, want, there)
				}
				if !ok {
					break
				}
				at = got
			}
		}
	}
	if found == 0 {
		t.Error("nothing came at all")
	}
}
