// Package sqldb is how Fermata reaches its database, SQLite or PostgreSQL, with one SQL
// text for both; dialect.go holds what differs. It knows connections, transactions, rows
// and pages, and none of the nouns that are kept in them. Of the schema it knows the three
// tables in which it finds a transaction's mark again: workspaces, events and changes. Of
// the domain it takes the errors that a caller is told, and the size of a page.
//
// Three rules hold it together.
//
// Nothing is written outside an explicit transaction. When a reply is lost,
// database/sql repeats an autocommit statement by itself, and it is applied twice.
// So reading goes through a Reader, which cannot write, and only the type Tx can. With
// SQLite all of them come to one connection (writer.go), and share its COMMIT (group.go).
//
// An error from COMMIT means that nobody knows. Every transaction leaves a random
// mark (on its events, or a row of its own); after such an error the mark is looked
// up on a fresh connection, behind the lock that the lost transaction held, before
// anything else is decided.
//
// A column is named once, in the db tag of its row struct: lists of columns, INSERT,
// UPDATE and their values come from there (table.go).
package sqldb
