package people_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestPricesAreMerged: what the patch does not name stays, null takes away.
func TestPricesAreMerged(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	patch := func(body string) servertest.Reply { return c.Want(200, "PATCH", "/v1/settings", body) }

	got := patch(`{"prices":{"gpt-4.1":{"input":2,"output":8,"cache_read":0.5},"llama-*":{"input":0,"output":0}}}`)
	servertest.Equal(t, "as it is shown", got.Body["prices"], map[string]any{
		"gpt-4.1": map[string]any{"input": 2.0, "output": 8.0, "cache_read": 0.5}, "llama-*": map[string]any{"input": 0.0, "output": 0.0}})
	patch(`{"prices":{"gpt-4.1":{"input":3,"output":9},"llama-*":null,"never-there":null}}`)
	servertest.Equal(t, "merged", w.Settings(t).Prices, domain.Prices{"gpt-4.1": {Input: 3, Output: 9, CacheRead: new(0.5)}})
	patch(`{"prices":{"gpt-4.1":{"input":3,"output":9,"cache_read":null,"cache_write":4}}}`)
	servertest.Equal(t, "one kind taken away", w.Settings(t).Prices, domain.Prices{"gpt-4.1": {Input: 3, Output: 9, CacheWrite: new(4.0)}})
	patch(`{"prices":{"gpt-4.1":{"output":10}}}`)
	servertest.Equal(t, "a part of it", w.Settings(t).Prices, domain.Prices{"gpt-4.1": {Input: 3, Output: 10, CacheWrite: new(4.0)}})
	at, code, _ := servertest.FieldError(t, c.Do("PATCH", "/v1/settings", `{"prices":{"gpt-4.1":{"input":null}}}`))
	servertest.Equal(t, "null is no price", at+" "+code, "/prices/gpt-4.1/input wrong_type")
	patch(`{"language":"fr"}`)
	servertest.Equal(t, "not named", len(w.Settings(t).Prices), 1)
	patch(`{"prices":null,"language":null}`)
	servertest.Equal(t, "all back", w.Settings(t), domain.DefaultSettings())
}

// TestPricesThatAreNone verifies that invalid prices are reported with their location, even if a model's name
// contains dots and slashes, and that nothing is changed.
func TestPricesThatAreNone(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	for body, pointer := range map[string]string{
		`{"prices":{"gpt-4.1":{"input":2}}}`:                             "/prices/gpt-4.1/output",
		`{"prices":{"gpt-4.1":{"input":-1,"output":1}}}`:                 "/prices/gpt-4.1/input",
		`{"prices":{"a/b":{"input":1,"output":1,"cache_read":1000001}}}`: "/prices/a~1b/cache_read",
		`{"prices":{"m":{"input":1,"output":1,"cached":1}}}`:             "/prices/m/cached",
		`{"prices":{"m":{"input":"1","output":1}}}`:                      "/prices/m/input",
		`{"prices":{"m":{"input":null,"output":1}}}`:                     "/prices/m/input",
		`{"prices":{"":{"input":1,"output":1}}}`:                         "/prices/",
		`{"prices":{"` + strings.Repeat("m", 201) + `":null}}`:           "/prices/" + strings.Repeat("m", 99) + "…",
		`{"prices":{"m":7}}`:                                             "/prices/m",
		`{"prices":[]}`:                                                  "/prices",
	} {
		if at, _, _ := servertest.FieldError(t, c.Do("PATCH", "/v1/settings", body)); at != pointer {
			t.Errorf("%.80s: the error is at %s, not %s", body, at, pointer)
		}
	}
	servertest.Equal(t, "nothing changed", w.Settings(t), domain.DefaultSettings())

	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprintf(`"m%d":{"input":1,"output":1}`, i)
	}
	c.Want(200, "PATCH", "/v1/settings", `{"prices":{`+strings.Join(many, ",")+`}}`)
	at, _, _ := servertest.FieldError(t, c.Do("PATCH", "/v1/settings", `{"prices":{"one more":{"input":1,"output":1}}}`))
	servertest.Equal(t, "one too many", at, "/prices")
}
