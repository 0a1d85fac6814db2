// Package origins notes the sources of the external content in the rows that a command reads, whichever they are, so that the
// command's result has them.
package origins
