package gemini

import (
	"errors"
	"testing"

	"google.golang.org/genai"

	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
)

// TestCallsAreCountedAsTheyCome: each is held against all others, so an event full of
// them must not be read to its end.
func TestCallsAreCountedAsTheyCome(t *testing.T) {
	parts := make([]*genai.Part, 100_000)
	for i := range parts {
		parts[i] = &genai.Part{FunctionCall: &genai.FunctionCall{Name: "A"}}
	}
	a := &answer{newID: repeatable.IDs()}
	err := a.add(&genai.GenerateContentResponse{Candidates: []*genai.Candidate{{Content: &genai.Content{Parts: parts}}}})
	if !errors.Is(err, errTooLarge) || len(a.calls) != maxCalls+1 {
		t.Errorf("%d calls: %v", len(a.calls), err)
	}
}
