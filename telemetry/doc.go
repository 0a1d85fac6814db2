// Package telemetry observes the server: metrics for Prometheus, the process log of what was committed, and OpenTelemetry traces.
//
// There is one trace per round, with a span for each AI call and
// each execution of a command, named by the GenAI semantic conventions; and one trace per approval, linked
// to the round that requested it.
//
// Spans are created from committed changes. A trace therefore agrees with the record, needs no memory while
// a round waits for days, and stays one trace if a round continues in another process after a crash: its
// ids follow from stored ids (internal/traces), and are those of outgoing requests.
package telemetry
