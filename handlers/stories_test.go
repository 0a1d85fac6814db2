package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// lastAsked is what the handlers asked last, as the type that the story expects.
func lastAsked[T any](t *testing.T, w *world) T {
	t.Helper()
	v, ok := w.seen.last().(T)
	if !ok {
		t.Fatalf("what was asked is %#v", w.seen.last())
	}
	return v
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

// fieldError is the only error of a refusal.
func fieldError(t *testing.T, got reply) (pointer, code, message string) {
	t.Helper()
	list, _ := got.body["errors"].([]any)
	if got.status != 422 || len(list) != 1 {
		t.Fatalf("%d %s", got.status, got.text)
	}
	e := list[0].(map[string]any)
	return e["pointer"].(string), e["code"].(string), e["message"].(string)
}

// keyRoot is who calls in these stories.
var keyRoot = domain.Author{ID: "key_root", Role: domain.RoleRoot}

func TestAMessageIsSaidInAllItsForms(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	plain := domain.RichContent{LinearText: "hello", Segments: []domain.Segment{{Type: "text", Text: "hello"}}}

	c.want(201, "POST", "/v1/sessions", `{"name":"Running","message":"hello","provider_id":"prv_1","require_validation":true,"external_id":"mine"}`)
	equal(t, "a session with a text", lastAsked[domain.NewSession](t, w), domain.NewSession{Type: domain.Chat, Name: "Running", ProviderID: "prv_1",
		RequireValidation: true, ExternalID: "mine", By: "key_root", Message: &domain.NewMessage{Rich: plain, By: keyRoot}})
	c.want(201, "POST", "/v1/sessions", `{"message":{"text":"hello"}}`)
	equal(t, "a session with an object", lastAsked[domain.NewSession](t, w).Message.Rich, plain)
	c.want(201, "POST", "/v1/sessions", "", "Content-Type", "")
	equal(t, "a session without a body", lastAsked[domain.NewSession](t, w), domain.NewSession{Type: domain.Chat, By: "key_root"})

	c.want(200, "PATCH", "/v1/sessions/ses_1/messages/msg_3", `{"text":"other"}`)
	equal(t, "edited", lastAsked[domain.RichContent](t, w).LinearText, "other")
	got := c.want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"hello","if_busy":"enqueue"}`)
	equal(t, "event_seq", got.body["event_seq"], float64(w.newest(t)))

	c.want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"hello","if_busy":"interrupt"}`)
	equal(t, "a message", lastAsked[domain.NewMessage](t, w), domain.NewMessage{Rich: plain, By: keyRoot, IfBusy: domain.IfBusyInterrupt})
	c.want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"hello"}`)
	equal(t, "a message without if_busy", lastAsked[domain.NewMessage](t, w).IfBusy, domain.IfBusy(""))

	c.want(202, "POST", "/v1/sessions/ses_1/messages", `{"segments":[{"type":"text","text":"see "},{"type":"enrichment","enrichment":{"type":"USE","config":{"tool_id":"tol_1"}}}]}`)
	rich := lastAsked[domain.NewMessage](t, w).Rich
	equal(t, "computed", rich.LinearText, "see [data of “Running” in “Health”]")
	equal(t, "enrichment", rich.Segments[1].Enrichment,
		&domain.Enrichment{Type: domain.EnrichUse, Config: json.RawMessage(`{"tool_id":"tol_1"}`), Summary: "data of “Running” in “Health”"})
}

func TestMessagesThatAreNone(t *testing.T) {
	c := newWorld(t).serve(t)
	for body, pointer := range map[string]string{
		`{}`:                                        "/text",
		`{"text":"  \n"}`:                           "/text",
		`{"text":"a","segments":[]}`:                "/segments",
		`{"segments":[{"type":"text"}]}`:            "/segments/0/text",
		`{"segments":[{"type":"image"}]}`:           "/segments/0/type",
		`{"segments":[{"text":"a"}]}`:               "/segments/0/type",
		`{"segments":[{"type":"text","text":" "}]}`: "/segments",
		`{"segments":[{"type":"text","text":"a"},{"type":"enrichment"}]}`:                                     "/segments/1/enrichment",
		`{"segments":[{"type":"enrichment","enrichment":{"type":"LOOK","config":{}}}]}`:                       "/segments/0/enrichment/type",
		`{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":[]}}]}`:                        "/segments/0/enrichment/config",
		`{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":{},"confg":1}}]}`:              "/segments/0/enrichment/confg",
		`{"segments":[{"type":"enrichment","text":"a","enrichment":{"type":"USE","config":{}}}]}`:             "/segments/0/enrichment",
		`{"segments":[` + strings.Repeat(`{"type":"text","text":"a"},`, 200) + `{"type":"text","text":"a"}]}`: "/segments",
	} {
		got := c.do("POST", "/v1/sessions/ses_1/messages", body)
		if at, _, _ := fieldError(t, got); at != pointer {
			t.Errorf("%.80s: the error is at %s, not %s", body, at, pointer)
		}
		nested := c.do("POST", "/v1/sessions", `{"message":`+body+`}`)
		if at, _, _ := fieldError(t, nested); at != "/message"+pointer {
			t.Errorf("%.80s as a first message: the error is at %s", body, at)
		}
	}
}

