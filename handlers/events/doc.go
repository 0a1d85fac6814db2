// Package events has the handlers for the log of events, as pages and as Server-Sent Events. A stream takes its position in
// the log before its response begins, replays from there and then follows live. Where it can, it goes on without net/http,
// so that ten thousand idle streams need little memory (takeover.go).
package events
