// Package connectors executes commands of other servers. Each kind is a package of its own that
// implements one protocol and does not depend on sessions: connectors/httpcommand, connectors/mcp,
// connectors/longrunning. Connection is their common contract.
package connectors
