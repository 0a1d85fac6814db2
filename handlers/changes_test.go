package handlers

import (
	"fmt"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

func TestPatchesMerge(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	session := func() *domain.Session {
		s, err := w.Store.Sessions.Session(t.Context(), domain.DefaultWorkspace, "ses_1")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	c.want(200, "PATCH", "/v1/sessions/ses_1", `{"provider_id":"prv_1","budgets":{"max_tokens_per_round":7}}`)
	c.want(200, "PATCH", "/v1/sessions/ses_1", `{"provider_id":null,"budgets":{"max_cost_per_session":2.5}}`)
	equal(t, "budgets", session().Budgets, domain.Budgets{MaxTokensPerRound: new(int64(7)), MaxCostPerSession: new(2.5)})
	equal(t, "no provider of its own", session().ProviderID, "")
	c.want(200, "PATCH", "/v1/sessions/ses_1", `{"budgets":{"max_tokens_per_round":null}}`)
	equal(t, "one budget taken away", session().Budgets, domain.Budgets{MaxCostPerSession: new(2.5)})
	c.want(200, "PATCH", "/v1/sessions/ses_1", `{"budgets":null}`)
	equal(t, "all taken away", session().Budgets, domain.Budgets{})
	c.want(200, "PATCH", "/v1/sessions/ses_1", `{}`)
	equal(t, "nothing", lastAsked[domain.SessionPatch](t, w), domain.SessionPatch{})

	c.want(200, "PATCH", "/v1/zones/zon_1", `{"description":null,"require_validation":true}`)
	zone, err := w.Store.ReadData(domain.DefaultWorkspace).Zone(t.Context(), "zon_1")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "zone", []any{zone.Name, zone.Description, zone.RequireValidation}, []any{"Health", "", true})
	data := w.Store.ReadData(domain.DefaultWorkspace)
	for _, x := range [][2]string{{`{"max":9}`, `{"max":9,"unit":"km"}`}, {`{"max":9,"unit":null}`, `{"max":9}`}} {
		c.want(200, "PATCH", "/v1/tools/tol_1", `{"config":`+x[0]+`}`, "Content-Type", "application/merge-patch+json")
		tool, err := data.Tool(t.Context(), "tol_1")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "a tool's config", string(tool.Config), x[1])
	}
	equal(t, "null is no config", c.want(422, "PATCH", "/v1/tools/tol_1", `{"config":null}`).body["code"], "invalid")
	mood := c.want(201, "POST", "/v1/tools", `{"zone_id":"zon_1","tool_type":"mood","name":"Mood"}`).body["id"].(string)
	felt := c.want(201, "POST", "/v1/tools/"+mood+"/entries", `{"data":{"value":8}}`).body["id"].(string)
	equal(t, "an entry's data", c.want(200, "PATCH", "/v1/entries/"+felt, `{"data":{"note":"late"}}`).body["data"], map[string]any{"note": "late", "value": 8.0})
	c.want(200, "PATCH", "/v1/entries/ent_1", `{"timestamp":"2026-01-01T01:00:00.1234567+01:00"}`)
	entry, err := w.Store.ReadData(domain.DefaultWorkspace).Entry(t.Context(), "ent_1")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "entry", []any{entry.Timestamp, string(entry.Data), entry.SessionID}, []any{time.Date(2026, 1, 1, 0, 0, 0, 123456000, time.UTC), `{"value":8}`, ""})
}

