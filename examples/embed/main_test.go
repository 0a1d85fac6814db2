package main

import (
	"strings"
	"testing"
	"time"

	"context"
)

func TestTheServerInsideAnswers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out strings.Builder
	if err := run(ctx, &out); err != nil {
		t.Fatal(err)
	}
	if len(strings.TrimSpace(out.String())) < 20 {
		t.Errorf("the answer is %q", out.String())
	}
}
