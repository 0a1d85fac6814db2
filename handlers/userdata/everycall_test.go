package userdata_test

import (
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestEveryCall makes every call of the family as it is meant, and some that are not.
func TestEveryCall(t *testing.T) {
	servertest.EveryCall(t, "userdata", map[string]servertest.Story{"data": everyNoun, "files": everyFile})
}

func everyNoun(_ *testing.T, _ *servertest.World, c *servertest.Client) {
	servertest.All(c, []servertest.Call{
		{200, "GET", "/v1/zones", ""}, {201, "POST", "/v1/zones", `{"name":"Play"}`}, {200, "GET", "/v1/zones/zon_1", ""},
		{200, "PATCH", "/v1/zones/zon_1", `{"description":null,"position":2}`},
		{200, "GET", "/v1/tools?zone_id=zon_1", ""}, {201, "POST", "/v1/tools", `{"zone_id":"zon_1","tool_type":"tracking","name":"Swim"}`},
		{200, "GET", "/v1/tools/tol_1", ""}, {200, "PATCH", "/v1/tools/tol_1", `{"config":{"unit":"mi"},"always_send":true}`},
		{200, "GET", "/v1/tools/tol_1/entries?order=asc&from=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00%2B01:00", ""},
		{200, "GET", "/v1/tools/tol_1/entries?period=-3_DAY..0_DAY", ""}, {422, "GET", "/v1/tools/tol_1/entries?period=soon", ""},
		{422, "GET", "/v1/tools/tol_1/entries?period=0_DAY&from=2026-01-01T00:00:00Z", ""}, {200, "GET", "/v1/tools/tol_1/entries/stats?period=%2B1_WEEK", ""},
		{201, "POST", "/v1/tools/tol_1/entries", `{"data":{"value":3}}`},
		{201, "POST", "/v1/tools/tol_1/entries/batch", `{"entries":[{"data":{"value":4}},{"timestamp":"2026-03-02T07:30:00+02:00","data":{"value":5}}]}`},
		{200, "GET", "/v1/tools/tol_1/entries/stats?group_by=day&field=value", ""}, {200, "GET", "/v1/tools/tol_1/entries/stats?group_by=value", ""},
		{200, "GET", "/v1/tools/tol_1/entries?where=%7B%22value%22%3A%7B%22gt%22%3A1%7D%7D&order_by=value&fields=value", ""},
		{422, "GET", "/v1/tools/tol_1/entries?where=%7B%22vlaue%22%3A1%7D", ""}, {422, "GET", "/v1/tools/tol_1/entries?where=value", ""},
		{422, "GET", "/v1/tools/tol_1/entries?order_by=vlaue", ""}, {422, "GET", "/v1/tools/tol_1/entries/stats?where=%7B%22vlaue%22%3A1%7D", ""},
		{200, "GET", "/v1/entries/ent_1", ""}, {200, "PATCH", "/v1/entries/ent_1", `{"data":{"value":9}}`},
		{204, "DELETE", "/v1/entries/ent_1", ""}, {404, "GET", "/v1/entries/ent_1", ""}, {200, "POST", "/v1/entries/ent_1/restore", "{}"},
		{409, "DELETE", "/v1/tools/tol_1", ""}, {204, "DELETE", "/v1/tools/tol_1?force=true", ""}, {200, "POST", "/v1/tools/tol_1/restore", ""},
		{409, "DELETE", "/v1/zones/zon_1", ""}, {204, "DELETE", "/v1/zones/zon_1?force=true", ""}, {200, "POST", "/v1/zones/zon_1/restore", ""},
		{200, "POST", "/v1/zones/zon_1/trust", ""}, {200, "POST", "/v1/tools/tol_1/trust", "{}"}, {200, "POST", "/v1/entries/ent_1/trust", ""},
		{200, "POST", "/v1/tool-types/mood/trust", ""}, {200, "POST", "/v1/documents/doc_1/trust", ""}, {404, "POST", "/v1/zones/zon_9/trust", ""},
		{200, "GET", "/v1/tool-types", ""}, {200, "GET", "/v1/tool-types/tracking", ""}, {403, "DELETE", "/v1/tool-types/tracking", ""},
		{201, "POST", "/v1/tool-types", `{"id":"sleep","name":"Sleep","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`},
		{200, "PATCH", "/v1/tool-types/mood", `{"description":null,"entry_schema":{"type":"object"}}`}, {204, "DELETE", "/v1/tool-types/mood", ""},
		{200, "GET", "/v1/documents", ""}, {201, "POST", "/v1/documents", `{"key":"about","body":""}`}, {200, "GET", "/v1/documents/doc_1", ""},
		{200, "GET", "/v1/documents/doc_1/versions", ""}, {200, "GET", "/v1/documents/doc_1/versions/2", ""}, {404, "GET", "/v1/documents/doc_1/versions/two", ""},
		{404, "GET", "/v1/documents/doc_1/versions/1", ""}, {200, "PATCH", "/v1/documents/doc_1", `{"body":"six yolks"}`}, {200, "POST", "/v1/documents/doc_1/publish", ""},
		{200, "GET", "/v1/search?q=six+yolks&kinds=note,document,note&limit=2", ""}, {200, "GET", "/v1/search?q=a", ""},
		{204, "DELETE", "/v1/documents/doc_1", ""}, {200, "POST", "/v1/documents/doc_1/restore", ""},
	})
	c.Want(201, "POST", "/v1/tools/tol_1/entries/import", "value\n3\n", "Content-Type", "text/csv")
	c.Want(200, "POST", "/v1/tools/tol_1/entries/import?dry_run=true", "value\n3\n", "Content-Type", "text/csv; charset=UTF-8")
}

func everyFile(t *testing.T, _ *servertest.World, c *servertest.Client) {
	id, _ := c.Want(201, "POST", "/v1/files?name=a.txt", "words", "Content-Type", "text/plain").Body["id"].(string)
	c.Want(200, "GET", "/v1/files?limit=2", "")
	c.Want(200, "GET", "/v1/files/"+id, "")
	c.Want(204, "DELETE", "/v1/files/"+id, "")
	c.Want(404, "DELETE", "/v1/files/"+id, "")
	c.Want(422, "POST", "/v1/sessions/ses_1/messages", fmt.Sprintf(`{"text":"x","file_ids":[%q]}`, id))
	c.Want(422, "POST", "/v1/sessions/ses_1/messages", `{"segments":[{"type":"file"}]}`)
	c.Want(422, "POST", "/v1/sessions/ses_1/messages", `{"segments":[{"type":"text","text":"x","file_id":"fil_1"}]}`)
}
