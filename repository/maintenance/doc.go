// Package maintenance gives operators' tools access to a database without a store: to read it beside a server, to write rows
// of any table, and to handle the files of SQLite.
package maintenance
