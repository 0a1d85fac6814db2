package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// describe formats decisions for the tables: "08 DUE, 07 COALESCED>08".
func describe(list []Decision) string {
	var out []string
	for _, d := range list {
		text := d.At.Format("15:04") + " " + string(d.State)
		if !d.Into.IsZero() {
			text += ">" + d.Into.Format("15:04")
		}
		if d.Reason != "" {
			text += " " + d.Reason
		}
		if !d.Through.IsZero() {
			text += " through " + d.Through.Format("15:04")
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func clockAt(t testing.TB, hhmm string) time.Time {
	t.Helper()
	return utc(t, "2026-05-04T"+hhmm+":00Z")
}

func clocksAt(t testing.TB, hhmm string) []time.Time {
	t.Helper()
	var list []time.Time
	for text := range strings.FieldsSeq(hhmm) {
		list = append(list, clockAt(t, text))
	}
	return list
}

// TestMissedOccurrences covers missed occurrences of an automation that runs at every full hour, with a grace
// period of 30 minutes.
func TestMissedOccurrences(t *testing.T) {
	once, all, skip := automation.MisfireOnce, automation.MisfireAll, automation.MisfireSkip
	for _, s := range []struct {
		story      string
		policy     automation.MisfirePolicy
		open       string // rows that are DUE
		after, now string
		want       string
	}{
		{"nothing is due yet", once, "", "07:00", "07:59", ""},
		{"on time", once, "", "07:00", "08:00", "08:00 DUE"},
		{"on time", all, "", "07:00", "08:00", "08:00 DUE"},
		{"on time", skip, "", "07:00", "08:00", "08:00 DUE"},
		{"the server was away for a minute", skip, "", "07:00", "08:01", "08:00 DUE"},

		{"the server was down for three, the last is in its grace", once, "", "07:00", "10:05",
			"08:00 COALESCED>10:00 missed, 09:00 COALESCED>10:00 missed, 10:00 DUE"},
		{"the server was down for three, the last is in its grace", all, "", "07:00", "10:05", "08:00 DUE, 09:00 DUE, 10:00 DUE"},
		{"the server was down for three, the last is in its grace", skip, "", "07:00", "10:05",
			"08:00 SKIPPED policy, 09:00 SKIPPED policy, 10:00 DUE"},
		{"the server was down for three, and past the grace", once, "", "07:00", "10:45",
			"08:00 COALESCED>10:00 missed, 09:00 COALESCED>10:00 missed, 10:00 DUE"},
		{"the server was down for three, and past the grace", all, "", "07:00", "10:45", "08:00 DUE, 09:00 DUE, 10:00 DUE"},
		{"the server was down for three, and past the grace", skip, "", "07:00", "10:45",
			"08:00 SKIPPED policy, 09:00 SKIPPED policy, 10:00 SKIPPED policy"},
		{"the grace ends exactly now", skip, "", "07:00", "08:30", "08:00 SKIPPED policy"},

		{"the slot is taken, in the grace", once, "08:00", "08:00", "08:29", ""},
		{"the slot is taken for longer than the grace: it is the one run, and stays", once, "08:00", "08:00", "08:59", ""},
		{"the slot is taken for longer than the grace: it waits in its place", all, "08:00", "08:00", "08:59", ""},
		{"the slot is taken for longer than the grace", skip, "08:00", "08:00", "08:59", "08:00 SKIPPED policy"},
		{"the slot is taken until a later one comes due", once, "08:00", "08:00", "09:00", "08:00 COALESCED>09:00 missed, 09:00 DUE"},
		{"the slot is taken until a later one comes due", all, "08:00", "08:00", "09:00", "09:00 DUE"},
		{"the slot is taken until a later one comes due", skip, "08:00", "08:00", "09:00", "08:00 SKIPPED policy, 09:00 DUE"},
		{"taken, then down", once, "08:00", "08:00", "10:45",
			"08:00 COALESCED>10:00 missed, 09:00 COALESCED>10:00 missed, 10:00 DUE"},
		{"taken, then down", skip, "08:00", "08:00", "10:45",
			"08:00 SKIPPED policy, 09:00 SKIPPED policy, 10:00 SKIPPED policy"},
		{"the runs of all queue and are not missed again", all, "07:00 08:00", "08:00", "09:10", "09:00 DUE"},
		{"the policy was changed from all to once", once, "06:00 07:00 08:00", "08:00", "08:10",
			"06:00 COALESCED>08:00 missed, 07:00 COALESCED>08:00 missed"},
		{"the policy was changed from all to skip", skip, "06:00 07:00 08:00", "08:00", "08:10", "06:00 SKIPPED policy, 07:00 SKIPPED policy"},

		{"the clock was put back", once, "08:00", "08:00", "06:00", ""},
		{"the history is read late: an open row is not opened again", once, "08:00", "07:00", "08:10", ""},

		{"more than all may run", all, "", "07:00", "12:10", "08:00 MISSED too_many, 09:00 MISSED too_many, 10:00 DUE, 11:00 DUE, 12:00 DUE"},
		{"more than all may run, some wait already", all, "08:00 09:00 10:00", "10:00", "11:10", "08:00 MISSED too_many, 11:00 DUE"},
		{"more than are recorded", all, "", "00:00", "12:10",
			"01:00 MISSED too_many through 06:00, 07:00 MISSED too_many, 08:00 MISSED too_many, 09:00 MISSED too_many, 10:00 DUE, 11:00 DUE, 12:00 DUE"},
		{"more than are recorded, by one", skip, "", "05:00", "12:10",
			"06:00 MISSED too_many, 07:00 SKIPPED policy, 08:00 SKIPPED policy, 09:00 SKIPPED policy, 10:00 SKIPPED policy, 11:00 SKIPPED policy, 12:00 DUE"},
	} {
		t.Run(s.story+"/"+string(s.policy), func(t *testing.T) {
			in := DueInput{Plan: plan(t, "cron", "0 * * * *", "UTC", ""), After: clockAt(t, s.after), Now: clockAt(t, s.now),
				Grace: 30 * time.Minute, Policy: s.policy, Open: clocksAt(t, s.open), MaxAll: 3}
			got := Due(in)
			if describe(got) != s.want {
				t.Fatalf("after %s at %s:\n %s, want\n %s", s.after, s.now, describe(got), s.want)
			}
			if again := Due(stored(in, got)); len(again) != 0 {
				t.Fatalf("asked again: %s", describe(again))
			}
		})
	}
}

// stored is the input after the decisions have become rows.
func stored(in DueInput, decisions []Decision) DueInput {
	in.Open = slices.Clone(in.Open)
	for _, d := range decisions {
		in.Open = slices.DeleteFunc(in.Open, d.At.Equal)
		if d.State == automation.OccurrenceDue {
			in.Open = append(in.Open, d.At)
		}
		in.After = later(in.After, d.At)
	}
	slices.SortFunc(in.Open, time.Time.Compare)
	return in
}

// TestNothingIsLostOrTwice: however often one looks, and whatever the policy, each
// instant is decided about once as new, at most once more when its row closes, and with
// once and all there is always a run for it.
func TestNothingIsLostOrTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom([]automation.MisfirePolicy{automation.MisfireOnce, automation.MisfireAll, automation.MisfireSkip}).Draw(t, "policy")
		p, err := Parse(domainSchedule("cron", rapid.SampledFrom([]string{"*/10 * * * *", "0 */2 * * *", "30 2,3 * * *"}).Draw(t, "cron"), "Europe/Paris", ""))
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC)
		in := DueInput{Plan: p, After: begin, Now: begin, Grace: time.Hour, Policy: policy}
		state := map[time.Time]Decision{}
		fired := map[time.Time]bool{}
		for range 30 {
			in.Now = in.Now.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "minutes")) * time.Minute)
			decisions := Due(in)
			for _, d := range decisions {
				if was, known := state[d.At]; known && was.State != automation.OccurrenceDue || fired[d.At] || d.At.After(in.Now) {
					t.Fatalf("%s was %v, and becomes %v", d.At, was, d)
				}
				state[d.At] = d
			}
			in = stored(in, decisions)
			if again := Due(in); len(again) != 0 {
				t.Fatalf("asked again: %s", describe(again))
			}
			if len(in.Open) > 0 && rapid.Bool().Draw(t, "slot") {
				fired[in.Open[0]] = true
				in.Open = in.Open[1:]
			}
			if wake, ok := Wake(in); ok && !wake.After(in.Now) {
				t.Fatalf("wakes at %s, now is %s", wake, in.Now)
			}
		}
		for _, at := range p.Between(begin, in.Now, 10_000) {
			d, known := state[at]
			if !known {
				t.Fatalf("%s is lost", at)
			}
			for d.State == automation.OccurrenceCoalesced {
				d = state[d.Into]
			}
			if policy != automation.MisfireSkip && d.State != automation.OccurrenceDue && d.Reason != ReasonTooMany {
				t.Fatalf("%s ends as %v", at, d)
			}
		}
	})
}

