// Package sessions has the handlers for sessions: their messages, their record and its export, the slot and the queue, and
// approvals with their signed links. A handler makes five moves: read, check, call, map, write. What it calls is in ports.go.
package sessions
