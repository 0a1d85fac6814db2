// Package shorten cuts texts that are quoted, listed or logged to a limit. A text that was cut ends with an ellipsis,
// and is never cut within a character.
package shorten
