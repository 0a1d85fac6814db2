// Package connectors carries out commands that other servers offer. Each kind has a package
// of its own, which knows one protocol and nothing of sessions: connectors/httpcommand,
// connectors/mcp, connectors/longrunning. What all of them promise stands in Connection.
package connectors
