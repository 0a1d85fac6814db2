// Package remote is the client of a running server, over its public API: calls, lists that are read page by page, and
// events that are followed across reconnections.
package remote