// TestMistakesOfTheDataKeepTheirPlace: what an enrichment's check finds points into the request.
func TestMistakesOfTheDataKeepTheirPlace(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	got := c.do("POST", "/v1/sessions", `{"message":{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":{"tool_id":"x"}}}]}}`)
	at, _, _ := fieldError(t, got)
	equal(t, "in a new session", at, "/message/segments/0/enrichment/config/tool_id")
	at, _, _ = fieldError(t, c.do("POST", "/v1/tools/tol_1/entries", `{"data":{"value":"much"}}`))
	equal(t, "in an entry", at, "/data/value")
	at, _, _ = fieldError(t, c.do("POST", "/v1/tools/tol_1/entries/batch", `{"entries":[{"data":{"value":"much"}}]}`))
	equal(t, "in a batch", at, "/entries/0/data/value")
	at, _, _ = fieldError(t, c.do("GET", "/v1/search?q=*", ""))
	equal(t, "in a search", at, "/q")
}

func TestUnknownFieldsAreNamedWithTheLikelyOne(t *testing.T) {
	c := newWorld(t).serve(t)
	for body, want := range map[string]string{
		`{"txet":"a"}`:                                      `There is no field "txet". Did you mean "text"?`,
		`{"Text":"a"}`:                                      `There is no field "Text". Did you mean "text"?`,
		`{"text":"a","if_bussy":"steer"}`:                   `There is no field "if_bussy". Did you mean "if_busy"?`,
		`{"text":"a","ifBusy":"steer"}`:                     `There is no field "ifBusy". Did you mean "if_busy"?`,
		`{"text":"a","temperature":1}`:                      `There is no field "temperature".`,
		`{"text":"a","a/b~c":1}`:                            `There is no field "a/b~c".`,
		`{"text":"a","` + strings.Repeat("é", 200) + `":1}`: `There is no field "` + strings.Repeat("é", 59) + `…".`,
	} {
		if _, code, message := fieldError(t, c.do("POST", "/v1/sessions/ses_1/messages", body)); message != want || code != "unknown_field" {
			t.Errorf("%.60s: %s %s", body, code, message)
		}
	}
	at, _, _ := fieldError(t, c.do("POST", "/v1/sessions/ses_1/messages", `{"text":"a","a/b~c":1}`))
	equal(t, "the pointer of a strange name", at, "/a~1b~0c")
}

