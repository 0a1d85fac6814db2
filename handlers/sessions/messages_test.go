package sessions_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

func TestAMessageIsSaidInAllItsForms(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	plain := domain.RichContent{LinearText: "hello", Segments: []domain.Segment{{Type: "text", Text: "hello"}}}

	c.Want(201, "POST", "/v1/sessions", `{"name":"Running","message":"hello","provider_id":"prv_1","require_validation":true,"external_id":"mine"}`)
	servertest.Equal(t, "a session with a text", servertest.LastAsked[domain.NewSession](t, w), domain.NewSession{Type: domain.Chat, Name: "Running", ProviderID: "prv_1",
		RequireValidation: true, ExternalID: "mine", By: "key_root", Message: &domain.NewMessage{Rich: plain, By: servertest.KeyRoot}})
	c.Want(201, "POST", "/v1/sessions", `{"message":{"text":"hello"}}`)
	servertest.Equal(t, "a session with an object", servertest.LastAsked[domain.NewSession](t, w).Message.Rich, plain)
	c.Want(201, "POST", "/v1/sessions", "", "Content-Type", "")
	servertest.Equal(t, "a session without a body", servertest.LastAsked[domain.NewSession](t, w), domain.NewSession{Type: domain.Chat, By: "key_root"})

	c.Want(200, "PATCH", "/v1/sessions/ses_1/messages/msg_3", `{"text":"other"}`)
	servertest.Equal(t, "edited", servertest.LastAsked[domain.RichContent](t, w).LinearText, "other")
	got := c.Want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"hello","if_busy":"enqueue"}`)
	servertest.Equal(t, "event_seq", got.Body["event_seq"], float64(w.Newest(t)))

	c.Want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"hello","if_busy":"interrupt"}`)
	servertest.Equal(t, "a message", servertest.LastAsked[domain.NewMessage](t, w), domain.NewMessage{Rich: plain, By: servertest.KeyRoot, IfBusy: domain.IfBusyInterrupt})
	c.Want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"hello"}`)
	servertest.Equal(t, "a message without if_busy", servertest.LastAsked[domain.NewMessage](t, w).IfBusy, domain.IfBusy(""))

	c.Want(202, "POST", "/v1/sessions/ses_1/messages", `{"segments":[{"type":"text","text":"see "},{"type":"enrichment","enrichment":{"type":"USE","config":{"tool_id":"tol_1"}}}]}`)
	rich := servertest.LastAsked[domain.NewMessage](t, w).Rich
	servertest.Equal(t, "computed", rich.LinearText, "see [data of “Running” in “Health”]")
	servertest.Equal(t, "enrichment", rich.Segments[1].Enrichment,
		&domain.Enrichment{Type: domain.EnrichUse, Config: json.RawMessage(`{"tool_id":"tol_1"}`), Summary: "data of “Running” in “Health”"})
}

func TestMessagesThatAreNone(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
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
		got := c.Do("POST", "/v1/sessions/ses_1/messages", body)
		if at, _, _ := servertest.FieldError(t, got); at != pointer {
			t.Errorf("%.80s: the error is at %s, not %s", body, at, pointer)
		}
		nested := c.Do("POST", "/v1/sessions", `{"message":`+body+`}`)
		if at, _, _ := servertest.FieldError(t, nested); at != "/message"+pointer {
			t.Errorf("%.80s as a first message: the error is at %s", body, at)
		}
	}
}

func TestTextIsReadAsItIsWritten(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	c.Want(202, "POST", "/v1/sessions/ses_1/messages", `{"text":"\ud83d\ude00 \\u0000 \\ud83d"}`)
	servertest.Equal(t, "escaped", servertest.LastAsked[domain.NewMessage](t, w).Rich.LinearText, `😀 \u0000 \ud83d`)
}

func TestQueuedMessagesComeLastPageByPage(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for order, want := range map[string][]string{"asc": {"msg_1", "msg_2", "msg_cancel", "msg_3", "msg_4"}, "desc": {"msg_4", "msg_3", "msg_cancel", "msg_2", "msg_1"}} {
		after := ""
		for i, id := range want {
			got := c.Want(200, "GET", "/v1/sessions/ses_1/messages?limit=1&order="+order+after, "")
			list := got.Body["data"].([]any)
			servertest.Equal(t, "items", len(list), 1)
			one := list[0].(map[string]any)
			servertest.Equal(t, "message", one["id"], id)
			waits := id == "msg_3" || id == "msg_4"
			servertest.Equal(t, "a queued one has no number", []any{one["status"] == "queued", one["seq"] == nil}, []any{waits, waits})
			if last := got.Body["next_cursor"] == nil; last != (i == len(want)-1) {
				t.Fatalf("%s, page %d: cursor %v", order, i+1, got.Body["next_cursor"])
			} else if !last {
				after = "&after=" + got.Body["next_cursor"].(string)
			}
		}
	}
	c.Want(422, "GET", "/v1/sessions/ses_1/messages?order=up", "")
	c.Want(422, "GET", "/v1/sessions/ses_1/messages?after=x", "")
}
