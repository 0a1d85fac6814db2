// Package command is what the commands have in common: their environment, the flags that select a server, the output for
// people and for programs, files of definitions, and exit codes.
package command
