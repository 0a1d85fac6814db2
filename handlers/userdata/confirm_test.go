package userdata_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/repository"
)

// TestARowIsConfirmedOnce: a row shows what it contains; a person confirms it at the version they saw, which is recorded and
// makes a new version; the same again changes nothing.
func TestARowIsConfirmedOnce(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	_, err := w.Store.WriteData(t.Context(), domain.DefaultWorkspace, func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
		zone, err := d.Zone(ctx, "zon_1")
		if err != nil {
			return nil, err
		}
		var taint *domain.Taint
		zone.Trust = trust.BySession(taint.With(*domain.From(domain.OriginHTTP, "WEB.GET (Web)"))).Created(map[string]string{"name": "x"})
		return nil, d.UpdateZone(ctx, zone)
	})
	if err != nil {
		t.Fatal(err)
	}
	of := func(body map[string]any) map[string]any {
		own, _ := body["trust"].(map[string]any)
		return own
	}
	servertest.Equal(t, "level", of(c.Want(200, "GET", "/v1/zones/zon_1", "").Body)["level"], any("outside"))
	version, _ := c.Want(200, "GET", "/v1/zones/zon_1", "").Body["version"].(float64)
	current := fmt.Sprintf("%q", fmt.Sprint(version))
	c.Want(412, "POST", "/v1/zones/zon_1/trust", "", "If-Match", `"99"`)
	first := c.Want(200, "POST", "/v1/zones/zon_1/trust", "", "If-Match", current).Body
	servertest.Equal(t, "level", of(first)["level"], any("person"))
	if of(first)["confirmed_by"] == nil || of(first)["confirmed_at"] == nil || of(first)["from"] != nil {
		t.Errorf("the confirmed row is %v", first)
	}
	again := c.Want(200, "POST", "/v1/zones/zon_1/trust", "").Body
	servertest.Equal(t, "version", again["version"], first["version"])
}
