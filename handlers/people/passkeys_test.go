package people_test

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestALinkSignsNothing: who has a link to a sensitive action may refuse it, and not approve it.
func TestALinkSignsNothing(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	c.Want(200, "PATCH", "/v1/settings", `{"sensitive_commands":["*"]}`)
	c.Want(409, "POST", "/v1/approvals/apr_1", `{"approved":true}`) // it was shown without the mark
	asked := c.Want(200, "GET", "/v1/approvals?status=open", "").Body["data"].([]any)[0].(map[string]any)
	path := c.LinkTo(asked["id"].(string), "ada@example.org")
	b := &servertest.Browser{T: t, C: c}
	if got := b.Press(path, "yes"); got.Status != 403 || !strings.Contains(got.Text, "needs a passkey") {
		t.Errorf("approved by the link: %d %s", got.Status, got.Text)
	}
	if got := b.Press(path, "no"); got.Status != 303 {
		t.Errorf("a no by the link: %d %s", got.Status, got.Text)
	}
	w.Wait(t, "ses_1", domain.Idle)
}
