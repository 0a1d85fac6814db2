package handlers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// TestAListOfEventsHasNoSilentGap: a number of the future, and one behind which events
// are not stored any more, are refused; the start of what there is is not.
func TestAListOfEventsHasNoSilentGap(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	newest := w.newest(t)
	for _, path := range []string{"/v1/events", "/v1/sessions/ses_1/events"} {
		c.want(200, "GET", fmt.Sprintf("%s?after=%d", path, newest), "")
		for _, after := range []int64{newest + 1, 1 << 60} {
			at, code, _ := fieldError(t, c.do("GET", fmt.Sprintf("%s?after=%d", path, after), ""))
			if at != "/after" || code != "of_the_future" {
				t.Errorf("%s after %d: %s %s", path, after, at, code)
			}
		}
	}
	// The log is pruned: of the story only the events of sessions that live are left.
	if err := w.Store.Events.PruneEvents(t.Context(), worldTime.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	kept, _, err := w.Store.Events.Events(t.Context(), domain.DefaultWorkspace, "", 0, domain.PageSize{Rows: 200})
	if err != nil || len(kept) < 2 || len(kept) > int(newest)-2 {
		t.Fatalf("%d events of %d are left: %v", len(kept), newest, err)
	}
	c.want(201, "POST", "/v1/zones", `{"name":"Later"}`)
	for after := range newest + 2 {
		status := 422
		if after == 0 || after >= newest || slices.ContainsFunc(kept, func(e *domain.LogEvent) bool { return e.Seq == after }) {
			status = 200
		}
		got := c.want(status, "GET", fmt.Sprintf("/v1/events?after=%d", after), "")
		if status == 200 {
			continue
		}
		if at, code, _ := fieldError(t, got); at != "/after" || code != "not_stored" {
			t.Errorf("after %d: %s", after, got.text)
		}
	}
}
