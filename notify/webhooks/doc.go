// Package webhooks delivers the events of a workspace's log to external URLs, with the names and
// numbers of the log and signed according to Standard Webhooks.
//
// Nothing is written when an event happens. Each webhook has a position in the log; later events
// are read, sent and recorded, in this order, so each event is sent at least once. The events of
// one session are sent in order. A session with an undeliverable event gets a lane with a position
// of its own, and the others continue.
//
// Service is the API for people. Loop sends: one worker for each webhook with pending events, on
// one node at a time.
package webhooks
