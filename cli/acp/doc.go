// Package acp implements the agent side of the Agent Client Protocol, by which editors talk to
// agents over standard input and output. It is a client of the server's public API and stores
// nothing itself: sessions are created, read and followed at the server.
package acp
