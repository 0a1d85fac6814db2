package schedule

import (
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// TestWordsOfTheRest: what is less usual is said in words too, or quoted, never said wrong.
func TestWordsOfTheRest(t *testing.T) {
	for _, c := range []struct{ kind, expression, en, fr string }{
		{"cron", "0 8 * * 0-6", "every day at 08:00", "tous les jours à 08:00"},
		{"cron", "0 8 * * fri-sun", "every Sunday, Friday and Saturday at 08:00", "chaque dimanche, vendredi et samedi à 08:00"},
		{"cron", "0 6,9,12,15 * * *", "every day at 06:00, 09:00, 12:00 and 15:00", "tous les jours à 06:00, 09:00, 12:00 et 15:00"},
		{"cron", "0 6,9,12,15,18 * * *", `by the rule "0 6,9,12,15,18 * * *"`, "selon la règle « 0 6,9,12,15,18 * * * »"},
		{"cron", "*/40 * * * *", "every hour at minute 00 and 40", "toutes les heures à la minute 00 et 40"},
		{"cron", "10,40 * * * *", "every hour at minute 10 and 40", "toutes les heures à la minute 10 et 40"},
		{"cron", "1,2,3,4,5 * * * *", `by the rule "1,2,3,4,5 * * * *"`, "selon la règle « 1,2,3,4,5 * * * * »"},
		{"cron", "0,30 * * * 1-5", "every 30 minutes, Monday to Friday", "toutes les 30 minutes, du lundi au vendredi"},
		{"cron", "*/20 * * dec *", "every 20 minutes, in December", "toutes les 20 minutes, en décembre"},
		{"cron", "0 12 1 1 *", "on day 1 of the month in January at 12:00", "le 1 du mois en janvier à 12:00"},
		{"cron", "@yearly", "on day 1 of the month in January at 00:00", "le 1 du mois en janvier à 00:00"},
		{"cron", "  5   4 * * * ", "every day at 04:05", "tous les jours à 04:05"},
		{"rrule", "FREQ=DAILY;BYSECOND=15", "every day at 08:30:15", "tous les jours à 08:30:15"},
		{"rrule", "FREQ=WEEKLY", "every Friday at 08:30", "chaque vendredi à 08:30"},
		{"rrule", "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "Monday to Friday at 08:30", "du lundi au vendredi à 08:30"},
		{"rrule", "FREQ=DAILY;BYHOUR=1,2,3,4,5", `by the rule "FREQ=DAILY;BYHOUR=1,2,3,4,5"`, "selon la règle « FREQ=DAILY;BYHOUR=1,2,3,4,5 »"},
		{"rrule", "FREQ=MONTHLY;BYMONTHDAY=-1", `by the rule "FREQ=MONTHLY;BYMONTHDAY=-1"`, "selon la règle « FREQ=MONTHLY;BYMONTHDAY=-1 »"},
		{"rrule", "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", `by the rule "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR"`,
			"selon la règle « FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR »"},
		{"rrule", "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1", `by the rule "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1"`,
			"selon la règle « FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1 »"},
		{"rrule", "FREQ=YEARLY;BYYEARDAY=100", `by the rule "FREQ=YEARLY;BYYEARDAY=100"`, "selon la règle « FREQ=YEARLY;BYYEARDAY=100 »"},
		{"rrule", "FREQ=MONTHLY;INTERVAL=2", "every 2 months, on day 2 of the month at 08:30", "tous les 2 mois, le 2 du mois à 08:30"},
		{"rrule", "FREQ=DAILY;BYMONTH=7,8", "every day in July and August at 08:30", "tous les jours en juillet et août à 08:30"},
		{"rrule", "FREQ=HOURLY;COUNT=5", "every hour from 2026-01-02 08:30, 5 times", "toutes les heures à partir du 2026-01-02 08:30, 5 fois"},
		{"rrule", "FREQ=MINUTELY;INTERVAL=120", "every 2 hours from 2026-01-02 08:30", "toutes les 2 heures à partir du 2026-01-02 08:30"},
		{"rrule", "FREQ=HOURLY;BYDAY=MO", `by the rule "FREQ=HOURLY;BYDAY=MO"`, "selon la règle « FREQ=HOURLY;BYDAY=MO »"},
		{"rrule", "FREQ=DAILY;UNTIL=20260701T060000Z", "every day at 08:30, until 2026-07-01 08:00",
			"tous les jours à 08:30, jusqu'au 2026-07-01 08:00"},
		{"interval", "1h", "every hour from 2026-01-02 08:30", "toutes les heures à partir du 2026-01-02 08:30"},
		{"interval", "90s", "every 90 seconds from 2026-01-02 08:30", "toutes les 90 secondes à partir du 2026-01-02 08:30"},
		{"once", "2026-03-29", "once, on 2026-03-29 at 00:00", "une fois, le 2026-03-29 à 00:00"},
	} {
		s := domainSchedule(c.kind, c.expression, "Europe/Paris", "2026-01-02T08:30:00")
		for language, want := range map[string]string{"en": c.en, "fr": c.fr, "de": c.en, "": c.en} {
			if got := inWords(s, language); got != want+" (Europe/Paris)" {
				t.Errorf("%s in %q: %s, want %s", c.expression, language, got, want)
			}
		}
	}
}

// TestBothLanguagesSayAll: no word is missing, and a form takes the same values in both.
func TestBothLanguagesSayAll(t *testing.T) {
	forms := func(w *words) []string {
		list := []string{
			w.and, w.or, w.at, w.in, w.everyDay, w.weekdays, w.once, w.from, w.quoted, w.atMinute, w.daysOfMonth,
			w.count, w.until, w.onDays, w.forward, w.back, w.skipped, w.twice,
		}
		return append(append(append(append(list, w.days[:]...), w.months[:]...), w.one[:]...), w.many[:]...)
	}
	en, fr := forms(&english), forms(&french)
	for i := range en {
		if en[i] == "" || fr[i] == "" || strings.Count(en[i], "%s") != strings.Count(fr[i], "%s") ||
			strings.Count(en[i], "%d") != strings.Count(fr[i], "%d") {
			t.Errorf("%q and %q", en[i], fr[i])
		}
	}
}

// TestPreviewRefuses what Parse refuses, and shows no more than it is asked for.
func TestPreviewRefuses(t *testing.T) {
	made := utc(t, "2026-05-04T12:00:30Z")
	for name, s := range map[string]automation.Schedule{
		"an unknown zone": domainSchedule("interval", "1h", "Nowhere", ""),
		"no zone":         domainSchedule("rrule", "FREQ=DAILY", "", ""),
		"no expression":   domainSchedule("cron", " ", "UTC", ""),
		"an unknown type": domainSchedule("weekly", "x", "UTC", ""),
		"never":           domainSchedule("cron", "0 0 30 2 *", "UTC", ""),
	} {
		if p, err := Preview(s, made, 3, "en"); domain.ErrorCode(err) != domain.CodeInvalid || p != nil {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		if got := inWords(s, "en"); got != "" {
			t.Errorf("%s is said as %q", name, got)
		}
	}
	for _, count := range []int{-1, 0, 1, 3} {
		p, err := Preview(domainSchedule("interval", "1h", "UTC", ""), made, count, "en")
		if err != nil || len(p.Next) != max(count, 0) || p.Description != "every hour from 2026-05-04 12:00 (UTC)" {
			t.Errorf("of %d: %+v, %v", count, p, err)
		}
	}
}

// TestNotes covers the notes for people about clock changes, rule by rule.
func TestNotes(t *testing.T) {
	const forward, back = "Clocks go forward from 02:00 to 03:00.", "Clocks go back from 03:00 to 02:00."
	for _, c := range []struct{ kind, expression, zone, at, want string }{
		{"cron", "30 2 * * *", "Europe/Paris", "2026-03-29T01:30:00Z", forward + " 02:30 does not exist: it runs at 03:30."},
		{"rrule", "FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "Europe/Paris",
			"2026-03-29T01:30:00Z", forward + " 02:30 does not exist: it runs at 03:30."},
		{"cron", "30 2,3 * * *", "Europe/Paris", "2026-03-29T01:30:00Z", forward},
		{"cron", "30 3 * * *", "Europe/Paris", "2026-03-29T01:30:00Z", forward},
		{"cron", "0 1 * * *", "Europe/Paris", "2026-03-29T00:00:00Z", forward},
		{"cron", "30 2 * * *", "Europe/Paris", "2026-10-25T00:30:00Z", back + " 02:30 comes twice: it runs the first time."},
		{"cron", "0 2 * * *", "Europe/Paris", "2026-10-25T00:00:00Z", back + " 02:00 comes twice: it runs the first time."},
		{"cron", "59 1 * * *", "Europe/Paris", "2026-10-24T23:59:00Z", back},
		{"cron", "0 3 * * *", "Europe/Paris", "2026-10-25T02:00:00Z", back},
		{"interval", "1h", "Europe/Paris", "2026-10-25T00:30:00Z", back},
		{"cron", "0 12 * * *", "Europe/Paris", "2026-03-28T11:00:00Z", ""},
		{"cron", "0 12 * * *", "Europe/Paris", "2026-03-30T10:00:00Z", ""},
		{"cron", "0 12 * * *", "UTC", "2026-03-29T12:00:00Z", ""},
		{"cron", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T15:45:00Z",
			"Clocks go forward from 02:00 to 02:30. 02:15 does not exist: it runs at 02:45."},
		{"cron", "0 0 * * *", "Asia/Beirut", "2026-03-28T22:00:00Z",
			"Clocks go forward from 00:00 to 01:00. 00:00 does not exist: it runs at 01:00."},
		{"cron", "0 23 * * *", "Asia/Beirut", "2026-03-28T21:00:00Z", "Clocks go forward from 00:00 to 01:00."},
	} {
		p := plan(t, c.kind, c.expression, c.zone, "2020-01-01T00:30:00")
		if got := p.note(utc(t, c.at).Unix(), &english); got != c.want {
			t.Errorf("%s in %s at %s: %q, want %q", c.expression, c.zone, c.at, got, c.want)
		}
	}
}

// TestResolve: a local time that exists twice is its first time, and one that does not
// exist is read with the offset before the gap.
func TestResolve(t *testing.T) {
	for _, c := range []struct{ zone, wall, want string }{
		{"UTC", "2026-03-29T02:30:00Z", "2026-03-29T02:30:00Z"},
		{"Europe/Paris", "2026-03-29T01:59:59Z", "2026-03-29T00:59:59Z"},
		{"Europe/Paris", "2026-03-29T02:00:00Z", "2026-03-29T01:00:00Z"},
		{"Europe/Paris", "2026-03-29T02:30:00Z", "2026-03-29T01:30:00Z"},
		{"Europe/Paris", "2026-03-29T03:00:00Z", "2026-03-29T01:00:00Z"},
		{"Europe/Paris", "2026-10-25T02:00:00Z", "2026-10-25T00:00:00Z"},
		{"Europe/Paris", "2026-10-25T02:59:59Z", "2026-10-25T00:59:59Z"},
		{"Europe/Paris", "2026-10-25T03:00:00Z", "2026-10-25T02:00:00Z"},
		{"America/New_York", "2026-03-08T02:30:00Z", "2026-03-08T07:30:00Z"},
		{"America/New_York", "2026-11-01T01:30:00Z", "2026-11-01T05:30:00Z"},
		{"Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T20:00:00Z"},
		{"Asia/Kathmandu", "2026-05-04T05:45:00Z", "2026-05-04T00:00:00Z"},
	} {
		zone, err := loadZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Unix(resolve(zone, utc(t, c.wall).Unix()), 0).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s in %s is %s, want %s", c.wall, c.zone, got, c.want)
		}
	}
}
