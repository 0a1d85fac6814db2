package providers

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// talker answers with so many bytes, MiB by MiB, until it is cut.
type talker struct {
	Provider
	mib  int
	sent int
}

func (f *talker) Query(ctx context.Context, r *Request) (*Answer, error) {
	piece := strings.Repeat("a", 1<<20)
	for f.sent < f.mib && ctx.Err() == nil {
		f.sent++
		if r.OnDelta != nil {
			r.OnDelta(Delta{Kind: DeltaText, Text: piece})
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return &Answer{Raw: &domain.RawAnswer{Text: strings.Repeat(piece, f.mib)}, Usage: domain.Usage{OutputTokens: 5}}, nil
}

func TestAnAnswerHasABound(t *testing.T) {
	for name, c := range map[string]struct {
		mib      int
		listen   bool
		tooLong  bool
		sent     int
		recorded int64 // tokens
	}{
		"at the bound":              {mib: 8, listen: true, sent: 8},
		"beyond it, while it comes": {mib: 20, listen: true, tooLong: true, sent: 9, recorded: (9<<20*2 + 6) / 7},
		"at the bound, whole":       {mib: 8, sent: 8},
		"beyond it, whole":          {mib: 9, tooLong: true, sent: 9, recorded: 5},
	} {
		f, received := &talker{mib: c.mib}, 0
		request := &Request{}
		if c.listen {
			request.OnDelta = func(d Delta) { received += len(d.Text) }
		}
		answer, err := Bounded(f).Query(t.Context(), request)
		var e *Error
		if tooLong := errors.As(err, &e); tooLong != c.tooLong || tooLong && (e.Class != ClassInvalidRequest || !e.Partial || e.Usage.OutputTokens != c.recorded) {
			t.Errorf("%s: %+v", name, err)
		}
		if (answer == nil) != c.tooLong || f.sent != c.sent || received > maxAnswer {
			t.Errorf("%s: %d MiB were made and %d bytes handed on", name, f.sent, received)
		}
	}
}

// A call cancelled for another reason returns that reason.
func TestABoundedCallKeepsItsCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the slot is another's")
	cancel(cause)
	if _, err := Bounded(&talker{mib: 1}).Query(ctx, &Request{}); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}
