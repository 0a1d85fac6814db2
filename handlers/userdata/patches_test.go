package userdata_test

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

func TestPatchesMerge(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	session := func() *domain.Session {
		s, err := w.Store.Sessions.Session(t.Context(), domain.DefaultWorkspace, "ses_1")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	c.Want(200, "PATCH", "/v1/sessions/ses_1", `{"provider_id":"prv_1","budgets":{"max_tokens_per_round":7}}`)
	c.Want(200, "PATCH", "/v1/sessions/ses_1", `{"provider_id":null,"budgets":{"max_cost_per_session":2.5}}`)
	servertest.Equal(t, "budgets", session().Budgets, domain.Budgets{MaxTokensPerRound: new(int64(7)), MaxCostPerSession: new(2.5)})
	servertest.Equal(t, "no provider of its own", session().ProviderID, "")
	c.Want(200, "PATCH", "/v1/sessions/ses_1", `{"budgets":{"max_tokens_per_round":null}}`)
	servertest.Equal(t, "one budget taken away", session().Budgets, domain.Budgets{MaxCostPerSession: new(2.5)})
	c.Want(200, "PATCH", "/v1/sessions/ses_1", `{"budgets":null}`)
	servertest.Equal(t, "all taken away", session().Budgets, domain.Budgets{})
	c.Want(200, "PATCH", "/v1/sessions/ses_1", `{}`)
	servertest.Equal(t, "nothing", servertest.LastAsked[domain.SessionPatch](t, w), domain.SessionPatch{})

	c.Want(200, "PATCH", "/v1/zones/zon_1", `{"description":null,"require_validation":true}`)
	zone, err := w.Store.ReadData(domain.DefaultWorkspace).Zone(t.Context(), "zon_1")
	if err != nil {
		t.Fatal(err)
	}
	servertest.Equal(t, "zone", []any{zone.Name, zone.Description, zone.RequireValidation}, []any{"Health", "", true})
	data := w.Store.ReadData(domain.DefaultWorkspace)
	for _, x := range [][2]string{{`{"max":9}`, `{"max":9,"unit":"km"}`}, {`{"max":9,"unit":null}`, `{"max":9}`}} {
		c.Want(200, "PATCH", "/v1/tools/tol_1", `{"config":`+x[0]+`}`, "Content-Type", "application/merge-patch+json")
		tool, err := data.Tool(t.Context(), "tol_1")
		if err != nil {
			t.Fatal(err)
		}
		servertest.Equal(t, "a tool's config", string(tool.Config), x[1])
	}
	servertest.Equal(t, "null is no config", c.Want(422, "PATCH", "/v1/tools/tol_1", `{"config":null}`).Body["code"], "invalid")
	mood := c.Want(201, "POST", "/v1/tools", `{"zone_id":"zon_1","tool_type":"mood","name":"Mood"}`).Body["id"].(string)
	felt := c.Want(201, "POST", "/v1/tools/"+mood+"/entries", `{"data":{"value":8}}`).Body["id"].(string)
	servertest.Equal(t, "an entry's data", c.Want(200, "PATCH", "/v1/entries/"+felt, `{"data":{"note":"late"}}`).Body["data"], map[string]any{"note": "late", "value": 8.0})
	c.Want(200, "PATCH", "/v1/entries/ent_1", `{"timestamp":"2026-01-01T01:00:00.1234567+01:00"}`)
	entry, err := w.Store.ReadData(domain.DefaultWorkspace).Entry(t.Context(), "ent_1")
	if err != nil {
		t.Fatal(err)
	}
	servertest.Equal(t, "entry", []any{entry.Timestamp, string(entry.Data), entry.SessionID}, []any{time.Date(2026, 1, 1, 0, 0, 0, 123456000, time.UTC), `{"value":8}`, ""})
}
