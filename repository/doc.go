// Package repository stores the state of Fermata in SQLite or PostgreSQL, with one SQL text for both.
//
// A Store writes changes (change.go) and the user's data (Data, data.go), each atomically.
// Everything else has a store per aggregate, in a file of its own: its row struct, whose db tags are
// the only place that names its columns, the conversions between row and domain, and its statements.
//
//	internal/sqldb  connections, transactions, rows and pages: the differences between the
//	                databases, and the recovery from a lost reply to COMMIT; independent of
//	                the stored nouns
//	search          the full-text index of the user's texts, one implementation per database
//	suite           the tests that both databases must pass
//
// A workspace's row is its lock: a transaction that writes events takes the next numbers from it, so
// the log has no gaps and a reader that requests the events after n can never miss one. Locks are
// taken in one order: the workspace, then its sessions.
package repository
