package handlers

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// asked is what the world was asked last, as the type that the story expects.
func lastAsked[T any](t *testing.T, w *world) T {
	t.Helper()
	v, ok := w.last().(T)
	if !ok {
		t.Fatalf("the world was asked %#v", w.last())
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
	w := newWorld()
	c := w.serve(t)
	plain := domain.RichContent{LinearText: "hello", Segments: []domain.Segment{{Type: "text", Text: "hello"}}}

	c.want(201, "POST", "/v1/sessions", `{"name":"Running","message":"hello","provider_id":"prv_1","require_validation":true,"external_id":"mine"}`)
	equal(t, "a session with a text", lastAsked[domain.NewSession](t, w), domain.NewSession{Type: domain.Chat, Name: "Running", ProviderID: "prv_1",
		RequireValidation: true, ExternalID: "mine", By: "key_root", Message: &domain.NewMessage{Rich: plain, By: keyRoot}})
	c.want(201, "POST", "/v1/sessions", `{"message":{"text":"hello"}}`)
	equal(t, "a session with an object", lastAsked[domain.NewSession](t, w).Message.Rich, plain)

	c.want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"hello","if_busy":"interrupt"}`)
	equal(t, "a message", lastAsked[domain.NewMessage](t, w), domain.NewMessage{Rich: plain, By: keyRoot, IfBusy: domain.IfBusyInterrupt})
	got := c.want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"hello"}`)
	equal(t, "a message without if_busy", lastAsked[domain.NewMessage](t, w).IfBusy, domain.IfBusy(""))
	equal(t, "event_seq", got.body["event_seq"], float64(7))

	c.want(202, "POST", "/v1/sessions/ses_1/messages", `{"segments":[{"type":"text","text":"see "},{"type":"enrichment","enrichment":{"type":"USE","config":{"tool_id":"tol_1"}}}]}`)
	rich := lastAsked[domain.NewMessage](t, w).Rich
	equal(t, "computed", rich.LinearText, "…")
	equal(t, "enrichment", rich.Segments[1].Enrichment, &domain.Enrichment{Type: domain.EnrichUse, Config: json.RawMessage(`{"tool_id":"tol_1"}`)})

	c.want(200, "PATCH", "/v1/sessions/ses_1/messages/msg_3", `{"text":"other"}`)
	equal(t, "edited", lastAsked[domain.RichContent](t, w).LinearText, "other")
}

