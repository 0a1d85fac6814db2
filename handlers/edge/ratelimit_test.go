package edge_test

import (
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// The remaining quota of a key is in the headers of its responses, in the form of the IETF's
// draft.
func TestResponsesHaveRateLimitHeaders(t *testing.T) {
	c := servertest.NewWorld(t).ServeWith(t, edge.RateLimits{PerSecond: 1e-3, Burst: 3})
	for i, want := range []string{`"default";r=2;t=1000`, `"default";r=1;t=2000`, `"default";r=0;t=3000`} {
		got := c.Want(200, "GET", "/v1/zones", "", "Authorization", "Bearer viewer")
		servertest.Equal(t, fmt.Sprint("RateLimit, request ", i+1), got.Header.Get("RateLimit"), want)
		servertest.Equal(t, "RateLimit-Policy", got.Header.Get("RateLimit-Policy"), `"default";q=3;w=3000`)
	}
	got := c.Want(429, "GET", "/v1/zones", "", "Authorization", "Bearer viewer")
	servertest.Equal(t, "RateLimit at the end", got.Header.Get("RateLimit"), `"default";r=0;t=3000`)
	servertest.Equal(t, "Retry-After", got.Header.Get("Retry-After"), "1001")
}
