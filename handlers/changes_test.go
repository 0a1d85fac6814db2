package handlers_test

import (
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

func TestNoChangeIsOverwrittenUnseen(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	etag := c.Want(200, "GET", "/v1/zones/zon_1", "").Header.Get("ETag")
	servertest.Equal(t, "tag", etag, `"3"`)
	for tag, status := range map[string]int{etag: 200, "W/" + etag: 412, "*": 200, `"2"`: 412, `"abc"`: 412, `"0"`: 412, `"-1"`: 412} {
		w := servertest.NewWorld(t)
		c := w.Serve(t)
		got := c.Want(status, "PATCH", "/v1/zones/zon_1", `{"name":"x"}`, "If-Match", tag)
		if status == 200 {
			servertest.Equal(t, "the new tag", got.Header.Get("ETag"), `"4"`)
			servertest.Equal(t, "the event", got.Header.Get("Fermata-Event-Seq"), fmt.Sprint(w.Newest(t)))
		} else {
			servertest.Equal(t, "code", got.Body["code"], "precondition_failed")
		}
	}
	c.Want(412, "DELETE", "/v1/documents/doc_1", "", "If-Match", `"1"`)
	c.Want(412, "PATCH", "/v1/providers/prv_1", `{"name":"x"}`, "If-Match", `"9"`)
	c.Want(412, "POST", "/v1/documents/doc_1/publish", "", "If-Match", `"9"`)
}

func TestListsThatAreReadWholeArePagedToo(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	after, seen := "", ""
	for range 3 {
		got := c.Want(200, "GET", "/v1/zones?limit=1"+after, "")
		seen += got.Body["data"].([]any)[0].(map[string]any)["id"].(string) + " "
		next, _ := got.Body["next_cursor"].(string)
		after = "&after=" + next
	}
	servertest.Equal(t, "pages", seen, "zon_1 zon_2 zon_3 ")
	servertest.Equal(t, "the end", after, "&after=")
	_, code, _ := servertest.FieldError(t, c.Do("GET", "/v1/zones?after=zon_none", ""))
	servertest.Equal(t, "a cursor of no list", code, "bad_cursor")
}

// Each cursor is a place in the order of its own list; in another's it would be a page
// that begins anywhere, mostly behind the end.
func TestACursorOfAnotherListIsRefused(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for _, made := range [][2]string{
		{"/v1/sessions", `{}`}, {"/v1/sessions", `{}`},
		{"/v1/documents", `{"key":"one","title":"One","body":"x"}`},
		{"/v1/tools/tol_1/entries", `{"data":{"value":1}}`}, {"/v1/tools/tol_1/entries", `{"data":{"value":2}}`},
		{"/v1/automations", `{"name":"a","seed":{"text":"x"}}`}, {"/v1/automations", `{"name":"b","seed":{"text":"x"}}`},
		{"/v1/automations/aut_1/grants", `{"commands":["CREATE_ZONE"],"max_per_run":1}`},
		{"/v1/automations/aut_1/grants", `{"commands":["CREATE_ZONE"],"max_per_run":2}`},
	} {
		c.Want(201, "POST", made[0], made[1])
	}
	lists := []string{"/v1/sessions", "/v1/zones", "/v1/documents", "/v1/tools/tol_1/entries", "/v1/automations", "/v1/automations/aut_1/grants"}
	asked := append([]string{"/v1/approvals", "/v1/tools", "/v1/tasks", "/v1/files", "/v1/occurrences", "/v1/documents/doc_1/versions"}, lists...)
	for _, list := range lists {
		cursor, _ := c.Want(200, "GET", list+"?limit=1", "").Body["next_cursor"].(string)
		if cursor == "" {
			t.Fatalf("%s has one page only", list)
		}
		for _, other := range asked {
			if other == list {
				c.Want(200, "GET", other+"?after="+cursor, "")
				continue
			}
			got := c.Do("GET", other+"?after="+cursor, "")
			servertest.Equal(t, "the cursor of "+list+" in "+other, got.Status, 422)
			at, code, _ := servertest.FieldError(t, got)
			servertest.Equal(t, "the cursor of "+list+" in "+other, at+" "+code, "/after bad_cursor")
		}
	}
}