// TestEveryMistakeIsReportedAtOnce verifies that all validation errors are reported together, so that a form need
// not be corrected one field at a time.
func TestEveryMistakeIsReportedAtOnce(t *testing.T) {
	c := newWorld(t).serve(t)
	got := c.want(422, "POST", "/v1/tools", `{"name":3,"zone":"zon_1","config":{}}`)
	equal(t, "shape", len(got.body["errors"].([]any)), 2)
	got = c.want(422, "POST", "/v1/tools", `{"name":" ","position":-1}`)
	equal(t, "values", len(got.body["errors"].([]any)), 4)
}

// TestANameStandsOnce: readers of JSON disagree which of two fields counts.
func TestANameStandsOnce(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	for _, body := range []string{
		`{"text":"first","text":"second"}`, `{"text":"a","te\u0078t":"b"}`,
		`{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":{"a":{"b":1,"b":1}}}}]}`,
	} {
		if got := c.want(400, "POST", "/v1/sessions/ses_1/messages", body); got.body["code"] != "repeated_name" {
			t.Errorf("%s: %s", body, got.text)
		}
	}
	equal(t, "what was asked", w.seen.count(), 0)
	equal(t, "a webhook", c.want(400, "POST", "/v1/hooks/aut_1/secret", `{"a":1,"a":1}`).body["code"], "repeated_name")
}

