package handlers_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestMistakesOfTheDataKeepTheirPlace: what an enrichment's check finds points into the request.
func TestMistakesOfTheDataKeepTheirPlace(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	got := c.Do("POST", "/v1/sessions", `{"message":{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":{"tool_id":"x"}}}]}}`)
	at, _, _ := servertest.FieldError(t, got)
	servertest.Equal(t, "in a new session", at, "/message/segments/0/enrichment/config/tool_id")
	at, _, _ = servertest.FieldError(t, c.Do("POST", "/v1/tools/tol_1/entries", `{"data":{"value":"much"}}`))
	servertest.Equal(t, "in an entry", at, "/data/value")
	at, _, _ = servertest.FieldError(t, c.Do("POST", "/v1/tools/tol_1/entries/batch", `{"entries":[{"data":{"value":"much"}}]}`))
	servertest.Equal(t, "in a batch", at, "/entries/0/data/value")
	at, _, _ = servertest.FieldError(t, c.Do("GET", "/v1/search?q=*", ""))
	servertest.Equal(t, "in a search", at, "/q")
}

func TestUnknownFieldsAreNamedWithTheLikelyOne(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for body, want := range map[string]string{
		`{"txet":"a"}`:                                      `There is no field "txet". Did you mean "text"?`,
		`{"Text":"a"}`:                                      `There is no field "Text". Did you mean "text"?`,
		`{"text":"a","if_bussy":"steer"}`:                   `There is no field "if_bussy". Did you mean "if_busy"?`,
		`{"text":"a","ifBusy":"steer"}`:                     `There is no field "ifBusy". Did you mean "if_busy"?`,
		`{"text":"a","temperature":1}`:                      `There is no field "temperature".`,
		`{"text":"a","a/b~c":1}`:                            `There is no field "a/b~c".`,
		`{"text":"a","` + strings.Repeat("é", 200) + `":1}`: `There is no field "` + strings.Repeat("é", 59) + `…".`,
	} {
		if _, code, message := servertest.FieldError(t, c.Do("POST", "/v1/sessions/ses_1/messages", body)); message != want || code != "unknown_field" {
			t.Errorf("%.60s: %s %s", body, code, message)
		}
	}
	at, _, _ := servertest.FieldError(t, c.Do("POST", "/v1/sessions/ses_1/messages", `{"text":"a","a/b~c":1}`))
	servertest.Equal(t, "the pointer of a strange name", at, "/a~1b~0c")
}

// TestEveryMistakeIsReportedAtOnce verifies that all validation errors are reported together, so that a form need
// not be corrected one field at a time.
func TestEveryMistakeIsReportedAtOnce(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	got := c.Want(422, "POST", "/v1/tools", `{"name":3,"zone":"zon_1","config":{}}`)
	servertest.Equal(t, "shape", len(got.Body["errors"].([]any)), 2)
	got = c.Want(422, "POST", "/v1/tools", `{"name":" ","position":-1}`)
	servertest.Equal(t, "values", len(got.Body["errors"].([]any)), 4)
}

// TestANameStandsOnce: readers of JSON disagree which of two fields counts.
func TestANameStandsOnce(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	for _, body := range []string{
		`{"text":"first","text":"second"}`, `{"text":"a","te\u0078t":"b"}`,
		`{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":{"a":{"b":1,"b":1}}}}]}`,
	} {
		if got := c.Want(400, "POST", "/v1/sessions/ses_1/messages", body); got.Body["code"] != "repeated_name" {
			t.Errorf("%s: %s", body, got.Text)
		}
	}
	servertest.Equal(t, "what was asked", w.Seen.Count(), 0)
	servertest.Equal(t, "a webhook", c.Want(400, "POST", "/v1/hooks/aut_1/secret", `{"a":1,"a":1}`).Body["code"], "repeated_name")
}

func TestFiltersArriveAsTheyWereAsked(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	noCursor := func(path string) { // no store knows it; but it arrives
		t.Helper()
		at, code, _ := servertest.FieldError(t, c.Do("GET", path, ""))
		servertest.Equal(t, "what is wrong with "+path, at+" "+code, "/after bad_cursor")
	}
	noCursor("/v1/sessions?type=AUTOMATION&status=requires_action&automation_id=aut_1&q=run&in=messages&since=2026-03-01T00:00:00Z&limit=7&after=cur")
	servertest.Equal(t, "sessions", servertest.LastAsked[domain.SessionFilter](t, w), domain.SessionFilter{Type: domain.Run, Status: domain.StatusRequiresAction, AutomationID: "aut_1",
		Query: "run", InMessages: true, Since: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Limit: 7, Cursor: "cur"})
	noCursor("/v1/approvals?status=open&session_id=ses_1&kind=budget&limit=3&after=cur")
	servertest.Equal(t, "approvals", servertest.LastAsked[domain.ApprovalFilter](t, w), domain.ApprovalFilter{Status: domain.ApprovalStatusOpen, SessionID: "ses_1", Kind: domain.ApprovalBudget, Limit: 3, Cursor: "cur"})
	c.Want(200, "GET", "/v1/tools/tol_1/entries", "")
	servertest.Equal(t, "entries", servertest.LastAsked[userdata.EntryQuery](t, w), userdata.EntryQuery{
		EntryFilter: userdata.EntryFilter{ToolID: "tol_1", Limit: 50, Descending: true}, Where: json.RawMessage{}})
	c.Want(200, "GET", "/v1/tools/tol_1/entries?where=%7B%22value%22%3A1%7D&order_by=value&order=asc&fields=value", "")
	servertest.Equal(t, "a question to entries", servertest.LastAsked[userdata.EntryQuery](t, w), userdata.EntryQuery{
		EntryFilter: userdata.EntryFilter{ToolID: "tol_1", Limit: 50}, Where: json.RawMessage(`{"value":1}`), OrderBy: "value", Fields: []string{"value"}})
	noCursor("/v1/search?q=C%C5%93ur+%22l%C3%A9g*&kinds=note,+document,note&limit=7&after=cur")
	servertest.Equal(t, "search", servertest.LastAsked[userdata.SearchQuery](t, w), userdata.SearchQuery{Text: `Cœur "lég*`, Kinds: []userdata.SearchKind{userdata.SearchNotes, userdata.SearchDocuments}, Limit: 7, Cursor: "cur"})
	for _, path := range []string{"/v1/search", "/v1/search?q=", "/v1/search?q=a&kinds=notes", "/v1/search?q=a&kinds=note,", "/v1/search?q=a&limit=0", "/v1/search?q=a&limit=201", "/v1/sessions?type=chat", "/v1/sessions?status=busy", "/v1/sessions?q=a&in=thoughts", "/v1/sessions?since=yesterday", "/v1/approvals?status=closed", "/v1/approvals?kind=wish",
		"/v1/tools/tol_1/entries?order=up", "/v1/tools/tol_1/entries?from=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z",
		"/v1/tools/tol_1/entries/stats?group_by=year", "/v1/zones/zon_1?force=maybe"} {
		method := "GET"
		if strings.Contains(path, "force") {
			method = "DELETE"
		}
		c.Want(422, method, path, "")
	}
}
