// Package mcpserver serves clients of the Model Context Protocol, in its revisions 2026-07-28 and
// 2025-11-25: the sessions, data and automations of a workspace are tools, its published documents
// are resources. Messages and answers go to the scheduler, and results are read from the record. The
// package has no state and makes no decisions of its own, so that any node can answer any request.
package mcpserver
