// Package health stands in front of every provider: it remembers which of them are down
// or asked to be left alone, so that a call that would fail is not made. What it knows
// is this process's own and is lost with it: it saves calls, and decides nothing that
// must be kept.
package health
