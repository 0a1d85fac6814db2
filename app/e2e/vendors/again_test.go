package vendors

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// What a vendor is sent when a round is run again: not the earlier answer, on the model that
// was asked for, this once.
func TestASupersededAnswerLeavesThePrompt(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, v := newServer(t, db), newVendor(t)
		s.Configured("Far", v.url, true)
		chat := s.Chat()
		s.Say(chat, "What shall I cook?")
		s.Call("POST", "/v1/sessions/"+chat+"/retry", map[string]any{"model": "another-model"}).Want(200)
		s.Settle(chat)
		s.Say(chat, "And then?")
		bodies := v.sent()
		if len(bodies) != 3 {
			t.Fatalf("%d calls", len(bodies))
		}
		for i, want := range []struct {
			answers int
			other   bool
		}{{0, false}, {0, true}, {1, false}} {
			if n := strings.Count(bodies[i], "Fine."); n != want.answers {
				t.Errorf("call %d has %d earlier answers, want %d: %s", i+1, n, want.answers, bodies[i])
			}
			if got := strings.Contains(bodies[i], `"another-model"`); got != want.other {
				t.Errorf("call %d on another model: %v, want %v", i+1, got, want.other)
			}
		}
		calls := s.Calls(chat)
		if calls[1]["reason"] != "MANUAL_TRIGGER" {
			t.Errorf("the second call: %v", calls[1])
		}
		s.Sound()
	})
}

// sent are the bodies that came.
func (v *vendor) sent() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]string(nil), v.bodies...)
}
