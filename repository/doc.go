// Package repository stores the state of Fermata in SQLite or PostgreSQL, with one SQL text for both.
//
// A Store writes changes (change.go), each atomically: sessions, messages, the record, the log, the
// queue and what other nouns have in a change. Each noun has a store, in a file of its own: its row
// struct, whose db tags are the only place that names its columns, the conversions between row and
// domain, and its statements. Families of nouns are packages of their own:
//
//	userdata       zones, tools, entries, documents, files and the definitions of agents
//	automations    automations, occurrences and grants
//	outside        providers, connectors, tasks, webhooks and pushes
//	people         keys, sign-ins and passkeys
//	requests       idempotency keys and stored responses
//	search         the full-text index of the user's texts, one implementation per database
//	suite          the tests that both databases must pass
//
// Exported methods of a store open a transaction; functions that take one compose. Both are built on
//
//	internal/transaction  what the stores share: the transaction of a workspace, its row, limits
//	internal/sqldb        connections, transactions, rows and pages: the differences between the
//	                      databases, and the recovery from a lost reply to COMMIT; independent of
//	                      the stored nouns
//
// A workspace's row is its lock: a transaction that writes events takes the next numbers from it, so
// the log has no gaps and a reader that requests the events after n can never miss one. Locks are
// taken in one order: the workspace, then its sessions.
package repository
