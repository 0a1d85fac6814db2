// Package sqldb gives access to the database, SQLite or PostgreSQL, with one SQL text for both;
// dialect.go holds the differences. It provides connections, transactions, rows and pages, and is
// independent of the stored nouns. Of the schema it uses the three tables that hold the marks of
// transactions: workspaces, events and changes. Of the domain it uses the errors that callers get,
// and the size of a page.
//
// It keeps three rules.
//
// Nothing is written outside an explicit transaction. When a reply is lost, database/sql repeats
// an autocommit statement, which is then applied twice. So reads use a Reader, which cannot write,
// and only a Tx can. With SQLite all transactions share one connection (writer.go) and its COMMIT
// (group.go).
//
// After an error from COMMIT the outcome is unknown. Every transaction leaves a random mark (on its
// events, or in a row of its own); after such an error the mark is looked up on a new connection,
// behind the lock that the lost transaction held, before anything else is decided.
//
// A column is named once, in the db tag of its row struct: lists of columns, INSERT, UPDATE and
// their values are derived from there (table.go).
package sqldb
