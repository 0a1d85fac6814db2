package schedule

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// TestWhatRRulesName: the instants that a rule gives from Thursday 1 January 2026 08:30 on.
func TestWhatRRulesName(t *testing.T) {
	for expression, want := range map[string]string{
		"FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=-1":               "01-02 08:30, 01-09 08:30, 01-16 08:30",
		"FREQ=WEEKLY;BYDAY=SU,MO;BYSETPOS=1":                   "01-05 08:30, 01-12 08:30, 01-19 08:30",
		"FREQ=WEEKLY;WKST=SU;BYDAY=SU,MO;BYSETPOS=1":           "01-04 08:30, 01-11 08:30, 01-18 08:30",
		"FREQ=DAILY;BYHOUR=8,12,18;BYSETPOS=2":                 "01-01 12:30, 01-02 12:30, 01-03 12:30",
		"FREQ=DAILY;BYHOUR=8,12,18;BYSETPOS=-1,1":              "01-01 08:30, 01-01 18:30, 01-02 08:30",
		"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1":        "01-30 08:30, 02-27 08:30, 03-31 08:30",
		"FREQ=MONTHLY;BYDAY=2TU":                               "01-13 08:30, 02-10 08:30, 03-10 08:30",
		"FREQ=MONTHLY;BYDAY=-1SU":                              "01-25 08:30, 02-22 08:30, 03-29 08:30",
		"FREQ=MONTHLY;BYMONTHDAY=-1":                           "01-31 08:30, 02-28 08:30, 03-31 08:30",
		"FREQ=MONTHLY;BYMONTHDAY=31":                           "01-31 08:30, 03-31 08:30, 05-31 08:30",
		"FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR":                  "02-13 08:30, 03-13 08:30, 11-13 08:30",
		"FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU":                     "03-29 08:30, 03-28 08:30, 03-26 08:30",
		"FREQ=YEARLY;BYYEARDAY=-1":                             "12-31 08:30, 12-31 08:30, 12-31 08:30",
		"FREQ=YEARLY;BYYEARDAY=60":                             "03-01 08:30, 03-01 08:30, 02-29 08:30",
		"FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO":                      "01-04 08:30, 01-03 08:30, 01-01 08:30",
		"FREQ=YEARLY;INTERVAL=2":                               "01-01 08:30, 01-01 08:30, 01-01 08:30",
		"FREQ=MONTHLY;INTERVAL=5":                              "01-01 08:30, 06-01 08:30, 11-01 08:30",
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO":           "01-04 08:30, 01-13 08:30, 01-18 08:30",
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU":           "01-11 08:30, 01-13 08:30, 01-25 08:30",
		"FREQ=DAILY;INTERVAL=10":                               "01-01 08:30, 01-11 08:30, 01-21 08:30",
		"FREQ=DAILY;BYMONTH=2":                                 "02-01 08:30, 02-02 08:30, 02-03 08:30",
		"FREQ=HOURLY;INTERVAL=5":                               "01-01 08:30, 01-01 13:30, 01-01 18:30",
		"FREQ=HOURLY;BYMINUTE=0,45":                            "01-01 08:45, 01-01 09:00, 01-01 09:45",
		"FREQ=HOURLY;BYMINUTE=0,20,40;BYSETPOS=-1":             "01-01 08:40, 01-01 09:40, 01-01 10:40",
		"FREQ=MINUTELY;INTERVAL=50":                            "01-01 08:30, 01-01 09:20, 01-01 10:10",
		"FREQ=MINUTELY;INTERVAL=30;BYHOUR=23":                  "01-01 23:00, 01-01 23:30, 01-02 23:00",
		"FREQ=HOURLY;BYHOUR=6;BYDAY=SU":                        "01-04 06:30, 01-11 06:30, 01-18 06:30",
		"freq=daily;byhour=7;byminute=5":                       "01-02 07:05, 01-03 07:05, 01-04 07:05",
		"FREQ=DAILY;BYHOUR=9,7,9;BYMINUTE=0":                   "01-01 09:00, 01-02 07:00, 01-02 09:00",
		"FREQ=DAILY;COUNT=2":                                   "01-01 08:30, 01-02 08:30",
		"FREQ=DAILY;COUNT=2;INTERVAL=3":                        "01-01 08:30, 01-04 08:30",
		"FREQ=DAILY;UNTIL=20260102T083000":                     "01-01 08:30, 01-02 08:30",
		"FREQ=DAILY;UNTIL=20260102T082959":                     "01-01 08:30",
		"FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;COUNT=1;BYHOUR=23": "01-01 23:30",
	} {
		p := plan(t, "rrule", expression, "UTC", "2026-01-01T08:30:00")
		var got []string
		for _, at := range p.Between(time.Time{}, utc(t, "2040-01-01T00:00:00Z"), 3) {
			got = append(got, at.Format("01-02 15:04"))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", expression, strings.Join(got, ", "), want)
		}
	}
}

