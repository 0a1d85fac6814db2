// Package mcpserver is the door for clients of the Model Context Protocol, in its revisions
// 2026-07-28 and 2025-11-25: the sessions, data and automations of a workspace as tools, its
// published documents as resources. What comes in passes the scheduler's door, what goes out
// is read from the record; nothing is kept or decided here, so any node answers any request.
package mcpserver
