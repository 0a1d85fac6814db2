package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// TestOfferedToolsAreBounded: all are counted, commands are named as in the catalogue up to a bound,
// and client tools are not named.
func TestOfferedToolsAreBounded(t *testing.T) {
	specs := []domain.CommandSpec{{Name: "ZONES"}, {Name: "SHOP.ORDER", Source: "http"}}
	names := namesOnTheWire(specs)
	specs = append(onTheWire(specs), domain.CommandSpec{Name: "read_the_clipboard", Source: domain.SourceClient})
	if got := offeredTools(specs, names); got.Tools != 3 || !slices.Equal(got.Names, []string{"ZONES", "SHOP.ORDER"}) {
		t.Errorf("offered are %+v", got)
	}
	var many []domain.CommandSpec
	for i := range 3 * domain.MaxOfferedNames {
		many = append(many, domain.CommandSpec{Name: fmt.Sprintf("C%d", i)})
	}
	if got := offeredTools(many, namesOnTheWire(many)); got.Tools != len(many) || len(got.Names) != domain.MaxOfferedNames {
		t.Errorf("%d tools, %d names", got.Tools, len(got.Names))
	}
}

// TestACallRecordsWhatItOfferedAndItsAnswer for the process log.
func TestACallRecordsWhatItOfferedAndItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		offered := 0
		w.model.then(func(_ context.Context, r *providers.Request) (*providers.Answer, error) {
			offered = len(r.Prompt.Commands)
			return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "Déjà vu", StopReason: "stop"}}, nil
		})
		w.sayIn("", "hi")
		w.rest()
		if len(w.roundtrips) != 1 {
			t.Fatalf("%d calls are recorded", len(w.roundtrips))
		}
		call := w.roundtrips[0]
		if call.Offered == nil || call.Offered.Tools != offered || offered == 0 || len(call.Offered.Names) == 0 {
			t.Fatalf("%d tools were offered, recorded is %+v", offered, call)
		}
		if a := call.Answered; a == nil || a.ContentChars != 7 || a.ToolCalls != 0 || !a.Native {
			t.Errorf("the answer is recorded as %+v", a)
		}
	})
}
