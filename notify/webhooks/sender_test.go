package webhooks

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
)

// A redirect is an answer: the delivery has its status and its target, and nothing is sent there.
func TestARedirectIsReportedAndNotFollowed(t *testing.T) {
	const secret = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0" // gitleaks:allow
	var location string
	status, requests := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		if location != "" {
			w.Header().Set("Location", location)
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	policy := egress.Policy{Private: egress.Open}
	s := &sender{client: egress.NewClient(egress.Config{Policy: policy}), policy: policy, agent: "fermata/test", clock: time.Now}
	for name, c := range map[string]struct {
		status   int
		location string
		want     string
	}{
		"moved for good":       {301, "https://u:p@new.example/a?key=1", "it answered 301 Moved Permanently, a redirect to https://new.example:443: redirects are not followed"},
		"found":                {302, "https://new.example/", "it answered 302 Found, a redirect to https://new.example:443: redirects are not followed"},
		"to the same server":   {303, "/other", "it answered 303 See Other, a redirect to " + server.URL + ": redirects are not followed"},
		"with the same method": {307, "http://new.example:8080/", "it answered 307 Temporary Redirect, a redirect to http://new.example:8080: redirects are not followed"},
		"for good, likewise":   {308, "http://169.254.169.254/", "it answered 308 Permanent Redirect, a redirect to http://169.254.169.254:80: redirects are not followed"},
		"an invalid target":    {302, "http://[bad", "it answered 302 Found: redirects are not followed"},
		"no host":              {302, "mailto:a@b.example", "it answered 302 Found: redirects are not followed"},
		"no target":            {302, "", "it answered 302 Found: redirects are not followed"},
		"no redirect":          {304, "https://new.example/", "it answered 304 Not Modified"},
		"a choice":             {300, "https://new.example/", "it answered 300 Multiple Choices"},
	} {
		status, location, requests = c.status, c.location, 0
		o := s.send(t.Context(), &outside.Webhook{URL: server.URL}, []string{secret}, "whk_1_1", &domain.LogEvent{Seq: 1}, "")
		if o.result != Refused || o.status != c.status || o.detail != c.want || requests != 1 {
			t.Errorf("%s: %d requests, %s %d %q", name, requests, o.result, o.status, o.detail)
		}
	}
}
