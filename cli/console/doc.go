// Package console is a terminal interface with an input at the bottom, above which answers arrive. It
// displays untrusted plain text or Markdown; no control character of it reaches the terminal.
package console
