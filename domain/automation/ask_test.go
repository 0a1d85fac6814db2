package automation

import (
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestPlainAutomation: what is asked for by name alone is enabled, runs once after a downtime, skips an overlap, ends by
// itself, and is offered every command.
func TestPlainAutomation(t *testing.T) {
	ask := Plain("Morning", "key_1")
	if ask.Name != "Morning" || ask.By != "key_1" || !ask.Enabled || ask.Schedule != nil || ask.RequireValidation {
		t.Errorf("%+v", ask)
	}
	if ask.Misfire != MisfireOnce || ask.Overlap != OverlapSkip || ask.Completion != CompletionAuto {
		t.Errorf("its policies are %s, %s and %s", ask.Misfire, ask.Overlap, ask.Completion)
	}
	if !slices.Equal(ask.Commands, []string{domain.AllCommands}) {
		t.Errorf("it is offered %q", ask.Commands)
	}
	if ask.Owner != "" {
		t.Errorf("it belongs to %q, and not to the workspace", ask.Owner)
	}
}
