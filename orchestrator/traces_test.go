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

// TestAMessageThatWaitsKeepsItsTrace: the round that it begins later is a part of it, and that of the
// round before is not touched.
func TestAMessageThatWaitsKeepsItsTrace(t *testing.T) {
	first, second := strings.Repeat("ab", 16), strings.Repeat("cd", 16)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var got []string
		both := make(chan struct{})
		for range 2 {
			w.model.then(func(ctx context.Context, _ *providers.Request) (*providers.Answer, error) {
				got = append(got, traces.Read(traces.ParentOf(ctx)))
				<-both
				return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "Hello.", StopReason: "stop"}}, nil
			})
		}
		w.sayIn(first, "hi")
		synctest.Wait()
		w.sayIn(second, "and now?")
		close(both)
		if s := w.rest(); s.State.RoundTrace != second || len(got) != 2 || got[0] != first || got[1] != second {
			t.Errorf("called in the traces %v; the last round is of %s", got, s.State.RoundTrace)
		}
	})
}
