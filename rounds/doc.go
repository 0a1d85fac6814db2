// Package rounds sends a message, or a client's tool results, to a session and follows the round
// that answers it. It is shared by the adapters of all client protocols: finding a message that was
// sent before, storing attachments, merging streamed text, reading the progress of a round from the
// record, and writing event streams. It keeps no state of its own, except a cache of session names.
//
// A message is found by what its protocol has for it: an id (Find), an idempotency key or its text
// (FindText), the history that a client sends (FindHistory), or the message before it (FindAfter). All of
// them store a message once.
//
// A round is followed in two ways. Follow ends when the record says that the round is over or waits for a
// person: the client sees the round as it is now, with answers that were requested again. FollowEvents ends at
// the event that ended the round: the answer to a request does not change when the session continues.
package rounds
