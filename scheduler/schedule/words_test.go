package schedule

import (
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/domain/automation"
)

// TestWords: the usual schedules are said in words, the others are quoted.
// inWords is what people read; empty for what cannot be parsed.
func inWords(s automation.Schedule, language string) string {
	p, err := Parse(s)
	if err != nil {
		return ""
	}
	return p.words(s.Expression, languageOf(language))
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ kind, expression, en, fr string }{
		{"cron", "30 7 * * *", "every day at 07:30", "tous les jours à 07:30"},
		{"cron", "0 9,18 * * 1-5", "Monday to Friday at 09:00 and 18:00", "du lundi au vendredi à 09:00 et 18:00"},
		{"cron", "0 8 * * sat,sun", "every Sunday and Saturday at 08:00", "chaque dimanche et samedi à 08:00"},
		{"cron", "0 0 1,15 * *", "on day 1 and 15 of the month at 00:00", "le 1 et 15 du mois à 00:00"},
		{"cron", "0 0 13 * 5", "on day 13 of the month, or every Friday at 00:00", "le 13 du mois, ou chaque vendredi à 00:00"},
		{"cron", "0 6 * mar,apr *", "every day in March and April at 06:00", "tous les jours en mars et avril à 06:00"},
		{"cron", "*/15 * * * *", "every 15 minutes", "toutes les 15 minutes"},
		{"cron", "* * * * *", "every minute", "toutes les minutes"},
		{"cron", "5 * * * 0", "every hour at minute 05, every Sunday", "toutes les heures à la minute 05, chaque dimanche"},
		{"cron", "@hourly", "every hour at minute 00", "toutes les heures à la minute 00"},
		{"cron", "*/7 8-18 * * *", `by the rule "*/7 8-18 * * *"`, "selon la règle « */7 8-18 * * * »"},
		{"rrule", "FREQ=DAILY", "every day at 08:30", "tous les jours à 08:30"},
		{"rrule", "FREQ=DAILY;INTERVAL=3;BYHOUR=7;BYMINUTE=0;COUNT=10", "every 3 days at 07:00, 10 times", "tous les 3 jours à 07:00, 10 fois"},
		{"rrule", "FREQ=WEEKLY;BYDAY=MO,FR", "every Monday and Friday at 08:30", "chaque lundi et vendredi à 08:30"},
		{"rrule", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;UNTIL=20261231", "every 2 weeks, every Monday at 08:30, until 2026-12-31 23:59", "toutes les 2 semaines, chaque lundi à 08:30, jusqu'au 2026-12-31 23:59"},
		{"rrule", "FREQ=MONTHLY;BYMONTHDAY=5", "on day 5 of the month at 08:30", "le 5 du mois à 08:30"},
		{"rrule", "FREQ=YEARLY", "every year, on day 2 of the month in January at 08:30", "tous les ans, le 2 du mois en janvier à 08:30"},
		{"rrule", "FREQ=HOURLY;INTERVAL=6", "every 6 hours from 2026-01-02 08:30", "toutes les 6 heures à partir du 2026-01-02 08:30"},
		{"rrule", "FREQ=MONTHLY;BYDAY=-1FR", `by the rule "FREQ=MONTHLY;BYDAY=-1FR"`, "selon la règle « FREQ=MONTHLY;BYDAY=-1FR »"},
		{"interval", "90m", "every 90 minutes from 2026-01-02 08:30", "toutes les 90 minutes à partir du 2026-01-02 08:30"},
		{"interval", "P1D", "every 24 hours from 2026-01-02 08:30", "toutes les 24 heures à partir du 2026-01-02 08:30"},
		{"once", "2026-03-29T02:30:00", "once, on 2026-03-29 at 02:30", "une fois, le 2026-03-29 à 02:30"},
	} {
		s := domainSchedule(c.kind, c.expression, "Europe/Paris", "2026-01-02T08:30:00")
		if got := inWords(s, "en"); got != c.en+" (Europe/Paris)" {
			t.Errorf("%s: %s", c.expression, got)
		}
		if got := inWords(s, "fr"); got != c.fr+" (Europe/Paris)" {
			t.Errorf("%s: %s", c.expression, got)
		}
	}
	if got := inWords(automation.Schedule{Type: "cron", Expression: "?", TimeZone: "UTC"}, "en"); got != "" {
		t.Errorf("what cannot be read is said as %q", got)
	}
}

