package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// cronField is a field of a cron as it is written, and what it names.
type cronField struct {
	text  string
	named map[int]bool
	star  bool // it restricts nothing
}

// drawField writes a field in one of the ways that there are.
func drawField(t *rapid.T, name string, low, high int) cronField {
	f := cronField{named: map[int]bool{}}
	fill := func(from, to, step int) {
		for v := from; v <= to; v += step {
			f.named[v] = true
		}
	}
	var parts []string
	for range rapid.IntRange(1, 3).Draw(t, name+" parts") {
		a := rapid.IntRange(low, high).Draw(t, name+" from")
		b := rapid.IntRange(a, high).Draw(t, name+" to")
		step := rapid.IntRange(1, 5).Draw(t, name+" step")
		switch rapid.IntRange(0, 4).Draw(t, name+" form") {
		case 0:
			parts = append(parts, fmt.Sprint(a))
			fill(a, a, 1)
		case 1:
			parts = append(parts, fmt.Sprintf("%d-%d", a, b))
			fill(a, b, 1)
		case 2:
			parts = append(parts, fmt.Sprintf("%d-%d/%d", a, b, step))
			fill(a, b, step)
		case 3:
			parts = append(parts, fmt.Sprintf("%d/%d", a, step))
			fill(a, high, step)
		default:
			return cronField{text: "*", star: true}
		}
	}
	f.text = strings.Join(parts, ",")
	return f
}

func (f cronField) names(v int) bool { return f.star || f.named[v] }

// TestRandomCronsDayByDay: each of the five fields lets pass what it says, and with both
// day fields restricted either one does. The days are looked at one by one.
func TestRandomCronsDayByDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minutes, hours := drawField(t, "minute", 0, 59), drawField(t, "hour", 0, 23)
		dom, month, dow := drawField(t, "dom", 1, 31), drawField(t, "month", 1, 12), drawField(t, "dow", 0, 6)
		text := strings.Join([]string{minutes.text, hours.text, dom.text, month.text, dow.text}, " ")
		p, err := Parse(domainSchedule("cron", text, "UTC", ""))
		from := time.Date(2027, 12, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 95).Draw(t, "days")) // over 29 February
		until := from.AddDate(0, 0, 8)
		var want []time.Time
		for at := from; at.Before(until); at = at.Add(time.Minute) {
			if !hours.names(at.Hour()) || !minutes.names(at.Minute()) {
				continue
			}
			inMonth, inWeek := dom.names(at.Day()), dow.names(int(at.Weekday()))
			onDay := inMonth && inWeek
			if !dom.star && !dow.star {
				onDay = inMonth || inWeek
			}
			if onDay && month.names(int(at.Month())) {
				want = append(want, at)
			}
		}
		if err != nil {
			if len(want) > 0 {
				t.Fatalf("%s is refused (%v), and names %s", text, err, want[0])
			}
			return
		}
		got := p.Between(from.Add(-time.Second), until.Add(-time.Second), 1e6)
		if !slices.EqualFunc(got, want, time.Time.Equal) {
			t.Fatalf("%s: %d instants, want %d", text, len(got), len(want))
		}
	})
}

// dailyRules name local times: what they mean does not depend on the zone.
var dailyRules = []string{
	"FREQ=DAILY;BYHOUR=0,1,2,3,23;BYMINUTE=0,30", "FREQ=DAILY;INTERVAL=3;BYHOUR=2;BYMINUTE=15,45",
	"FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=0,1,2,3", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=2;BYMINUTE=30",
	"FREQ=MONTHLY;BYDAY=-1SU,1SU;BYHOUR=1,2,3;BYMINUTE=10", "FREQ=MONTHLY;BYMONTHDAY=-1,29,30;BYHOUR=0,10",
	"FREQ=YEARLY;BYYEARDAY=88,298,364;BYHOUR=2", "FREQ=DAILY;BYHOUR=1,2,3,4;BYSETPOS=-1,2",
}

// TestARuleOfDaysInEveryZone: in a zone it runs at the local times at which it runs in
// UTC, each read off the walker's clock, and each instant once.
func TestARuleOfDaysInEveryZone(t *testing.T) {
	for _, change := range []struct{ zone, on string }{
		{"Europe/Paris", "2026-03-29"}, {"Europe/Paris", "2026-10-25"}, {"America/New_York", "2026-03-08"},
		{"America/New_York", "2026-11-01"}, {"Australia/Lord_Howe", "2026-04-05"}, {"Australia/Lord_Howe", "2026-10-04"},
		{"America/Santiago", "2026-04-05"}, {"America/Santiago", "2026-09-06"}, {"Africa/Cairo", "2026-04-24"},
		{"Asia/Beirut", "2026-03-29"}, {"America/Sao_Paulo", "2018-11-04"}, {"Pacific/Apia", "2011-12-30"}, {"UTC", "2026-03-29"},
	} {
		day := utc(t, change.on+"T00:00:00Z")
		from, until := day.AddDate(0, 0, -9), day.AddDate(0, 0, 9)
		w := newWalker(t, change.zone, from.AddDate(0, 0, -3), until.AddDate(0, 0, 2))
		for _, expression := range dailyRules {
			start := from.AddDate(0, 0, -3).Format(localLayout)
			var want []time.Time
			for _, wall := range plan(t, "rrule", expression, "UTC", start).Between(time.Time{}, until.AddDate(0, 0, 1), 1e5) {
				if i := w.local(wall.Unix() / 60); i >= 0 {
					want = append(want, w.list([]int64{i})...)
				}
			}
			slices.SortFunc(want, time.Time.Compare)
			want = slices.CompactFunc(after(want, from), time.Time.Equal)
			want = slices.DeleteFunc(want, func(at time.Time) bool { return at.After(until) })
			same(t, change.zone+" "+expression, plan(t, "rrule", expression, change.zone, start).Between(from, until, 1e5), want)
		}
	}
}

