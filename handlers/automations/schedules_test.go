package automations_test

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestPreviewOfASchedule: five from now on unless said otherwise, a note only where
// there is one, and mistakes with a pointer into the request.
func TestPreviewOfASchedule(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	got := c.Want(200, "POST", "/v1/schedules/preview", `{"schedule":{"type":"interval","expression":"1h","time_zone":"UTC","starts_at":"2026-01-01T00:00:00"}}`)
	for _, part := range []string{`"description":"every hour from 2026-01-01 00:00`, `"at":"2026-03-02T17:00:00.000Z"`} {
		if !strings.Contains(got.Text, part) {
			t.Errorf("%s is missing in %s", part, got.Text)
		}
	}
	if n := strings.Count(got.Text, `"at":`); n != 5 || strings.Contains(got.Text, `"note":`) {
		t.Errorf("%d occurrences: %s", n, got.Text)
	}
	got = c.Want(200, "POST", "/v1/schedules/preview", `{"schedule":{"type":"interval","expression":"1h","time_zone":"UTC"},"count":1,"after":"2026-05-04T08:00:00+02:00"}`)
	if !strings.Contains(got.Text, `"at":"2026-05-04T07:00:00.000Z"`) || strings.Count(got.Text, `"at":`) != 1 {
		t.Errorf("after: %s", got.Text)
	}
	got = c.Want(200, "POST", "/v1/schedules/preview", `{"schedule":{"type":"cron","expression":"30 2 * * *","time_zone":"Europe/Paris"},"count":3,"after":"2026-03-27T12:00:00Z"}`)
	if strings.Count(got.Text, `"at":`) != 3 || strings.Count(got.Text, `"note":`) != 1 {
		t.Errorf("the night of summer time has its note: %s", got.Text)
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
		if got := c.Want(422, "POST", "/v1/schedules/preview", body); !strings.Contains(got.Text, `"pointer":"`+pointer) {
			t.Errorf("%s: %s", body, got.Text)
		}
	}
}
