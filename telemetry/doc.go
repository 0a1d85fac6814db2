// Package telemetry sends OpenTelemetry traces to a collector: one trace for each round, in it a
// span for each call of a model and each execution of a command, under the names of the GenAI
// semantic conventions; and one trace for each approval, linked with the round that asked.
//
// Spans are made of what was committed, when it is committed. So a trace says what the record
// says, nothing is kept for it while a round waits for days, and a round that goes on in another
// process after a crash is one trace all the same: its ids follow from the ids that are stored
// (internal/traces), and are those that requests out carry.
package telemetry