// TestWhatRRulesRefuse: each rule of RFC 5545 that a text can break, and each bound.
func TestWhatRRulesRefuse(t *testing.T) {
	for expression, code := range map[string]string{
		"":                                        "required",
		"FREQ":                                    "rrule",
		"FREQ=":                                   "rrule",
		"INTERVAL=2":                              "rrule",
		"FREQ=DAILY;COUNT=-1":                     "rrule",
		"FREQ=DAILY;COUNT=1001":                   "out_of_range",
		"FREQ=DAILY;INTERVAL=10001":               "out_of_range",
		"FREQ=DAILY;WKST=XX":                      "rrule",
		"FREQ=DAILY;BYDAY=":                       "rrule",
		"FREQ=DAILY;BYDAY=MO,":                    "rrule",
		"FREQ=DAILY;BYDAY=MO TU":                  "rrule",
		"FREQ=DAILY;BYHOUR=8;BYHOUR=9":            "rrule",
		"FREQ=DAILY;BYMINUTE=60":                  "out_of_range",
		"FREQ=DAILY;BYMINUTE=-1":                  "out_of_range",
		"FREQ=DAILY;BYSECOND=60":                  "out_of_range",
		"FREQ=DAILY;BYSECOND=0,30":                "too_often",
		"FREQ=MONTHLY;BYMONTHDAY=0":               "out_of_range",
		"FREQ=MONTHLY;BYMONTHDAY=-32":             "out_of_range",
		"FREQ=YEARLY;BYMONTH=13":                  "out_of_range",
		"FREQ=YEARLY;BYYEARDAY=367":               "out_of_range",
		"FREQ=YEARLY;BYWEEKNO=54":                 "out_of_range",
		"FREQ=YEARLY;BYSETPOS=367":                "out_of_range",
		"FREQ=MONTHLY;BYYEARDAY=1":                "rrule",
		"FREQ=WEEKLY;BYYEARDAY=1":                 "rrule",
		"FREQ=DAILY;BYYEARDAY=1":                  "rrule",
		"FREQ=WEEKLY;BYDAY=1MO":                   "rrule",
		"FREQ=HOURLY;BYDAY=1MO":                   "rrule",
		"FREQ=YEARLY;BYWEEKNO=1;BYDAY=1":          "rrule",
		"FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO":        "rrule",
		"FREQ=DAILY;UNTIL=2026":                   "rrule",
		"FREQ=DAILY;UNTIL=20260230":               "rrule",
		"FREQ=DAILY;UNTIL=20260101T250000":        "rrule",
		"FREQ=DAILY;TZID=UTC":                     "start_inside",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30":     "never",
		"FREQ=DAILY;UNTIL=20260101T082959":        "never",
		"FREQ=HOURLY;INTERVAL=24;BYHOUR=9":        "never",
		"FREQ=MINUTELY;INTERVAL=60;BYMINUTE=15":   "never",
		"FREQ=DAILY;BYSETPOS=2;BYHOUR=8":          "never",
		"FREQ=YEARLY;BYMONTH=2;BYDAY=6MO;COUNT=1": "never",
	} {
		_, err := Parse(domainSchedule("rrule", expression, "UTC", "2026-01-01T08:30:00"))
		e, ok := errors.AsType[*domain.Error](err)
		if !ok || e.Fields[0].Code != code || e.Fields[0].Pointer != "/expression" {
			t.Errorf("%q: %v, want %s", expression, err, code)
		}
	}
}

// TestWhatCronRefuses beside the plainly wrong: ranges up to Sunday that cannot be read.
func TestWhatCronRefuses(t *testing.T) {
	for _, expression := range []string{
		"0 8 * * x-7", "0 8 * * abc-sun", "0 8 * * 8-7", "0 8 * * -1-7", "0 8 * * 1-7/0", "0 8 * * 1-7/x", "0 8 * * mon-sun/", "@", "@every",
		"@every 1h", "@never", "", "* * * *",
		"0 24 * * *", "0 8 0 * *", "0 8 32 * *", "0 8 * 13 *", "0 8 * jan-foo *", "5-1 8 * * *", "0 8 * * 1#2",
	} {
		if _, err := Parse(domainSchedule("cron", expression, "UTC", "")); domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%q: %v", expression, err)
		}
	}
	for field, want := range map[string]string{
		"7": "0", "1-7": "1,2,3,4,5,6,0", "sat-sun": "6,0", "sun-sun": "0,1,2,3,4,5,6,0", "7-7": "0", "0-7/7": "0,0", "5-7,7": "5,6,0,0",
		"mon-7/2": "1,3,5,0", "*": "*", "mon-fri": "mon-fri", "7/2": "0", "1-7/99": "1", "x-7": "x-7",
	} {
		if got := sundays(field); got != want {
			t.Errorf("%q is written %q, want %q", field, got, want)
		}
	}
}

// TestWhatIsQuotedBack is short, whatever was sent.
func TestWhatIsQuotedBack(t *testing.T) {
	long := strings.Repeat("é", 70)
	if got := clip(long); got != strings.Repeat("é", 60)+"…" || clip("short") != "short" ||
		clip(strings.Repeat("é", 60)) != strings.Repeat("é", 60) {
		t.Errorf("%q", got)
	}
	_, err := Parse(domainSchedule("cron", strings.Repeat("é", 500), "UTC", ""))
	if e, ok := errors.AsType[*domain.Error](err); !ok || e.Fields[0].Code != "cron" || len(fmt.Sprint(e)) > 600 {
		t.Errorf("%v", err)
	}
	if _, err = Parse(domainSchedule("cron", strings.Repeat("é", 501), "UTC", "")); !strings.Contains(fmt.Sprint(err), "500") {
		t.Errorf("%v", err)
	}
}

// TestBetween: after the one, up to and with the other, at most so many.
func TestBetween(t *testing.T) {
	p := plan(t, "cron", "0 * * * *", "UTC", "")
	for _, c := range []struct {
		after, until string
		limit, want  int
	}{
		{"08:00", "10:00", 10, 2}, {"07:59", "10:00", 10, 3}, {"08:00", "09:59", 10, 1}, {"08:00", "10:00", 1, 1},
		{"08:00", "10:00", 0, 0}, {"08:00", "08:00", 10, 0}, {"10:00", "08:00", 10, 0},
	} {
		if got := p.Between(clockAt(t, c.after), clockAt(t, c.until), c.limit); len(got) != c.want {
			t.Errorf("after %s, until %s, at most %d: %s", c.after, c.until, c.limit, got)
		}
	}
}
