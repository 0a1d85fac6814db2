// Package webpush speaks to the push services of browsers: it encrypts a message for one browser
// (RFC 8291), says who sends it (VAPID, RFC 8292), and hands it over (RFC 8030). It knows nothing
// of what is told.
package webpush
