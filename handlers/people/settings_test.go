package people_test

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// Two people change the settings: the second one's view is out of date, and nothing of
// what they sent is stored. Both see what is no longer as it came.
func TestSettingsAreNotOverwrittenUnseen(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	seen := c.Want(200, "GET", "/v1/settings", "")
	servertest.Equal(t, "as it came", seen.Body["changed"], []any{})
	tag := seen.Header.Get("ETag")
	got := c.Want(200, "PATCH", "/v1/settings", `{"time_zone":"Europe/Paris","limits":{"chat":{"max_cost_per_day":2}},"prices":{"a/b":{"input":1,"output":2}}}`, "If-Match", tag)
	servertest.Equal(t, "no longer", got.Body["changed"], []any{"/limits/chat/max_cost_per_day", "/prices/a~1b", "/time_zone"})
	c.Want(412, "PATCH", "/v1/settings", `{"language":"fr"}`, "If-Match", tag)
	servertest.Equal(t, "kept", w.Settings(t).Language, "en")
	servertest.Equal(t, "the same version", c.Want(200, "GET", "/v1/settings", "").Header.Get("ETag"), got.Header.Get("ETag"))
	c.Want(200, "PATCH", "/v1/settings", `{"language":"fr"}`, "If-Match", got.Header.Get("ETag"))
	c.Want(200, "PATCH", "/v1/settings", `{"prices":null,"time_zone":null,"limits":null,"language":null}`)
	servertest.Equal(t, "as it came again", c.Want(200, "GET", "/v1/settings", "").Header.Get("ETag"), tag)
}

func TestSettingsMerge(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	got := c.Want(200, "PATCH", "/v1/settings", `{"time_zone":"Europe/Paris","chat_eviction_after":"1h30m","network_retry":{"delays":["1s"]},
		"limits":{"automation":{"max_autonomous_roundtrips":null,"max_cost_per_day":2}},"fallback_providers":["prv_1"]}`)
	settings := w.Settings(t)
	servertest.Equal(t, "zone", settings.TimeZone, "Europe/Paris")
	servertest.Equal(t, "eviction", got.Body["chat_eviction_after"], "1h30m")
	servertest.Equal(t, "delays", settings.NetworkRetry, domain.NetworkRetry{Policy: "forever", Delays: []domain.Duration{domain.Duration(time.Second)}})
	servertest.Equal(t, "limits", []any{settings.Limits.Automation.MaxAutonomousRoundtrips, *settings.Limits.Automation.MaxCostPerDay, *settings.Limits.Chat.MaxTokensPerRound},
		[]any{(*int)(nil), 2.0, int64(1_000_000)})
	c.Want(200, "PATCH", "/v1/settings", `{"time_zone":null,"chat_eviction_after":null,"network_retry":null,"limits":null,"fallback_providers":null}`)
	servertest.Equal(t, "all back", w.Settings(t), domain.DefaultSettings())
	c.Want(200, "PATCH", "/v1/settings", `{"limits":{"chat":{"preset":"strict"},"automation":{"preset":"strict","max_action_retries":9}}}`)
	settings = w.Settings(t)
	four := func(l domain.Limits) []int {
		return []int{*l.MaxAutonomousRoundtrips, *l.MaxDataQueryIterations, *l.MaxActionRetries, *l.MaxFormatErrorRetries}
	}
	servertest.Equal(t, "strict", [][]int{four(settings.Limits.Chat), four(settings.Limits.Automation)}, [][]int{{10, 3, 3, 3}, {20, 5, 9, 5}})
	servertest.Equal(t, "the fifth", settings.Limits.Chat.MaxCommandsPerSession, (*int)(nil))
	c.Want(200, "PATCH", "/v1/settings", `{"limits":null}`)
	servertest.Equal(t, "written as people do", c.Want(200, "GET", "/v1/settings", "").Body["chat_eviction_after"], "5m")

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
		if got, _, _ := servertest.FieldError(t, c.Do("PATCH", "/v1/settings", body)); got != at {
			t.Errorf("%s: the error is at %s", body, got)
		}
	}
	servertest.Equal(t, "a refused change changes nothing", w.Settings(t), domain.DefaultSettings())
}
