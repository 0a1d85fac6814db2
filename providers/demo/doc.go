// Package demo is a provider without a model: a few dozen patterns in English and
// French, for the first minute without a key and for tests. It says that it is a demo.
//
// It really works, though: it reads and changes data only by commands, sees only
// their results, and asks, waits and completes as a model would. Each call plans the
// person's request again from its start and replays what earlier calls of the same
// request brought (planner.go); the first command without a result is what it asks for
// next. So it keeps nothing between calls.
//
// A plan is written straight down, without checks: once a command has no result yet, or a
// problem was reported, the planner is stopped, and everything after it has no effect.
package demo
