// Package suite records what an adapter of a client protocol writes while a session goes through
// a story: the events of the session, and the bytes on the wire. Each adapter compares its transcripts
// with reviewed files.
package suite