// TestPreview: the notes stand on the days when clocks change, and only there.
func TestPreview(t *testing.T) {
	for _, c := range []struct {
		kind, expression, zone, after, language string
		want                                    string
	}{
		{"cron", "30 2 * * *", "Europe/Paris", "2026-03-28T12:00:00Z", "en",
			"[2026-03-29T03:30:00+02:00 Clocks go forward from 02:00 to 03:00. 02:30 does not exist: it runs at 03:30.] [2026-03-30T02:30:00+02:00 ]"},
		{"cron", "30 2 * * *", "Europe/Paris", "2026-10-24T12:00:00Z", "en",
			"[2026-10-25T02:30:00+02:00 Clocks go back from 03:00 to 02:00. 02:30 comes twice: it runs the first time.] [2026-10-26T02:30:00+01:00 ]"},
		{"cron", "0 20 * * *", "Europe/Paris", "2026-03-28T12:00:00Z", "fr",
			"[2026-03-28T20:00:00+01:00 ] [2026-03-29T20:00:00+02:00 L'heure avance de 02:00 à 03:00.]"},
		{"cron", "30 2,3 * * *", "Europe/Paris", "2026-03-28T12:00:00Z", "fr",
			"[2026-03-29T03:30:00+02:00 L'heure avance de 02:00 à 03:00.] [2026-03-30T02:30:00+02:00 ]"},
		{"cron", "0 * * * *", "Europe/Paris", "2026-10-25T00:30:00Z", "en",
			"[2026-10-25T02:00:00+01:00 Clocks go back from 03:00 to 02:00.] [2026-10-25T03:00:00+01:00 Clocks go back from 03:00 to 02:00.]"},
		{"once", "2026-03-29T02:30:00", "Europe/Paris", "2026-01-01T00:00:00Z", "fr",
			"[2026-03-29T03:30:00+02:00 L'heure avance de 02:00 à 03:00. 02:30 n'existe pas : exécution à 03:30.]"},
		{"cron", "0 10 * * *", "Pacific/Apia", "2011-12-30T09:00:00Z", "en",
			"[2011-12-31T10:00:00+14:00 Clocks go forward from 2011-12-30 00:00 to 2011-12-31 00:00.] [2012-01-01T10:00:00+14:00 ]"},
		{"interval", "12h", "Europe/Paris", "2026-03-28T12:31:42Z", "en",
			"[2026-03-29T01:31:00+01:00 Clocks go forward from 02:00 to 03:00.] [2026-03-29T14:31:00+02:00 Clocks go forward from 02:00 to 03:00.]"},
		{"once", "2020-01-01", "UTC", "2026-01-01T00:00:00Z", "en", ""},
	} {
		list, err := Preview(domainSchedule(c.kind, c.expression, c.zone, ""), utc(t, c.after), 2, c.language)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, o := range list.Next {
			if o.At.In(utc(t, o.Local).Location()).Format("2006-01-02T15:04:05Z07:00") != o.Local {
				t.Errorf("%s is not %s", o.At, o.Local)
			}
			if i > 0 {
				got += " "
			}
			got += fmt.Sprintf("[%s %s]", o.Local, o.Note)
		}
		if got != c.want {
			t.Errorf("%s in %s:\n %s, want\n %s", c.expression, c.zone, got, c.want)
		}
	}
	list, err := Preview(domainSchedule("cron", "* * * * *", "UTC", ""), utc(t, "2026-01-01T00:00:00Z"), 1000, "en")
	if err != nil || len(list.Next) != MaxPreview {
		t.Errorf("%d, %v", len(list.Next), err)
	}
}
