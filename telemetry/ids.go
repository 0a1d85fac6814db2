package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"github.com/fermata-dev/fermata/internal/traces"
)

// identity is which span something is: the trace and its own id in it.
type identity struct {
	trace trace.TraceID
	span  trace.SpanID
}

// identityOf is the span of something of ours in a trace.
func identityOf(inTrace, id string) (i identity) {
	// Both are made of hexadecimal digits by internal/traces.
	i.trace, _ = trace.TraceIDFromHex(inTrace)
	i.span, _ = trace.SpanIDFromHex(traces.Span(id))
	return i
}

func (i identity) context() trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: i.trace, SpanID: i.span, TraceFlags: trace.FlagsSampled, Remote: true})
}

type identityKey struct{}

// as has the next span that is begun under the context be this one.
func as(ctx context.Context, i identity) context.Context {
	return context.WithValue(ctx, identityKey{}, i)
}

// givenIDs has spans be what the context says, in place of ids that nobody could find again.
type givenIDs struct{}

func (givenIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	i, _ := ctx.Value(identityKey{}).(identity)
	return i.trace, i.span
}

func (givenIDs) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	i, _ := ctx.Value(identityKey{}).(identity)
	return i.span
}