// Two people change the settings: the second one's view is out of date, and nothing of
// what they sent is stored. Both see what is no longer as it came.
func TestSettingsAreNotOverwrittenUnseen(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	seen := c.want(200, "GET", "/v1/settings", "")
	equal(t, "as it came", seen.body["changed"], []any{})
	tag := seen.header.Get("ETag")
	got := c.want(200, "PATCH", "/v1/settings", `{"time_zone":"Europe/Paris","limits":{"chat":{"max_cost_per_day":2}},"prices":{"a/b":{"input":1,"output":2}}}`, "If-Match", tag)
	equal(t, "no longer", got.body["changed"], []any{"/limits/chat/max_cost_per_day", "/prices/a~1b", "/time_zone"})
	c.want(412, "PATCH", "/v1/settings", `{"language":"fr"}`, "If-Match", tag)
	equal(t, "kept", w.settings(t).Language, "en")
	equal(t, "the same version", c.want(200, "GET", "/v1/settings", "").header.Get("ETag"), got.header.Get("ETag"))
	c.want(200, "PATCH", "/v1/settings", `{"language":"fr"}`, "If-Match", got.header.Get("ETag"))
	c.want(200, "PATCH", "/v1/settings", `{"prices":null,"time_zone":null,"limits":null,"language":null}`)
	equal(t, "as it came again", c.want(200, "GET", "/v1/settings", "").header.Get("ETag"), tag)
}

func TestSettingsMerge(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	got := c.want(200, "PATCH", "/v1/settings", `{"time_zone":"Europe/Paris","chat_eviction_after":"1h30m","network_retry":{"delays":["1s"]},
		"limits":{"automation":{"max_autonomous_roundtrips":null,"max_cost_per_day":2}},"fallback_providers":["prv_1"]}`)
	settings := w.settings(t)
	equal(t, "zone", settings.TimeZone, "Europe/Paris")
	equal(t, "eviction", got.body["chat_eviction_after"], "1h30m")
	equal(t, "delays", settings.NetworkRetry, domain.NetworkRetry{Policy: "forever", Delays: []domain.Duration{domain.Duration(time.Second)}})
	equal(t, "limits", []any{settings.Limits.Automation.MaxAutonomousRoundtrips, *settings.Limits.Automation.MaxCostPerDay, *settings.Limits.Chat.MaxTokensPerRound},
		[]any{(*int)(nil), 2.0, int64(1_000_000)})
	c.want(200, "PATCH", "/v1/settings", `{"time_zone":null,"chat_eviction_after":null,"network_retry":null,"limits":null,"fallback_providers":null}`)
	equal(t, "all back", w.settings(t), domain.DefaultSettings())
	c.want(200, "PATCH", "/v1/settings", `{"limits":{"chat":{"preset":"strict"},"automation":{"preset":"strict","max_action_retries":9}}}`)
	settings = w.settings(t)
	four := func(l domain.Limits) []int {
		return []int{*l.MaxAutonomousRoundtrips, *l.MaxDataQueryIterations, *l.MaxActionRetries, *l.MaxFormatErrorRetries}
	}
	equal(t, "strict", [][]int{four(settings.Limits.Chat), four(settings.Limits.Automation)}, [][]int{{10, 3, 3, 3}, {20, 5, 9, 5}})
	equal(t, "the fifth", settings.Limits.Chat.MaxCommandsPerSession, (*int)(nil))
	c.want(200, "PATCH", "/v1/settings", `{"limits":null}`)
	equal(t, "written as people do", c.want(200, "GET", "/v1/settings", "").body["chat_eviction_after"], "5m")

	for body, at := range map[string]string{
		`{"time_zone":"Europe/Nowhere"}`:                  "/time_zone",
		`{"time_zone":"Local"}`:                           "/time_zone",
		`{"commands":["SHOP.*","shop.get"]}`:              "/commands/1",
		`{"fallback_providers":["prv_1","prv_none"]}`:     "/fallback_providers/1",
		`{"chat_eviction_after":"-5m"}`:                   "/chat_eviction_after",
		`{"chat_eviction_after":5}`:                       "/chat_eviction_after",
		`{"network_retry":{"delays":["soon"]}}`:           "/network_retry/delays/0",
		`{"network_retry":{"delays":["1s","-1s"]}}`:       "/network_retry/delays/1",
		`{"after_actions":"later"}`:                       "/after_actions",
		`{"limits":{"chat":{"max_cost_per_day":"much"}}}`: "/limits/chat/max_cost_per_day",
		`{"limits":{"chat":{"max_cost":1}}}`:              "/limits/chat/max_cost",
		`{"limits":{"chat":{"preset":"lax"}}}`:            "/limits/chat/preset",
	} {
		if got, _, _ := fieldError(t, c.do("PATCH", "/v1/settings", body)); got != at {
			t.Errorf("%s: the error is at %s", body, got)
		}
	}
	equal(t, "a refused change changes nothing", w.settings(t), domain.DefaultSettings())
}