// TestRandomStepsAgainstTheClock: a rule by the hour or the minute runs at those of its
// steps at which the local clock shows what the BY parts name, and at no other.
func TestRandomStepsAgainstTheClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := rapid.SampledFrom(places).Draw(t, "place")
		zone, err := time.LoadLocation(place.zone)
		if err != nil {
			t.Fatal(err)
		}
		freq, unit := "MINUTELY", time.Minute
		if rapid.Bool().Draw(t, "hourly") {
			freq, unit = "HOURLY", time.Hour
		}
		interval := rapid.IntRange(1, 90).Draw(t, "interval")
		hours := rapid.SliceOfNDistinct(rapid.IntRange(0, 23), 1, 8, rapid.ID[int]).Draw(t, "hours")
		months := rapid.SliceOfNDistinct(rapid.IntRange(1, 12), 6, 12, rapid.ID[int]).Draw(t, "months")
		list := func(values []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ","), "[]") }
		text := fmt.Sprintf("FREQ=%s;INTERVAL=%d;BYHOUR=%s;BYMONTH=%s", freq, interval, list(hours), list(months))
		start := time.Date(place.year, time.Month(rapid.IntRange(1, 12).Draw(t, "month")), 2, 5, 10, 0, 0, zone)
		until := start.AddDate(0, 0, 60)
		var want []time.Time
		for at := start; !at.After(until); at = at.Add(time.Duration(interval) * unit) {
			if slices.Contains(hours, at.Hour()) && slices.Contains(months, int(at.Month())) {
				want = append(want, at)
			}
		}
		p, err := Parse(domainSchedule("rrule", text, place.zone, start.Format(localLayout)))
		if err != nil {
			if len(want) > 0 {
				t.Fatalf("%s is refused (%v), and names %s", text, err, want[0])
			}
			return
		}
		if got := p.Between(time.Time{}, until, 1e6); !slices.EqualFunc(got, want, time.Time.Equal) {
			t.Fatalf("%s in %s from %s:\n%v, want\n%v", text, place.zone, start, got, want)
		}
	})
}

// TestCountAndUntilCutOff: a rule that ends is the beginning of the one that does not.
func TestCountAndUntilCutOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := rapid.SampledFrom(places).Draw(t, "place")
		expression := rapid.SampledFrom(append([]string{"FREQ=HOURLY;INTERVAL=5", "FREQ=MINUTELY;INTERVAL=25;BYHOUR=1,2,3"}, dailyRules...)).Draw(t, "rule")
		start := time.Date(place.year, 1, rapid.IntRange(1, 300).Draw(t, "start"), 1, 30, 0, 0, time.UTC).Format(localLayout)
		read := func(ending string) []time.Time {
			p, err := Parse(domainSchedule("rrule", expression+ending, place.zone, start))
			if err != nil {
				t.Fatal(err)
			}
			return p.Between(time.Time{}, time.Unix(latest, 0), 60)
		}
		n := rapid.IntRange(1, 40).Draw(t, "n")
		endless := read("")
		if got := read(fmt.Sprintf(";COUNT=%d", n)); !slices.EqualFunc(got, endless[:n], time.Time.Equal) {
			t.Fatalf("%s in %s, %d times: %v, want %v", expression, place.zone, n, got, endless[:n])
		}
		last := endless[n-1]
		if got := read(";UNTIL=" + last.Format("20060102T150405Z")); !slices.EqualFunc(got, endless[:n], time.Time.Equal) {
			t.Fatalf("%s in %s until %s: %v", expression, place.zone, last, got)
		}
	})
}

// TestTheNewest: bisection finds what a walk through all of them would.
func TestTheNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.SampledFrom(samples).Draw(t, "sample")
		place := rapid.SampledFrom(places).Draw(t, "place")
		p, err := Parse(domainSchedule(sample.kind, sample.expression, place.zone, "2010-06-01T10:31:00"))
		if err != nil {
			t.Fatal(err)
		}
		from := time.Date(place.year, 1, rapid.IntRange(1, 300).Draw(t, "from"), 0, 0, 0, 0, time.UTC)
		until := from.AddDate(0, 0, rapid.SampledFrom([]int{0, 1, 10, 40}).Draw(t, "days")).Add(
			time.Duration(rapid.IntRange(0, 86400).Draw(t, "seconds")) * time.Second)
		n := rapid.IntRange(1, 20).Draw(t, "n")
		all := p.Between(from, until, 1e6)
		rest := all[:max(0, len(all)-n)]
		var wantFirst, wantLast time.Time
		if len(rest) > 0 {
			wantFirst, wantLast = rest[0], rest[len(rest)-1]
		}
		list, first, last := p.newest(from, until, n)
		if !slices.EqualFunc(list, all[len(rest):], time.Time.Equal) || !first.Equal(wantFirst) || !last.Equal(wantLast) {
			t.Fatalf("%s: of %d the newest %d are %v, the rest %s to %s", sample.expression, len(all), n, list, first, last)
		}
	})
}
