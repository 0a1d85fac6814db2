package traces

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// Header carries the ids from server to server.
	Header = "Traceparent"

	traceLength, spanLength = 32, 16 // in hexadecimal digits
)

// Of is the id of the trace that something of ours is, from its own id: the one that its
// time-ordered part spells, else one made of the whole.
func Of(id string) string {
	_, text, _ := strings.Cut(id, "_")
	if valid(text, traceLength) {
		return text
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:traceLength/2])
}

// OfRound is the id of a round's trace: that of the request that began it, if it said one.
func OfRound(said, round string) string {
	if valid(said, traceLength) {
		return said
	}
	return Of(round)
}

// Span is the id of the span that something of ours is. The end of an id is its random part.
func Span(id string) string {
	if span := Of(id)[traceLength-spanLength:]; valid(span, spanLength) {
		return span
	}
	return Of("span of " + id)[:spanLength]
}

// Parent is the value of the header for what a span asks of another server. It is marked as
// sampled: there is a line of the log for it.
func Parent(trace, span string) string { return "00-" + trace + "-" + span + "-01" }

// Read gives the id of the trace that a header names, "" if it names none.
func Read(header string) string {
	// version-trace-span-flags; a later version may have more behind.
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

// valid: hexadecimal digits of that number, and not all of them zero.
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

// Key is that under which a context that is made elsewhere answers with a trace's id.
type Key struct{}

// From is the id of the trace that a request came with, "" if it came with none.
func From(ctx context.Context) string {
	trace, _ := ctx.Value(Key{}).(string)
	return trace
}

type parentKey struct{}

// With makes requests that are made under the context carry a header.
func With(ctx context.Context, parent string) context.Context {
	return context.WithValue(ctx, parentKey{}, parent)
}

// ParentOf is the header of requests that are made under the context, "" if there is none.
func ParentOf(ctx context.Context) string {
	parent, _ := ctx.Value(parentKey{}).(string)
	return parent
}
