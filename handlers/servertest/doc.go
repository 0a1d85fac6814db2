// Package servertest makes a whole server over its own database, wired as the program wires it, for the tests of handlers.
// Each server begins with the same data (fixture.go), and records what handlers request from their ports (seen.go).
package servertest
