// Package repository keeps everything that Fermata remembers, in SQLite or in
// PostgreSQL, with one SQL text for both; dialect.go holds what differs.
//
// Three rules hold it together.
//
// Nothing is written outside an explicit transaction. When a reply is lost,
// database/sql repeats an autocommit statement by itself, and it is applied twice.
// So reading goes through a reader, which cannot write, and only the type tx can;
// tx.go is the only file that makes one.
//
// An error from COMMIT means that nobody knows. Every transaction leaves a random
// mark (on its events, or a row of its own); after such an error the mark is looked
// up on a fresh connection, behind the lock that the lost transaction held, before
// anything else is decided.
//
// A workspace's row is its lock: whoever writes events takes the next numbers from
// it, in the same transaction, so the log has no gaps and a reader that asks for
// "after n" can never miss one. Locks are taken in one order, workspace, then
// sessions.
package repository
