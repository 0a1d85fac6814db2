// Package webpush implements the protocol of browsers' push services: it encrypts a message for one
// browser (RFC 8291), identifies the sender (VAPID, RFC 8292), and delivers it (RFC 8030).
package webpush
