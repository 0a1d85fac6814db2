// Package cli parses the command line, and implements the commands that manage a server's resources through its public
// API. The chat, the diagnosis and what all commands share are in its folders.
package cli
