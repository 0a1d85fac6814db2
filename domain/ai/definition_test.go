package ai

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestDefinitionTokens: a definition costs its texts and what is around them.
func TestDefinitionTokens(t *testing.T) {
	for _, tt := range []struct {
		spec domain.CommandSpec
		want int
	}{
		{domain.CommandSpec{}, 22},
		{domain.CommandSpec{Name: "ZONES"}, 24},
		{domain.CommandSpec{Name: "ZONES", Description: "List them all.", Params: []byte(`{"type":"object"}`)}, 32},
	} {
		if got := DefinitionTokens(&tt.spec); got != tt.want {
			t.Errorf("%+v has %d tokens, want %d", tt.spec, got, tt.want)
		}
	}
}