func TestTextIsReadAsItIsWritten(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	c.want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"\ud83d\ude00 \\u0000 \\ud83d"}`)
	equal(t, "escaped", lastAsked[domain.NewMessage](t, w).Rich.LinearText, `😀 \u0000 \ud83d`)
}

func TestQueuedMessagesComeLastPageByPage(t *testing.T) {
	c := newWorld(t).serve(t)
	for order, want := range map[string][]string{"asc": {"msg_1", "msg_2", "msg_cancel", "msg_3", "msg_4"}, "desc": {"msg_4", "msg_3", "msg_cancel", "msg_2", "msg_1"}} {
		after := ""
		for i, id := range want {
			got := c.want(200, "GET", "/v1/sessions/ses_1/messages?limit=1&order="+order+after, "")
			list := got.body["data"].([]any)
			equal(t, "items", len(list), 1)
			one := list[0].(map[string]any)
			equal(t, "message", one["id"], id)
			waits := id == "msg_3" || id == "msg_4"
			equal(t, "a queued one has no number", []any{one["status"] == "queued", one["seq"] == nil}, []any{waits, waits})
			if last := got.body["next_cursor"] == nil; last != (i == len(want)-1) {
				t.Fatalf("%s, page %d: cursor %v", order, i+1, got.body["next_cursor"])
			} else if !last {
				after = "&after=" + got.body["next_cursor"].(string)
			}
		}
	}
	c.want(422, "GET", "/v1/sessions/ses_1/messages?order=up", "")
	c.want(422, "GET", "/v1/sessions/ses_1/messages?after=x", "")
}

func TestDecisionsArriveAsTheyWereMade(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	ses := "/v1/sessions/ses_1/"
	c.want(200, "POST", ses+"validation", `{"approved":true,"approval_id":"apr_1","approved_ids":["exe_1"],"edits":{"exe_1":{"name":"y"}},"comment":"go"}`)
	equal(t, "validation", lastAsked[domain.Decision](t, w), domain.Decision{ApprovalID: "apr_1", Approved: true, ApprovedIDs: []string{"exe_1"},
		Edits: map[string]json.RawMessage{"exe_1": json.RawMessage(`{"name":"y"}`)}, Comment: "go", By: keyRoot})
	w.wait(t, "ses_1", domain.Idle)
	c.want(202, "POST", ses+"messages", `{"text":"Ask me."}`)
	w.wait(t, "ses_1", domain.WaitingCommunicationResponse)
	c.want(422, "POST", ses+"response", `{"value":null}`) // it is one, and none of the choices
	equal(t, "a null answer is one", string(lastAsked[domain.Decision](t, w).Value), "null")
	c.want(422, "POST", ses+"response", `{"cancelled":true,"value":1}`)
	c.want(422, "POST", ses+"response", `{"cancelled":false}`)
	c.want(200, "POST", ses+"response", `{"cancelled":true}`)
	equal(t, "cancelled", lastAsked[domain.Decision](t, w), domain.Decision{Cancelled: true, By: keyRoot})
	c.want(200, "POST", ses+"stop", "")
	run := w.waitingRun(t, c)
	got := c.want(200, "POST", "/v1/sessions/"+run+"/completion", `{"confirmed":false,"comment":"no"}`)
	equal(t, "completion", lastAsked[domain.Decision](t, w), domain.Decision{Comment: "no", By: keyRoot})
	settled, _ := got.body["approval"].(map[string]any)
	equal(t, "its approval", []any{settled["kind"], settled["status"]}, []any{"completion", "refused"})
}

// waitingRun is a run that says it is done, and waits for a person to agree.
func (w *world) waitingRun(t *testing.T, c *testClient) string {
	t.Helper()
	c.want(200, "PATCH", "/v1/automations/aut_1", `{"completion":"ask"}`)
	run := c.want(202, "POST", "/v1/automations/aut_1/execute", "").body["session"].(map[string]any)["id"].(string)
	w.wait(t, run, domain.WaitingCompletionConfirmation)
	return run
}

func TestAnApprovalTakesWhatItsKindTakes(t *testing.T) {
	limit := 5.0
	for _, x := range []struct {
		kind domain.ApprovalKind
		body string
		want domain.Decision
		at   string // of the error, if there is one
	}{
		{domain.ApprovalActions, `{"approved":false,"comment":"no"}`, domain.Decision{Comment: "no"}, ""},
		{domain.ApprovalActions, `{"comment":"no"}`, domain.Decision{}, "/approved"},
		{domain.ApprovalActions, `{"approved":true,"value":1}`, domain.Decision{}, "/value"},
		{domain.ApprovalQuestion, `{"value":"km"}`, domain.Decision{Approved: true, Value: json.RawMessage(`"km"`)}, ""},
		{domain.ApprovalQuestion, `{"cancelled":true}`, domain.Decision{Cancelled: true}, ""},
		{domain.ApprovalQuestion, `{"approved":true}`, domain.Decision{}, "/approved"},
		{domain.ApprovalQuestion, `{}`, domain.Decision{}, "/value"},
		{domain.ApprovalBudget, `{"approved":true,"limit":5}`, domain.Decision{Approved: true, Limit: &limit}, ""},
		{domain.ApprovalBudget, `{"limit":5}`, domain.Decision{}, "/approved"},
		{domain.ApprovalCompletion, `{"confirmed":true}`, domain.Decision{Approved: true}, ""},
		{domain.ApprovalCompletion, `{"approved":true}`, domain.Decision{}, "/approved"},
		{domain.ApprovalOutcome, `{"outcome":"did_not"}`, domain.Decision{Outcome: "did_not"}, ""},
		{domain.ApprovalOutcome, `{"outcome":"happened"}`, domain.Decision{Approved: true, Outcome: "happened"}, ""},
		{domain.ApprovalPoisoned, `{"approved":true}`, domain.Decision{Approved: true}, ""},
		{domain.ApprovalPoisoned, `{"confirmed":true}`, domain.Decision{}, "/confirmed"},
		{domain.ApprovalClientCalls, `{"approved":false}`, domain.Decision{}, ""},
		{domain.ApprovalClientCalls, `{"results":[]}`, domain.Decision{}, "/results"},
	} {
		w := newWorld(t)
		c := w.serve(t)
		w.change(t, func(_ *domain.Session, change *domain.Change) {
			a, err := w.Store.Approvals.Approval(t.Context(), domain.DefaultWorkspace, "apr_1")
			if err != nil {
				t.Fatal(err)
			}
			a.Kind = x.kind
			change.Approvals = append(change.Approvals, a)
		})
		got := c.do("POST", "/v1/approvals/apr_1", x.body)
		if x.at != "" {
			if at, _, _ := fieldError(t, got); at != x.at {
				t.Errorf("%s %s: the error is at %s", x.kind, x.body, at)
			}
			continue
		}
		x.want.By = keyRoot
		equal(t, string(x.kind)+" "+x.body, lastAsked[domain.Decision](t, w), x.want)
	}
}

func TestAConflictSaysWhereTheSessionStands(t *testing.T) {
	c := newWorld(t).serve(t)
	got := c.want(409, "POST", "/v1/sessions/ses_1/response", `{"value":1}`)
	equal(t, "phase", got.body["phase"], "WAITING_VALIDATION")
	equal(t, "status", got.body["session_status"], "requires_action")
	equal(t, "no decision", got.body["decision"], nil)

	c.want(200, "POST", "/v1/sessions/ses_1/validation", `{"approved":true}`)
	testkit.Until(t, "the session is at rest", func() bool {
		return c.want(200, "GET", "/v1/sessions/ses_1", "").body["status"] == "idle"
	})
	got = c.want(409, "POST", "/v1/sessions/ses_1/validation", `{"approval_id":"apr_1","approved":false}`)
	equal(t, "phase", got.body["phase"], "IDLE")
	equal(t, "status", got.body["session_status"], "idle")
	decision, _ := got.body["decision"].(map[string]any)
	equal(t, "decision", decision["approved"], true)
}

func TestTheLogAsAList(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	log, _, err := w.Store.Events.Events(t.Context(), domain.DefaultWorkspace, "ses_1", 0, domain.PageSize{Rows: 1})
	if err != nil {
		t.Fatal(err)
	}
	first, newest := log[0], w.newest(t)
	got := c.want(200, "GET", "/v1/sessions/ses_1/events?limit=1", "")
	equal(t, "cursor", got.body["next_cursor"], fmt.Sprint(first.Seq))
	event := got.body["data"].([]any)[0].(map[string]any)
	var data any
	if err := json.Unmarshal(api.TypedEvent("session.created", first.Data), &data); err != nil {
		t.Fatal(err)
	}
	equal(t, "data", event["data"], data)
	equal(t, "numbers", []any{event["seq"], event["session_seq"], event["at"]}, []any{float64(first.Seq), 1.0, "2026-03-02T12:00:00.123Z"})
	got = c.want(200, "GET", "/v1/events?types=session.created&limit=2", "")
	equal(t, "a page may be empty", []any{len(got.body["data"].([]any)), got.body["next_cursor"]}, []any{0, "2"})
	for filter, messages := range map[string]int{"": 0, "&sessions=ses_1": 5, "&sessions=*": 6} {
		types := map[string]int{}
		for _, e := range c.want(200, "GET", "/v1/events?after=0&limit=200"+filter, "").body["data"].([]any) {
			event := e.(map[string]any)
			types[event["type"].(string)]++
			if own := event["type"] == "data.changed"; own != (event["session_seq"] == nil) && own {
				t.Errorf("what is the workspace's own has the number %v of a session", event["session_seq"])
			}
		}
		equal(t, "messages in "+filter, types["message.created"], messages)
		equal(t, "sessions in "+filter, types["session.created"], 2) // and that of the SEED
	}
	c.want(404, "GET", "/v1/events?sessions=ses_none", "")
	equal(t, "at the end", len(c.want(200, "GET", fmt.Sprintf("/v1/events?after=%d", newest), "").body["data"].([]any)), 0)
	c.want(422, "GET", fmt.Sprintf("/v1/events?after=%d", newest+1), "") // a client must not wait forever for an event that never existed
	c.want(422, "GET", fmt.Sprintf("/v1/sessions/ses_1/events?after=%d", newest+1), "")
	for _, bad := range []string{"-1", "x", "1.5", "99999999999999999999"} {
		c.want(422, "GET", "/v1/sessions/ses_1/events?after="+bad, "")
	}
}

func TestFiltersArriveAsTheyWereAsked(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	noCursor := func(path string) { // no store knows it; but it arrives
		t.Helper()
		at, code, _ := fieldError(t, c.do("GET", path, ""))
		equal(t, "what is wrong with "+path, at+" "+code, "/after bad_cursor")
	}
	noCursor("/v1/sessions?type=AUTOMATION&status=requires_action&automation_id=aut_1&q=run&in=messages&since=2026-03-01T00:00:00Z&limit=7&after=cur")
	equal(t, "sessions", lastAsked[domain.SessionFilter](t, w), domain.SessionFilter{Type: domain.Run, Status: domain.StatusRequiresAction, AutomationID: "aut_1",
		Query: "run", InMessages: true, Since: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Limit: 7, Cursor: "cur"})
	noCursor("/v1/approvals?status=open&session_id=ses_1&kind=budget&limit=3&after=cur")
	equal(t, "approvals", lastAsked[domain.ApprovalFilter](t, w), domain.ApprovalFilter{Status: domain.ApprovalStatusOpen, SessionID: "ses_1", Kind: domain.ApprovalBudget, Limit: 3, Cursor: "cur"})
	c.want(200, "GET", "/v1/tools/tol_1/entries", "")
	equal(t, "entries", lastAsked[userdata.EntryQuery](t, w), userdata.EntryQuery{
		EntryFilter: userdata.EntryFilter{ToolID: "tol_1", Limit: 50, Descending: true}, Where: json.RawMessage{}})
	c.want(200, "GET", "/v1/tools/tol_1/entries?where=%7B%22value%22%3A1%7D&order_by=value&order=asc&fields=value", "")
	equal(t, "a question to entries", lastAsked[userdata.EntryQuery](t, w), userdata.EntryQuery{
		EntryFilter: userdata.EntryFilter{ToolID: "tol_1", Limit: 50}, Where: json.RawMessage(`{"value":1}`), OrderBy: "value", Fields: []string{"value"}})
	noCursor("/v1/search?q=C%C5%93ur+%22l%C3%A9g*&kinds=note,+document,note&limit=7&after=cur")
	equal(t, "search", lastAsked[userdata.SearchQuery](t, w), userdata.SearchQuery{Text: `Cœur "lég*`, Kinds: []userdata.SearchKind{userdata.SearchNotes, userdata.SearchDocuments}, Limit: 7, Cursor: "cur"})
	for _, path := range []string{"/v1/search", "/v1/search?q=", "/v1/search?q=a&kinds=notes", "/v1/search?q=a&kinds=note,", "/v1/search?q=a&limit=0", "/v1/search?q=a&limit=201", "/v1/sessions?type=chat", "/v1/sessions?status=busy", "/v1/sessions?q=a&in=thoughts", "/v1/sessions?since=yesterday", "/v1/approvals?status=closed", "/v1/approvals?kind=wish",
		"/v1/tools/tol_1/entries?order=up", "/v1/tools/tol_1/entries?from=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z",
		"/v1/tools/tol_1/entries/stats?group_by=year", "/v1/zones/zon_1?force=maybe"} {
		method := "GET"
		if strings.Contains(path, "force") {
			method = "DELETE"
		}
		c.want(422, method, path, "")
	}
}

