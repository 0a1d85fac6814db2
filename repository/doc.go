// Package repository keeps everything that Fermata remembers, in SQLite or in
// PostgreSQL, with one SQL text for both.
//
// A Store writes changes (change.go) and the user's data (Data, data.go), each whole or
// not at all. What else is read and kept has a store of its own for each aggregate, in a
// file of its own: its row struct, whose db tags are the one place where its columns are
// named, the row's two ways to and from the domain, and its statements.
//
//	internal/sqldb  connections, transactions, rows and pages: what differs between the
//	                databases, and how a lost reply to COMMIT is found out. It knows no noun
//	search          the words of what the user wrote, in an index of each database's own
//	suite           the stories that both databases must pass
//
// A workspace's row is its lock: whoever writes events takes the next numbers from
// it, in the same transaction, so the log has no gaps and a reader that asks for
// "after n" can never miss one. Locks are taken in one order, workspace, then
// sessions.
package repository
