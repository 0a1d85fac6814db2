// Package nodes stores the leases of the processes that share a database, and which of them drives which sessions.
package nodes
