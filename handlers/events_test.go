package handlers

import (
	"fmt"
	"testing"
)

// TestAListOfEventsHasNoSilentGap: a number of the future, and one behind which events
// are not stored any more, are refused; the start of what there is is not.
func TestAListOfEventsHasNoSilentGap(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	newest := w.events[len(w.events)-1].Seq
	for _, path := range []string{"/v1/events", "/v1/sessions/ses_1/events"} {
		c.want(200, "GET", fmt.Sprintf("%s?after=%d", path, newest), "")
		for _, after := range []int64{newest + 1, 1 << 60} {
			at, code, _ := fieldError(t, c.do("GET", fmt.Sprintf("%s?after=%d", path, after), ""))
			if at != "/after" || code != "of_the_future" {
				t.Errorf("%s after %d: %s %s", path, after, at, code)
			}
		}
	}
	// The log is pruned: of events 1 to 100 number 50 is left, of a session that lives.
	for i, e := range w.events {
		e.Seq = int64(100 + i)
	}
	w.events[0].Seq, w.oldest = 50, 101
	for after, status := range map[int]int{0: 200, 50: 200, 100: 200, 101: 200, 1: 422, 49: 422, 51: 422, 99: 422} {
		got := c.want(status, "GET", fmt.Sprintf("/v1/events?after=%d", after), "")
		if status == 200 {
			continue
		}
		if at, code, _ := fieldError(t, got); at != "/after" || code != "not_stored" {
			t.Errorf("after %d: %s", after, got.text)
		}
	}
}
