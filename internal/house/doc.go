// Package house holds the tests that keep the project's shape: who may import whom,
// which versions belong together, where the clock is read.
package house
