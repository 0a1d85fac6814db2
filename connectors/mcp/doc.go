// Package mcp executes commands of servers that implement the Model Context Protocol, over
// streamable HTTP or as a child process. Handshake, IDs and envelopes are those of the official
// SDK. The transports are our own (httpLink, stdioLink), so that all input is bounded, an invalid
// answer does not affect concurrent calls, and each failure reports whether the request may have
// been sent.
package mcp