func TestMessagesThatAreNone(t *testing.T) {
	c := newWorld().serve(t)
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
	w := newWorld()
	c := w.serve(t)
	w.fault = domain.Invalid("/segments/0/enrichment/config/tool_id", "unknown", "There is no such tool.")
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
	c := newWorld().serve(t)
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

// TestEveryMistakeIsToldAtOnce: nobody mends a form one field at a time.
func TestEveryMistakeIsToldAtOnce(t *testing.T) {
	c := newWorld().serve(t)
	got := c.want(422, "POST", "/v1/tools", `{"name":3,"zone":"zon_1","config":{}}`)
	equal(t, "shape", len(got.body["errors"].([]any)), 2)
	got = c.want(422, "POST", "/v1/tools", `{"name":" ","position":-1}`)
	equal(t, "values", len(got.body["errors"].([]any)), 4)
}

// TestANameStandsOnce: readers of JSON disagree which of two fields counts.
func TestANameStandsOnce(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	for _, body := range []string{
		`{"text":"first","text":"second"}`, `{"text":"a","te\u0078t":"b"}`,
		`{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":{"a":{"b":1,"b":1}}}}]}`,
	} {
		if got := c.want(400, "POST", "/v1/sessions/ses_1/messages", body); got.body["code"] != "repeated_name" {
			t.Errorf("%s: %s", body, got.text)
		}
	}
	equal(t, "what was asked", len(w.said), 0)
	equal(t, "a webhook", c.want(400, "POST", "/v1/hooks/aut_1/secret", `{"a":1,"a":1}`).body["code"], "repeated_name")
}

func TestTextIsReadAsItIsWritten(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	c.want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"\ud83d\ude00 \\u0000 \\ud83d"}`)
	equal(t, "escaped", lastAsked[domain.NewMessage](t, w).Rich.LinearText, `😀 \u0000 \ud83d`)
}

func TestQueuedMessagesComeLastPageByPage(t *testing.T) {
	c := newWorld().serve(t)
	for order, want := range map[string][]string{"asc": {"msg_1", "msg_2", "msg_3", "msg_4"}, "desc": {"msg_4", "msg_3", "msg_2", "msg_1"}} {
		after := ""
		for i, id := range want {
			got := c.want(200, "GET", "/v1/sessions/ses_1/messages?limit=1&order="+order+after, "")
			list := got.body["data"].([]any)
			equal(t, "items", len(list), 1)
			one := list[0].(map[string]any)
			equal(t, "message", one["id"], id)
			if one["status"] == "queued" {
				equal(t, "a queued one has no number", one["seq"], nil)
			}
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
	w := newWorld()
	c := w.serve(t)
	ses := "/v1/sessions/ses_1/"
	c.want(200, "POST", ses+"validation", `{"approved":true,"approval_id":"apr_1","approved_ids":["exe_1"],"edits":{"exe_1":{"a":1}},"comment":"go"}`)
	equal(t, "validation", lastAsked[domain.Decision](t, w), domain.Decision{ApprovalID: "apr_1", Approved: true, ApprovedIDs: []string{"exe_1"},
		Edits: map[string]json.RawMessage{"exe_1": json.RawMessage(`{"a":1}`)}, Comment: "go", By: keyRoot})
	c.want(200, "POST", ses+"response", `{"value":null}`)
	equal(t, "a null answer is one", string(lastAsked[domain.Decision](t, w).Value), "null")
	c.want(200, "POST", ses+"response", `{"cancelled":true}`)
	equal(t, "cancelled", lastAsked[domain.Decision](t, w), domain.Decision{Cancelled: true, By: keyRoot})
	c.want(422, "POST", ses+"response", `{"cancelled":true,"value":1}`)
	c.want(422, "POST", ses+"response", `{"cancelled":false}`)
	got := c.want(200, "POST", ses+"completion", `{"confirmed":false,"comment":"no"}`)
	equal(t, "completion", lastAsked[domain.Decision](t, w), domain.Decision{Comment: "no", By: keyRoot})
	equal(t, "no approval", got.body["approval"], nil)
}

func TestAnApprovalTakesWhatItsKindTakes(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
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
	} {
		w.approval.Kind = x.kind
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
	w := newWorld()
	c := w.serve(t)
	w.fault = &domain.Error{Code: domain.CodeValidationResolved, Message: "It was answered.", Session: w.sessions["ses_1"], Decision: `{"approved":true}`}
	got := c.want(409, "POST", "/v1/sessions/ses_1/validation", `{"approved":false}`)
	equal(t, "phase", got.body["phase"], "WAITING_VALIDATION")
	equal(t, "status", got.body["session_status"], "requires_action")
	equal(t, "decision", got.body["decision"], map[string]any{"approved": true})
}

func TestPatchesMerge(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	session := w.sessions["ses_1"]
	session.Budgets = domain.Budgets{MaxTokensPerRound: new(int64(7))}
	c.want(200, "PATCH", "/v1/sessions/ses_1", `{"provider_id":null,"budgets":{"max_cost_per_session":2.5}}`)
	equal(t, "budgets", session.Budgets, domain.Budgets{MaxTokensPerRound: new(int64(7)), MaxCostPerSession: new(2.5)})
	equal(t, "no provider of its own", session.ProviderID, "")
	c.want(200, "PATCH", "/v1/sessions/ses_1", `{"budgets":{"max_tokens_per_round":null}}`)
	equal(t, "one budget taken away", session.Budgets, domain.Budgets{MaxCostPerSession: new(2.5)})
	c.want(200, "PATCH", "/v1/sessions/ses_1", `{"budgets":null}`)
	equal(t, "all taken away", session.Budgets, domain.Budgets{})
	c.want(200, "PATCH", "/v1/sessions/ses_1", `{}`)
	equal(t, "nothing", lastAsked[domain.SessionPatch](t, w), domain.SessionPatch{})

	c.want(200, "PATCH", "/v1/zones/zon_1", `{"description":null,"require_validation":true}`)
	zone := lastAsked[domain.Zone](t, w)
	equal(t, "zone", []any{zone.Name, zone.Description, zone.RequireValidation}, []any{"Health", "", true})
	for config, want := range map[string]string{`{"max":9}`: `{"max":9,"unit":"km"}`, `{"max":9,"unit":null}`: `{"max":9}`} {
		c.want(200, "PATCH", "/v1/tools/tol_1", `{"config":`+config+`}`, "Content-Type", "application/merge-patch+json")
		equal(t, "a tool's config", string(lastAsked[domain.Tool](t, w).Config), want)
	}
	equal(t, "null is no config", c.want(422, "PATCH", "/v1/tools/tol_1", `{"config":null}`).body["code"], "invalid")
	c.want(200, "PATCH", "/v1/entries/ent_1", `{"data":{"note":"late"}}`)
	equal(t, "an entry's data", string(lastAsked[domain.Entry](t, w).Data), `{"note":"late","value":8}`)
	c.want(200, "PATCH", "/v1/entries/ent_1", `{"timestamp":"2026-01-01T01:00:00.1234567+01:00"}`)
	entry := lastAsked[domain.Entry](t, w)
	equal(t, "entry", []any{entry.Timestamp, string(entry.Data), entry.SessionID}, []any{time.Date(2026, 1, 1, 0, 0, 0, 123456000, time.UTC), `{"value":8}`, ""})
}

// Two people change the settings: the second one's view is out of date, and nothing of
// what they sent is stored. Both see what is no longer as it came.
func TestSettingsAreNotOverwrittenUnseen(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	seen := c.want(200, "GET", "/v1/settings", "")
	equal(t, "as it came", seen.body["changed"], []any{})
	tag := seen.header.Get("ETag")
	got := c.want(200, "PATCH", "/v1/settings", `{"time_zone":"Europe/Paris","limits":{"chat":{"max_cost_per_day":2}},"prices":{"a/b":{"input":1,"output":2}}}`, "If-Match", tag)
	equal(t, "no longer", got.body["changed"], []any{"/limits/chat/max_cost_per_day", "/prices/a~1b", "/time_zone"})
	c.want(412, "PATCH", "/v1/settings", `{"language":"fr"}`, "If-Match", tag)
	equal(t, "kept", w.spaces[0].Settings.Language, "en")
	equal(t, "the same version", c.want(200, "GET", "/v1/settings", "").header.Get("ETag"), got.header.Get("ETag"))
	c.want(200, "PATCH", "/v1/settings", `{"language":"fr"}`, "If-Match", got.header.Get("ETag"))
	c.want(200, "PATCH", "/v1/settings", `{"prices":null,"time_zone":null,"limits":null,"language":null}`)
	equal(t, "as it came again", c.want(200, "GET", "/v1/settings", "").header.Get("ETag"), tag)
}

func TestSettingsMerge(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	settings := &w.spaces[0].Settings
	got := c.want(200, "PATCH", "/v1/settings", `{"time_zone":"Europe/Paris","chat_eviction_after":"1h30m","network_retry":{"delays":["1s"]},
		"limits":{"automation":{"max_autonomous_roundtrips":null,"max_cost_per_day":2}},"fallback_providers":["prv_1"]}`)
	equal(t, "zone", settings.TimeZone, "Europe/Paris")
	equal(t, "eviction", got.body["chat_eviction_after"], "1h30m")
	equal(t, "delays", settings.NetworkRetry, domain.NetworkRetry{Policy: "forever", Delays: []domain.Duration{domain.Duration(time.Second)}})
	equal(t, "limits", []any{settings.Limits.Automation.MaxAutonomousRoundtrips, *settings.Limits.Automation.MaxCostPerDay, *settings.Limits.Chat.MaxTokensPerRound},
		[]any{(*int)(nil), 2.0, int64(1_000_000)})
	c.want(200, "PATCH", "/v1/settings", `{"time_zone":null,"chat_eviction_after":null,"network_retry":null,"limits":null,"fallback_providers":null}`)
	equal(t, "all back", *settings, domain.DefaultSettings())
	c.want(200, "PATCH", "/v1/settings", `{"limits":{"chat":{"preset":"strict"},"automation":{"preset":"strict","max_action_retries":9}}}`)
	four := func(l domain.Limits) []int {
		return []int{*l.MaxAutonomousRoundtrips, *l.MaxDataQueryIterations, *l.MaxActionRetries, *l.MaxFormatErrorRetries}
	}
	equal(t, "strict", [][]int{four(settings.Limits.Chat), four(settings.Limits.Automation)}, [][]int{{10, 3, 3, 3}, {20, 5, 9, 5}})
	equal(t, "the fifth", settings.Limits.Chat.MaxCommandsPerSession, (*int)(nil))
	*settings = domain.DefaultSettings()
	equal(t, "written as people do", c.want(200, "GET", "/v1/settings", "").body["chat_eviction_after"], "5m")

	for body, at := range map[string]string{
		`{"time_zone":"Europe/Nowhere"}`:                  "/time_zone",
		`{"time_zone":"Local"}`:                           "/time_zone",
		`{"fallback_providers":["prv_1","prv_none"]}`:     "/fallback_providers/1",
		`{"chat_eviction_after":"-5m"}`:                   "/chat_eviction_after",
		`{"chat_eviction_after":5}`:                       "/chat_eviction_after",
		`{"network_retry":{"delays":["soon"]}}`:           "/network_retry/delays/0",
		`{"limits":{"chat":{"max_cost_per_day":"much"}}}`: "/limits/chat/max_cost_per_day",
		`{"limits":{"chat":{"max_cost":1}}}`:              "/limits/chat/max_cost",
		`{"limits":{"chat":{"preset":"lax"}}}`:            "/limits/chat/preset",
	} {
		if got, _, _ := fieldError(t, c.do("PATCH", "/v1/settings", body)); got != at {
			t.Errorf("%s: the error is at %s", body, got)
		}
	}
	equal(t, "a refused change changes nothing", *settings, domain.DefaultSettings())
}

func TestNobodysChangeIsOverwrittenUnseen(t *testing.T) {
	c := newWorld().serve(t)
	etag := c.want(200, "GET", "/v1/zones/zon_1", "").header.Get("ETag")
	equal(t, "tag", etag, `"3"`)
	for tag, status := range map[string]int{etag: 200, "W/" + etag: 412, "*": 200, `"2"`: 412, `"abc"`: 412, `"0"`: 412, `"-1"`: 412} {
		got := c.want(status, "PATCH", "/v1/zones/zon_1", `{"name":"x"}`, "If-Match", tag)
		if status == 200 {
			equal(t, "the new tag", got.header.Get("ETag"), `"4"`)
			equal(t, "the event", got.header.Get("Fermata-Event-Seq"), "9")
		} else {
			equal(t, "code", got.body["code"], "precondition_failed")
		}
	}
	c.want(412, "DELETE", "/v1/documents/doc_1", "", "If-Match", `"1"`)
	c.want(412, "PATCH", "/v1/providers/prv_1", `{"name":"x"}`, "If-Match", `"9"`)
	c.want(412, "POST", "/v1/documents/doc_1/publish", "", "If-Match", `"9"`)
}

func TestListsThatAreReadWholeArePagedToo(t *testing.T) {
	c := newWorld().serve(t)
	after, seen := "", ""
	for range 3 {
		got := c.want(200, "GET", "/v1/zones?limit=1"+after, "")
		seen += got.body["data"].([]any)[0].(map[string]any)["id"].(string) + " "
		next, _ := got.body["next_cursor"].(string)
		after = "&after=" + next
	}
	equal(t, "pages", seen, "zon_1 zon_2 zon_3 ")
	equal(t, "the end", after, "&after=")
	_, code, _ := fieldError(t, c.do("GET", "/v1/zones?after=zon_none", ""))
	equal(t, "a cursor of no list", code, "bad_cursor")
}

func TestTheLogAsAList(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	got := c.want(200, "GET", "/v1/sessions/ses_1/events?limit=1", "")
	equal(t, "cursor", got.body["next_cursor"], "1")
	event := got.body["data"].([]any)[0].(map[string]any)
	var data any
	if err := json.Unmarshal(stream.Typed("session.created", w.events[0].Data), &data); err != nil {
		t.Fatal(err)
	}
	equal(t, "data", event["data"], data)
	equal(t, "numbers", []any{event["seq"], event["session_seq"], event["at"]}, []any{1.0, 1.0, "2026-03-02T12:00:00.123Z"})
	got = c.want(200, "GET", "/v1/events?types=data.changed&limit=2", "")
	equal(t, "a page may be empty", []any{len(got.body["data"].([]any)), got.body["next_cursor"]}, []any{0, "2"})
	got = c.want(200, "GET", "/v1/events?after=0", "")
	equal(t, "an overview", len(got.body["data"].([]any)), 2)
	equal(t, "the workspace's own have no session_seq", got.body["data"].([]any)[1].(map[string]any)["session_seq"], nil)
	equal(t, "with a session's own", len(c.want(200, "GET", "/v1/events?sessions=ses_1", "").body["data"].([]any)), 3)
	equal(t, "with every session's own", len(c.want(200, "GET", "/v1/events?sessions=*", "").body["data"].([]any)), 3)
	c.want(404, "GET", "/v1/events?sessions=ses_none", "")
	equal(t, "at the end", len(c.want(200, "GET", "/v1/events?after=3", "").body["data"].([]any)), 0)
	c.want(422, "GET", "/v1/events?after=4", "") // nobody waits for ever for what there never was
	c.want(422, "GET", "/v1/sessions/ses_1/events?after=4", "")
	for _, bad := range []string{"-1", "x", "1.5", "99999999999999999999"} {
		c.want(422, "GET", "/v1/sessions/ses_1/events?after="+bad, "")
	}
}

func TestFiltersArriveAsTheyWereAsked(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	c.want(200, "GET", "/v1/sessions?type=AUTOMATION&status=requires_action&automation_id=aut_1&q=run&since=2026-03-01T00:00:00Z&limit=7&after=cur", "")
	equal(t, "sessions", lastAsked[domain.SessionFilter](t, w), domain.SessionFilter{Type: domain.Run, Status: domain.StatusRequiresAction, AutomationID: "aut_1",
		Query: "run", Since: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Limit: 7, Cursor: "cur"})
	c.want(200, "GET", "/v1/approvals?status=open&session_id=ses_1&kind=budget&limit=3&after=cur", "")
	equal(t, "approvals", lastAsked[domain.ApprovalFilter](t, w), domain.ApprovalFilter{Status: domain.ApprovalStatusOpen, SessionID: "ses_1", Kind: domain.ApprovalBudget, Limit: 3, Cursor: "cur"})
	c.want(200, "GET", "/v1/tools/tol_1/entries", "")
	equal(t, "entries", lastAsked[domain.EntryFilter](t, w), domain.EntryFilter{ToolID: "tol_1", Limit: 50, Descending: true})
	c.want(200, "GET", "/v1/search?q=C%C5%93ur+%22l%C3%A9g*&kinds=note,+document,note&limit=7&after=cur", "")
	equal(t, "search", lastAsked[domain.SearchQuery](t, w), domain.SearchQuery{Text: `Cœur "lég*`, Kinds: []domain.SearchKind{domain.SearchNotes, domain.SearchDocuments}, Limit: 7, Cursor: "cur"})
	for _, path := range []string{"/v1/search", "/v1/search?q=", "/v1/search?q=a&kinds=notes", "/v1/search?q=a&kinds=note,", "/v1/search?q=a&limit=0", "/v1/search?q=a&limit=201", "/v1/sessions?type=chat", "/v1/sessions?status=busy", "/v1/sessions?since=yesterday", "/v1/approvals?status=closed", "/v1/approvals?kind=wish",
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
	c := newWorld().serve(t)
	got := c.want(201, "POST", "/v1/keys", `{"name":"laptop","role":"member"}`)
	equal(t, "the key", got.body["key"], "fmt_cdef")
	equal(t, "a notice where nothing changes", got.body["notice"], nil)
	notice, _ := c.want(201, "POST", "/v1/keys", `{"name":"first","role":"admin","expires_at":null}`).body["notice"].(string)
	if !strings.Contains(notice, "every call needs a key") {
		t.Errorf("the first key says %q", notice)
	}
	if strings.Contains(c.want(200, "GET", "/v1/keys", "").text, "fmt_cdef") {
		t.Error("the list shows the key")
	}
	masked := c.want(200, "GET", "/v1/providers/prv_1", "").body["config"]
	equal(t, "a provider's key is masked", masked, map[string]any{"model": "m", "api_key": "sk-…abcd"})
}

func TestAKeyExpiresInTheFuture(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	now := worldTime.Add(time.Minute) // as the server's clock stands
	later := now.Add(time.Hour).In(time.FixedZone("", 3600))
	got := c.want(201, "POST", "/v1/keys", `{"name":"ci","role":"member","expires_at":"`+later.Format(time.RFC3339Nano)+`"}`)
	equal(t, "the expiry", got.body["expires_at"], "2026-03-02T13:01:00.123Z")
	equal(t, "what is asked for", w.last(), any(NewKey{Name: "ci", Role: domain.RoleMember, ExpiresAt: new(now.Add(time.Hour))}))
	for _, bad := range []string{`"` + now.Format(time.RFC3339Nano) + `"`, `"2020-01-01T00:00:00Z"`, `"tomorrow"`, `1`} {
		c.want(422, "POST", "/v1/keys", `{"name":"ci","role":"member","expires_at":`+bad+`}`)
	}
}

// TestStatusOfTheWholeIsForTheOperator: an admin's key is told of its own workspace.
func TestStatusOfTheWholeIsForTheOperator(t *testing.T) {
	c := newWorld().serve(t)
	for role, sessions := range map[string]float64{"admin": 1, "root": 5} {
		got := c.do("GET", "/v1/admin/status", "", "Authorization", "Bearer "+role)
		equal(t, role, got.body["sessions"], any(sessions))
	}
}

func TestReadyIsSaidOnlyWithADatabase(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	w.fault = domain.Errorf(domain.CodeUnavailable, "no database")
	if got := c.want(503, "GET", "/readyz", ""); got.header.Get("Retry-After") == "" {
		t.Error("not ready, and not a word on when to ask again")
	}
	c.want(200, "GET", "/healthz", "")
	c.want(200, "GET", "/readyz", "")
}
