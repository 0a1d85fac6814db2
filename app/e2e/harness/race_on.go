//go:build race

package harness

// Raced says that the race detector is on: SQLite is some ten times slower with it, so
// the longest stories are told shorter.
const Raced = true