// TestTenYearsAway: the work and the rows are bounded, and what has no row of its own
// is said in one.
func TestTenYearsAway(t *testing.T) {
	for _, policy := range []automation.MisfirePolicy{automation.MisfireOnce, automation.MisfireAll, automation.MisfireSkip} {
		for _, expression := range []string{"* * * * *", "* 0-22 * * *", "*/5 8-17 * * mon-fri", "* * 1 1 *"} {
			in := DueInput{Plan: plan(t, "cron", expression, "Europe/Paris", ""), Policy: policy, Grace: time.Hour,
				After: utc(t, "2016-05-04T08:00:00Z"), Now: utc(t, "2026-05-04T08:00:30Z")}
			begin := testkit.CPU(t)
			got := Due(in)
			if took := testkit.CPU(t) - begin; took > 2*time.Second {
				t.Errorf("%s, %s took %s", expression, policy, took)
			}
			if len(got) != 201 || got[0].State != automation.OccurrenceMissed || got[0].Through.IsZero() || len(Due(stored(in, got))) != 0 {
				t.Fatalf("%s, %s: %d decisions, the first is %+v", expression, policy, len(got), got[0])
			}
			if first, _ := in.Plan.Next(in.After); !got[0].At.Equal(first) {
				t.Errorf("the first is %s, not %s", got[0].At, first)
			}
			// The row that stands for many ends where the single ones begin.
			if next, _ := in.Plan.Next(got[0].Through); !next.Equal(got[1].At) {
				t.Errorf("between %s and %s something is lost", got[0].Through, got[1].At)
			}
			due := 0
			for _, d := range got {
				if d.State == automation.OccurrenceDue {
					due++
				}
			}
			if want := map[automation.MisfirePolicy]int{automation.MisfireOnce: 1, automation.MisfireAll: 100}[policy]; want > 0 && due != want {
				t.Errorf("%s: %d runs, want %d", policy, due, want)
			}
		}
	}
}

