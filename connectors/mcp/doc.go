// Package mcp carries out the commands of servers that speak the Model Context Protocol, over
// streamable HTTP or as a process of our own. The protocol's handshake, its ids and its
// envelopes are the official SDK's; the bytes are ours (httpLink, stdioLink), so that
// nothing is unbounded, one bad answer never breaks the calls beside it, and every failure
// says whether anything left.
package mcp
