// Package traces derives the ids of distributed traces in the format of W3C Trace Context. A round is a
// trace, and each of its external requests is a span. Their ids follow from those of the round and the
// call, so that they need not be stored and can be computed from a log.
package traces
