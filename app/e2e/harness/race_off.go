//go:build !race

package harness

// Raced says that the race detector is on.
const Raced = false
