package admin_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/admin"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestStatusOfTheWholeIsForTheOperator verifies that an admin's key sees the status of its own workspace only.
func TestStatusOfTheWholeIsForTheOperator(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	acme := []string{"Fermata-Workspace", "acme"}
	c.Want(201, "POST", "/v1/providers", servertest.VendorBody(t), acme...)
	c.Want(201, "POST", "/v1/sessions", `{"message":"`+servertest.HoldOn+`"}`, acme...)
	c.Want(200, "PATCH", "/v1/sessions/ses_1/messages/msg_3", `{"text":"`+servertest.HoldOn+`"}`)
	c.Want(200, "POST", "/v1/sessions/ses_1/validation", `{"approved":true}`)
	for role, sessions := range map[string]float64{"admin": 1, "root": 2} {
		testkit.Until(t, fmt.Sprintf("%s sees %v active sessions", role, sessions), func() bool {
			return c.Do("GET", "/v1/admin/status", "", "Authorization", "Bearer "+role).Body["sessions"] == sessions
		})
	}
}

func TestReadyIsSaidOnlyWithADatabase(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	c.Want(200, "GET", "/readyz", "")
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if got := c.Want(503, "GET", "/readyz", ""); got.Header.Get("Retry-After") == "" {
		t.Error("not ready, and not a word on when to ask again")
	}
	c.Want(200, "GET", "/healthz", "")
}

// awayOnce is a database that is away for one call.
type awayOnce struct {
	admin.Health
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
	w := servertest.NewWorld(t)
	w.Config.Admin.Health = &awayOnce{Health: w.Config.Admin.Health}
	c := w.Serve(t)
	c.Want(503, "GET", "/readyz", "")
	c.Want(200, "GET", "/readyz", "")
}
