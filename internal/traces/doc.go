// Package traces makes the ids by which a request can be followed from server to server, as W3C
// Trace Context writes them. A round is a trace and what it asks for outside is a span of it:
// their ids follow from those of the round and of the call, so that nothing is stored for them
// and whoever reads a log can compute them.
package traces
