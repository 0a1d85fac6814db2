package traces

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// Header is the HTTP header that propagates the ids.
	Header = "Traceparent"

	traceLength, spanLength = 32, 16 // in hexadecimal digits
)

// Of is the trace id of an object, from its own id: its time-ordered part, if it has one, else a hash.
func Of(id string) string {
	_, text, _ := strings.Cut(id, "_")
	if valid(text, traceLength) {
		return text
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:traceLength/2])
}

// OfRound is the trace id of a round: that of the request that started it, if it had one.
func OfRound(said, round string) string {
	if valid(said, traceLength) {
		return said
	}
	return Of(round)
}

// Span is the span id of an object. The end of its id is random.
func Span(id string) string {
	if span := Of(id)[traceLength-spanLength:]; valid(span, spanLength) {
		return span
	}
	return Of("span of " + id)[:spanLength]
}

// Parent is the header value for an external request of a span. It is marked as sampled: there is a log
// line for it.
func Parent(trace, span string) string { return "00-" + trace + "-" + span + "-01" }

// Read extracts the trace id from a header value; "" if it has none.
func Read(header string) string {
	// version-trace-span-flags; a later version may append more.
	if len(header) < 55 || header[2] != '-' || header[35] != '-' || header[52] != '-' || len(header) > 55 && header[55] != '-' {
		return ""
	}
	trace, span := header[3:35], header[36:52]
	if header[:2] == "ff" || header[:2] == "00" && len(header) != 55 || !digits(header[:2]) || !digits(header[53:55]) ||
		!valid(trace, traceLength) || !valid(span, spanLength) {
		return ""
	}
	return trace
}

// valid accepts the given number of hexadecimal digits that are not all zero.
func valid(id string, length int) bool {
	return len(id) == length && digits(id) && strings.Trim(id, "0") != ""
}

func digits(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Key is the context key of a trace id set by other packages.
type Key struct{}

// From is the trace id of the incoming request; "" if it had none.
func From(ctx context.Context) string {
	trace, _ := ctx.Value(Key{}).(string)
	return trace
}

type parentKey struct{}

// With adds the header to requests made under the context.
func With(ctx context.Context, parent string) context.Context {
	return context.WithValue(ctx, parentKey{}, parent)
}

// ParentOf is the header value of requests made under the context; "" if there is none.
func ParentOf(ctx context.Context) string {
	parent, _ := ctx.Value(parentKey{}).(string)
	return parent
}
