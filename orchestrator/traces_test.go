package orchestrator

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/traces"
	"github.com/fermata-dev/fermata/providers"
)

// TestACallOfTheAIIsPartOfItsRoundsTrace: that which the person's request came with, else one
// that follows from the round's id.
func TestACallOfTheAIIsPartOfItsRoundsTrace(t *testing.T) {
	given := strings.Repeat("ab", 16)
	for _, said := range []string{"", given} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			var got string
			w.model.then(func(ctx context.Context, _ *providers.Request) (*providers.Answer, error) {
				got = traces.ParentOf(ctx)
				return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "Hello.", StopReason: "stop"}}, nil
			})
			w.sayIn(said, "hi")
			s := w.rest()
			want := said
			if said == "" {
				want = traces.Of(s.State.RoundID)
			}
			if traces.Read(got) != want {
				t.Errorf("called with %q, want the trace %s", got, want)
			}
		})
	}
}
