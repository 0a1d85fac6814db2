// Package explain finds out why a session waits: for what, until when, and what makes it continue. It decides nothing.
package explain