func TestAKeyIsShownOnce(t *testing.T) {
	c := newWorld(t).serve(t)
	got := c.want(201, "POST", "/v1/keys", `{"name":"laptop","role":"member"}`)
	text, _ := got.body["key"].(string)
	if !strings.HasPrefix(text, "fmt_") {
		t.Errorf("the key is %q", text)
	}
	equal(t, "a notice where nothing changes", got.body["notice"], nil)
	if list := c.want(200, "GET", "/v1/keys", "").text; strings.Contains(list, text) || !strings.Contains(list, got.body["id"].(string)) {
		t.Errorf("the list shows the key, or not that there is one: %s", list)
	}
	fresh := wiredWorld(t, Wiring{Dir: t.TempDir(), Clock: clock.System}).serve(t) // no key was ever made for it
	notice, _ := fresh.want(201, "POST", "/v1/keys", `{"name":"first","role":"admin","expires_at":null}`).body["notice"].(string)
	if !strings.Contains(notice, "every call needs a key") {
		t.Errorf("the first key says %q", notice)
	}
	masked := c.want(200, "GET", "/v1/providers/prv_1", "").body["config"]
	equal(t, "a provider's key is masked", masked,
		map[string]any{"model": "m", "api_key": "sk-…abcd", "base_url": theVendor.url() + "/v1", "protocol": "native"})
}

