package traces_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/traces"
)

const given = "4bf92f3577b34da6a3ce929d0e0e4736"

// TestIDsFollowFromOurs, are the same each time, and different for different things.
func TestIDsFollowFromOurs(t *testing.T) {
	round := "rnd_" + given
	if got := traces.Of(round); got != given {
		t.Errorf("the trace of %s is %s", round, got)
	}
	if got := traces.Span(round); got != given[16:] {
		t.Errorf("the span of %s is %s", round, got)
	}
	if got := traces.OfRound("", round); got != given {
		t.Errorf("a round without a trace of its request: %s", got)
	}
	other := strings.Repeat("ab", 16)
	if got := traces.OfRound(other, round); got != other {
		t.Errorf("a round with the trace %s: %s", other, got)
	}
	if got := traces.OfRound("no trace", round); got != given {
		t.Errorf("a round with something that is no trace: %s", got)
	}
	seen := map[string]string{}
	for _, id := range []string{"", "rnd_1", "rnd_2", "exe_", "rnd_" + strings.Repeat("0", 32), "rnd_" + strings.ToUpper(given),
		"exe_0123456789abcdef" + strings.Repeat("0", 16), ids.New("exe"), ids.New("exe"), "whk_1_17", "whk_1_18"} {
		trace, span := traces.Of(id), traces.Span(id)
		if trace != traces.Of(id) || span != traces.Span(id) {
			t.Errorf("%q has other ids each time", id)
		}
		if read := traces.Read(traces.Parent(trace, span)); read != trace {
			t.Errorf("%q: %s is read as %q", id, traces.Parent(trace, span), read)
		}
		for _, made := range []string{trace, span} {
			if before, there := seen[made]; there {
				t.Errorf("%q and %q are both %s", id, before, made)
			}
			seen[made] = id
		}
	}
}

// TestRead: what the specification of Trace Context calls valid, and nothing else.
func TestRead(t *testing.T) {
	valid := "00-" + given + "-00f067aa0ba902b7-01"
	for header, want := range map[string]string{
		valid:            given,
		valid[:54] + "0": given,
		"cc" + valid[2:] + "-what-the-future-will-be-like": given,
		"cc" + valid[2:]:           given,
		"cc" + valid[2:] + ".what": "",
		valid + "-more":            "",
		valid + ".":                "",
		"ff" + valid[2:]:           "",
		"0x" + valid[2:]:           "",
		valid[:53] + "0x":          "",
		valid[:54]:                 "",
		strings.ToUpper(valid):     "",
		"00-" + strings.Repeat("0", 32) + valid[35:]: "",
		valid[:36] + strings.Repeat("0", 16) + "-01": "",
		"":                      "",
		strings.Repeat("-", 55): "",
	} {
		if got := traces.Read(header); got != want {
			t.Errorf("%q names %q, want %q", header, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("00-" + given + "-00f067aa0ba902b7-01")
	f.Fuzz(func(t *testing.T, header string) {
		if trace := traces.Read(header); trace != "" && (len(trace) != 32 || traces.OfRound(trace, "rnd_1") != trace) {
			t.Errorf("%q names %q", header, trace)
		}
	})
}

// TestContexts carry what a request came with, and what those out go with.
func TestContexts(t *testing.T) {
	ctx := context.Background()
	if traces.From(ctx) != "" || traces.ParentOf(ctx) != "" {
		t.Error("an empty context has a trace")
	}
	if got := traces.From(context.WithValue(ctx, traces.Key{}, given)); got != given {
		t.Errorf("the request came with %q", got)
	}
	if got := traces.ParentOf(traces.With(ctx, "a header")); got != "a header" {
		t.Errorf("requests out carry %q", got)
	}
}
