// Package httpcommand executes commands over plain HTTP: one API, one secret, and many commands. A
// person writes each command as a request template.
package httpcommand