// TestWake: the clock is looked at when something can change, and not before.
func TestWake(t *testing.T) {
	p := plan(t, "cron", "0 * * * *", "UTC", "")
	for _, s := range []struct {
		policy    automation.MisfirePolicy
		open, now string
		grace     time.Duration
		want      string
	}{
		{automation.MisfireOnce, "", "08:10", time.Hour, "09:00"},
		{automation.MisfireOnce, "08:00", "08:10", 30 * time.Minute, "09:00"},
		{automation.MisfireSkip, "08:00", "08:10", 30 * time.Minute, "08:30"},
		{automation.MisfireSkip, "08:00", "08:10", 90 * time.Minute, "09:00"},
		{automation.MisfireSkip, "08:00", "08:00", 0, "08:01"},
	} {
		at, ok := Wake(DueInput{Plan: p, After: clockAt(t, "08:00"), Now: clockAt(t, s.now), Grace: s.grace, Policy: s.policy, Open: clocksAt(t, s.open)})
		if got := at.Format("15:04"); !ok || got != s.want {
			t.Errorf("%+v: %s %v", s, got, ok)
		}
	}
	single := plan(t, "once", "2026-05-04T08:00:00", "UTC", "")
	if at, ok := Wake(DueInput{Plan: single, Now: clockAt(t, "08:00"), After: clockAt(t, "08:00")}); ok {
		t.Errorf("one date that is over: wakes at %s", at)
	}
	if got := fmt.Sprint(Due(DueInput{Plan: single, After: clockAt(t, "07:00"), Now: clockAt(t, "07:30")})); got != "[]" {
		t.Errorf("one date that is to come: %s", got)
	}
}