func TestAKeyExpiresInTheFuture(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	now := worldTime.Add(time.Minute) // as the server's clock stands
	later := now.Add(time.Hour).In(time.FixedZone("", 3600))
	got := c.want(201, "POST", "/v1/keys", `{"name":"ci","role":"member","expires_at":"`+later.Format(time.RFC3339Nano)+`"}`)
	equal(t, "the expiry", got.body["expires_at"], "2026-03-02T13:01:00.123Z")
	equal(t, "what is asked for", w.seen.last(), any(NewKey{Name: "ci", Role: domain.RoleMember, ExpiresAt: new(now.Add(time.Hour))}))
	for _, bad := range []string{`"` + now.Format(time.RFC3339Nano) + `"`, `"2020-01-01T00:00:00Z"`, `"tomorrow"`, `1`} {
		c.want(422, "POST", "/v1/keys", `{"name":"ci","role":"member","expires_at":`+bad+`}`)
	}
}

// TestStatusOfTheWholeIsForTheOperator verifies that an admin's key sees the status of its own workspace only.
func TestStatusOfTheWholeIsForTheOperator(t *testing.T) {
	c := newWorld(t).serve(t)
	acme := []string{"Fermata-Workspace", "acme"}
	c.want(201, "POST", "/v1/providers", vendorAsProvider(t), acme...)
	c.want(201, "POST", "/v1/sessions", `{"message":"`+holdOn+`"}`, acme...)
	c.want(200, "PATCH", "/v1/sessions/ses_1/messages/msg_3", `{"text":"`+holdOn+`"}`)
	c.want(200, "POST", "/v1/sessions/ses_1/validation", `{"approved":true}`)
	for role, sessions := range map[string]float64{"admin": 1, "root": 2} {
		testkit.Until(t, fmt.Sprintf("%s sees %v active sessions", role, sessions), func() bool {
			return c.do("GET", "/v1/admin/status", "", "Authorization", "Bearer "+role).body["sessions"] == sessions
		})
	}
}

func TestReadyIsSaidOnlyWithADatabase(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	c.want(200, "GET", "/readyz", "")
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if got := c.want(503, "GET", "/readyz", ""); got.header.Get("Retry-After") == "" {
		t.Error("not ready, and not a word on when to ask again")
	}
	c.want(200, "GET", "/healthz", "")
}

// awayOnce is a database that is away for one call.
type awayOnce struct {
	Health
	was bool
}

func (a *awayOnce) Ping(ctx context.Context) error {
	if a.was {
		return a.Health.Ping(ctx)
	}
	a.was = true
	return domain.Errorf(domain.CodeUnavailable, "no database")
}

func TestReadyAgainWhenTheDatabaseIs(t *testing.T) {
	w := newWorld(t)
	w.config.Admin.Health = &awayOnce{Health: w.config.Admin.Health}
	c := w.serve(t)
	c.want(503, "GET", "/readyz", "")
	c.want(200, "GET", "/readyz", "")
}
