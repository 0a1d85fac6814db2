package events_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestAListOfEventsHasNoSilentGap: a number of the future, and one behind which events
// are not stored any more, are refused; the start of what there is is not.
func TestAListOfEventsHasNoSilentGap(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	newest := w.Newest(t)
	for _, path := range []string{"/v1/events", "/v1/sessions/ses_1/events"} {
		c.Want(200, "GET", fmt.Sprintf("%s?after=%d", path, newest), "")
		for _, after := range []int64{newest + 1, 1 << 60} {
			at, code, _ := servertest.FieldError(t, c.Do("GET", fmt.Sprintf("%s?after=%d", path, after), ""))
			if at != "/after" || code != "of_the_future" {
				t.Errorf("%s after %d: %s %s", path, after, at, code)
			}
		}
	}
	// The log is pruned: of the story only the events of sessions that live are left.
	if err := w.Store.Events.PruneEvents(t.Context(), servertest.WorldTime.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	kept, _, err := w.Store.Events.Events(t.Context(), domain.DefaultWorkspace, "", 0, domain.PageSize{Rows: 200})
	if err != nil || len(kept) < 2 || len(kept) > int(newest)-2 {
		t.Fatalf("%d events of %d are left: %v", len(kept), newest, err)
	}
	c.Want(201, "POST", "/v1/zones", `{"name":"Later"}`)
	for after := range newest + 2 {
		status := 422
		if after == 0 || after >= newest || slices.ContainsFunc(kept, func(e *domain.LogEvent) bool { return e.Seq == after }) {
			status = 200
		}
		got := c.Want(status, "GET", fmt.Sprintf("/v1/events?after=%d", after), "")
		if status == 200 {
			continue
		}
		if at, code, _ := servertest.FieldError(t, got); at != "/after" || code != "not_stored" {
			t.Errorf("after %d: %s", after, got.Text)
		}
	}
}

func TestTheLogAsAList(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	log, _, err := w.Store.Events.Events(t.Context(), domain.DefaultWorkspace, "ses_1", 0, domain.PageSize{Rows: 1})
	if err != nil {
		t.Fatal(err)
	}
	first, newest := log[0], w.Newest(t)
	got := c.Want(200, "GET", "/v1/sessions/ses_1/events?limit=1", "")
	servertest.Equal(t, "cursor", got.Body["next_cursor"], fmt.Sprint(first.Seq))
	event := got.Body["data"].([]any)[0].(map[string]any)
	var data any
	if err := json.Unmarshal(api.TypedEvent("session.created", first.Data), &data); err != nil {
		t.Fatal(err)
	}
	servertest.Equal(t, "data", event["data"], data)
	servertest.Equal(t, "numbers", []any{event["seq"], event["session_seq"], event["at"]}, []any{float64(first.Seq), 1.0, "2026-03-02T12:00:00.123Z"})
	got = c.Want(200, "GET", "/v1/events?types=session.created&limit=2", "")
	servertest.Equal(t, "a page may be empty", []any{len(got.Body["data"].([]any)), got.Body["next_cursor"]}, []any{0, "2"})
	for filter, messages := range map[string]int{"": 0, "&sessions=ses_1": 5, "&sessions=*": 6} {
		types := map[string]int{}
		for _, e := range c.Want(200, "GET", "/v1/events?after=0&limit=200"+filter, "").Body["data"].([]any) {
			event := e.(map[string]any)
			types[event["type"].(string)]++
			if own := event["type"] == "data.changed"; own != (event["session_seq"] == nil) && own {
				t.Errorf("what is the workspace's own has the number %v of a session", event["session_seq"])
			}
		}
		servertest.Equal(t, "messages in "+filter, types["message.created"], messages)
		servertest.Equal(t, "sessions in "+filter, types["session.created"], 2) // and that of the SEED
	}
	c.Want(404, "GET", "/v1/events?sessions=ses_none", "")
	servertest.Equal(t, "at the end", len(c.Want(200, "GET", fmt.Sprintf("/v1/events?after=%d", newest), "").Body["data"].([]any)), 0)
	c.Want(422, "GET", fmt.Sprintf("/v1/events?after=%d", newest+1), "") // a client must not wait forever for an event that never existed
	c.Want(422, "GET", fmt.Sprintf("/v1/sessions/ses_1/events?after=%d", newest+1), "")
	for _, bad := range []string{"-1", "x", "1.5", "99999999999999999999"} {
		c.Want(422, "GET", "/v1/sessions/ses_1/events?after="+bad, "")
	}
}
