package openai

import (
	"errors"
	"testing"
)

// TestCallsAreCountedBeforeTheyAreKept: each is held against all others, so a chunk full
// of them must not be read to its end.
func TestCallsAreCountedBeforeTheyAreKept(t *testing.T) {
	var a answer
	a.start(abilities{}, nil)
	a.chunk.calls = make([]callDelta, 100_000)
	for i := range a.chunk.calls {
		a.chunk.calls[i] = callDelta{index: i, name: []byte("A")}
	}
	if err := a.add(); !errors.Is(err, errTooLarge) || len(a.calls.calls) != 0 {
		t.Errorf("%d calls: %v", len(a.calls.calls), err)
	}
}
