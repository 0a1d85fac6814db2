//go:build race

package e2e

// raced says that the race detector is on: SQLite is some ten times slower with it, so
// the longest stories are told shorter.
const raced = true
