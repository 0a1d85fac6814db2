package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"github.com/fermata-dev/fermata/internal/traces"
)

// identity is the trace id and span id of a span.
type identity struct {
	trace trace.TraceID
	span  trace.SpanID
}

// identityOf is the span of an object in a trace.
func identityOf(inTrace, id string) (i identity) {
	// Both are hexadecimal, by internal/traces.
	i.trace, _ = trace.TraceIDFromHex(inTrace)
	i.span, _ = trace.SpanIDFromHex(traces.Span(id))
	return i
}

func (i identity) context() trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: i.trace, SpanID: i.span, TraceFlags: trace.FlagsSampled, Remote: true})
}

type identityKey struct{}

// as assigns the identity to the next span started under the context.
func as(ctx context.Context, i identity) context.Context {
	return context.WithValue(ctx, identityKey{}, i)
}

// givenIDs takes the ids of spans from the context instead of generating random ones.
type givenIDs struct{}

func (givenIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	i, _ := ctx.Value(identityKey{}).(identity)
	return i.trace, i.span
}

func (givenIDs) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	i, _ := ctx.Value(identityKey{}).(identity)
	return i.span
}
