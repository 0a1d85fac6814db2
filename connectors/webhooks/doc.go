// Package webhooks tells others of what happens: the events of a workspace's log, under the
// log's names and numbers, sent to the addresses that people entered and signed by Standard
// Webhooks.
//
// Nothing is written when an event happens. A webhook has a number up to which it was told;
// what comes after it is read from the log, sent, and recorded, in this order: so an event is
// sent at least once. Events of one session are sent one after the other. A session whose
// event does not arrive gets a lane of its own, with a number of its own, and the others go
// on.
//
// Service is what people do with webhooks. Loop sends: one worker for each webhook that has
// something to do, on one node at a time.
package webhooks
