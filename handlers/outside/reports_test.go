package outside

import (
	"net/http"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/auth"
)

// TestASignedReportIsOfOneTask: what was taken for one task is not taken for another one.
func TestASignedReportIsOfOneTask(t *testing.T) {
	const secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `{"status":"succeeded"}`
	at := time.Date(2026, 3, 2, 12, 1, 0, 0, time.UTC)
	routes := &TaskHandlers{reports: newReports(func() time.Time { return at })}
	h := http.Header{}
	if err := auth.SignWebhook(h, "evt_f", at, []byte(body), secret); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false, false} {
		task := "tsk_1"
		if i > 1 {
			task = "tsk_2"
		}
		if got := routes.isOf(task, h, []byte(body), []string{secret}); got != want {
			t.Errorf("%d: taken for %s: %v", i, task, got)
		}
		h.Add(auth.HeaderWebhookSignature, "v1,other") // more signatures make no other message
	}
}