func TestNoChangeIsOverwrittenUnseen(t *testing.T) {
	c := newWorld(t).serve(t)
	etag := c.want(200, "GET", "/v1/zones/zon_1", "").header.Get("ETag")
	equal(t, "tag", etag, `"3"`)
	for tag, status := range map[string]int{etag: 200, "W/" + etag: 412, "*": 200, `"2"`: 412, `"abc"`: 412, `"0"`: 412, `"-1"`: 412} {
		w := newWorld(t)
		c := w.serve(t)
		got := c.want(status, "PATCH", "/v1/zones/zon_1", `{"name":"x"}`, "If-Match", tag)
		if status == 200 {
			equal(t, "the new tag", got.header.Get("ETag"), `"4"`)
			equal(t, "the event", got.header.Get("Fermata-Event-Seq"), fmt.Sprint(w.newest(t)))
		} else {
			equal(t, "code", got.body["code"], "precondition_failed")
		}
	}
	c.want(412, "DELETE", "/v1/documents/doc_1", "", "If-Match", `"1"`)
	c.want(412, "PATCH", "/v1/providers/prv_1", `{"name":"x"}`, "If-Match", `"9"`)
	c.want(412, "POST", "/v1/documents/doc_1/publish", "", "If-Match", `"9"`)
}

func TestListsThatAreReadWholeArePagedToo(t *testing.T) {
	c := newWorld(t).serve(t)
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

// Each cursor is a place in the order of its own list; in another's it would be a page
// that begins anywhere, mostly behind the end.
func TestACursorOfAnotherListIsRefused(t *testing.T) {
	c := newWorld(t).serve(t)
	for _, made := range [][2]string{
		{"/v1/sessions", `{}`}, {"/v1/sessions", `{}`},
		{"/v1/documents", `{"key":"one","title":"One","body":"x"}`},
		{"/v1/tools/tol_1/entries", `{"data":{"value":1}}`}, {"/v1/tools/tol_1/entries", `{"data":{"value":2}}`},
		{"/v1/automations", `{"name":"a","seed":{"text":"x"}}`}, {"/v1/automations", `{"name":"b","seed":{"text":"x"}}`},
		{"/v1/automations/aut_1/grants", `{"commands":["CREATE_ZONE"],"max_per_run":1}`},
		{"/v1/automations/aut_1/grants", `{"commands":["CREATE_ZONE"],"max_per_run":2}`},
	} {
		c.want(201, "POST", made[0], made[1])
	}
	lists := []string{"/v1/sessions", "/v1/zones", "/v1/documents", "/v1/tools/tol_1/entries", "/v1/automations", "/v1/automations/aut_1/grants"}
	asked := append([]string{"/v1/approvals", "/v1/tools", "/v1/tasks", "/v1/files", "/v1/occurrences", "/v1/documents/doc_1/versions"}, lists...)
	for _, list := range lists {
		cursor, _ := c.want(200, "GET", list+"?limit=1", "").body["next_cursor"].(string)
		if cursor == "" {
			t.Fatalf("%s has one page only", list)
		}
		for _, other := range asked {
			if other == list {
				c.want(200, "GET", other+"?after="+cursor, "")
				continue
			}
			got := c.do("GET", other+"?after="+cursor, "")
			equal(t, "the cursor of "+list+" in "+other, got.status, 422)
			at, code, _ := fieldError(t, got)
			equal(t, "the cursor of "+list+" in "+other, at+" "+code, "/after bad_cursor")
		}
	}
}
