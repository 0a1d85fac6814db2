//go:build race

package harness

// Raced reports that the race detector is on: SQLite is about ten times slower with it, so the longest tests are
// shortened.
const Raced = true
