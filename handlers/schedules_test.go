package handlers

import (
	"strings"
	"testing"
)

// TestPreviewOfASchedule: five from now on unless said otherwise, a note only where
// there is one, and mistakes with a pointer into the request.
func TestPreviewOfASchedule(t *testing.T) {
	c := newWorld(t).serve(t)
	got := c.want(200, "POST", "/v1/schedules/preview", `{"schedule":{"type":"interval","expression":"1h","time_zone":"UTC","starts_at":"2026-01-01T00:00:00"}}`)
	for _, part := range []string{`"description":"every hour from 2026-01-01 00:00`, `"at":"2026-03-02T17:00:00.000Z"`} {
		if !strings.Contains(got.text, part) {
			t.Errorf("%s is missing in %s", part, got.text)
		}
	}
	if n := strings.Count(got.text, `"at":`); n != 5 || strings.Contains(got.text, `"note":`) {
		t.Errorf("%d occurrences: %s", n, got.text)
	}
	got = c.want(200, "POST", "/v1/schedules/preview", `{"schedule":{"type":"interval","expression":"1h","time_zone":"UTC"},"count":1,"after":"2026-05-04T08:00:00+02:00"}`)
	if !strings.Contains(got.text, `"at":"2026-05-04T07:00:00.000Z"`) || strings.Count(got.text, `"at":`) != 1 {
		t.Errorf("after: %s", got.text)
	}
	got = c.want(200, "POST", "/v1/schedules/preview", `{"schedule":{"type":"cron","expression":"30 2 * * *","time_zone":"Europe/Paris"},"count":3,"after":"2026-03-27T12:00:00Z"}`)
	if strings.Count(got.text, `"at":`) != 3 || strings.Count(got.text, `"note":`) != 1 {
		t.Errorf("the night of summer time has its note: %s", got.text)
	}
	for body, pointer := range map[string]string{
		`{}`: "/schedule",
		`{"schedule":{"type":"weekly","expression":"x","time_zone":"UTC"}}`:             "/schedule/type",
		`{"schedule":{"type":"cron","expression":" ","time_zone":"UTC"}}`:               "/schedule/expression",
		`{"schedule":{"type":"cron","expression":"refused","time_zone":"UTC"}}`:         "/schedule/expression",
		`{"schedule":{"type":"cron","expression":"x","time_zone":"UTC","zone":"UTC"}}`:  "/schedule/zone",
		`{"schedule":{"type":"cron","expression":"x","time_zone":"UTC"},"count":0}`:     "/count",
		`{"schedule":{"type":"cron","expression":"x","time_zone":"UTC"},"count":101}`:   "/count",
		`{"schedule":{"type":"cron","expression":"x","time_zone":"UTC"},"after":"now"}`: "/after",
	} {
		if got := c.want(422, "POST", "/v1/schedules/preview", body); !strings.Contains(got.text, `"pointer":"`+pointer) {
			t.Errorf("%s: %s", body, got.text)
		}
	}
}
