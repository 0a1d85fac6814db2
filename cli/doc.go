// Package cli is what a person types: commands that talk to a running server over its
// public API alone, and the reading of the command line.
package cli
