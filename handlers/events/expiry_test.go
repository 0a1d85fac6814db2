package events_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/internal/clock"
)

// TestAStreamEndsWithItsToken: at once, with an event that says so, and a new token continues from the cursor; a stream whose token was
// revoked ends within a minute.
func TestAStreamEndsWithItsToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, handler := edgetest.Build(t, "", clock.System, nil)
		text, prefix, hash := auth.Mint()
		e.Store.Keys[hash] = &people.Key{
			ID: "key_" + prefix, WorkspaceID: "default", Role: domain.RoleViewer, Hash: hash, ActsFor: people.ActsForAny,
		}
		who := e.Config.Auth.(*auth.Authenticator)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/me", nil)
		r.Header.Set("Authorization", "Bearer "+text)
		program, err := who.Authenticate(r)
		if err != nil {
			t.Fatal(err)
		}
		listen := func(more ...string) (*edgetest.SSEClient, *auth.IssuedToken) {
			t.Helper()
			token, err := who.IssueToken(t.Context(), program, "ada", 100*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			headers := append([]string{"Authorization", "Bearer " + token.Text}, more...)
			return edgetest.ListenInside(t, handler, "/v1/sessions/ses_1/events", headers...), token
		}
		ended := func(c *edgetest.SSEClient) {
			t.Helper()
			if ev, open := c.Next(); open {
				t.Errorf("still open: %+v", ev)
			}
		}

		c, token := listen()
		c.Want("0:snapshot")
		c.Want("token.expired")
		if late := time.Since(token.ExpiresAt); late != 0 {
			t.Errorf("ended %s after its token", late)
		}
		ended(c)
		e.Broker.Publish(e.Store.Commit("ses_1", domain.LogSessionPhase))

		c, token = listen("Last-Event-ID", "0")
		c.Want("1:session.phase")
		time.AfterFunc(31*time.Second, func() {
			if err := who.RevokeTokens(t.Context(), program, token.Person); err == nil {
				t.Error("a person of another program lost their tokens")
			}
			e.People.LoseTokens()
			who.Changed()
		})
		c.Want("bye")
		if time.Now().After(token.ExpiresAt) {
			t.Error("a revoked token ended its stream only when it would have expired")
		}
		ended(c)
	})
}
