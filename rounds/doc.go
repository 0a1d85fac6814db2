// Package rounds sends a message, or a client's tool results, to a session and follows the round
// that answers it. It is shared by the adapters of all client protocols: finding a message that was
// sent before, storing attachments, merging streamed text, reading the progress of a round from the
// record, and writing event streams. It keeps no state of its own, except a cache of session names.
package rounds
