// Package cli parses the command line and implements the commands that use a running server through its
// public API.
package cli
