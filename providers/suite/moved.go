package suite

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
)

// moved: an answer that sends the call elsewhere ends it. Neither the conversation nor
// the key reaches another host, or another path of the same one.
func moved(t *testing.T, wire Wire) {
	var elsewhere atomic.Int64
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer canary.Close()
	var asked atomic.Int64
	var code int
	to := canary.URL + "/a-path?a=query"
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, to, code)
	}))
	defer vendor.Close()
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	defer client.CloseIdleConnections()
	p := wire.New(t, vendor.URL, key, client)
	for _, code = range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		for _, to = range []string{canary.URL + "/a-path?a=query", vendor.URL + "/a-path?a=query", "/a-path?a=query"} {
			for _, onDelta := range []func(providers.Delta){nil, func(providers.Delta) {}} {
				asked.Store(0)
				_, err := p.Query(t.Context(), &providers.Request{Prompt: wire.prompt(), NewID: repeatable.IDs(), OnDelta: onDelta})
				var e *providers.Error
				if !errors.As(err, &e) || e.Class != providers.ClassInvalidRequest || !strings.Contains(e.Message, "moved to http://127.0.0.1:") || strings.Contains(e.Message, "a-path") {
					t.Errorf("%d to %s: %v", code, to, err)
				}
				if asked.Load() != 1 || elsewhere.Load() != 0 {
					t.Errorf("%d to %s: %d requests, %d elsewhere", code, to, asked.Load(), elsewhere.Load())
				}
			}
		}
	}
}
