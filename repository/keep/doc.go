// Package keep exports data from a database and imports it again: complete installations, for
// disaster recovery, and single workspaces, for the move to another database.
//
// A backup of SQLite is a SQLite file: a snapshot of the database, taken while the server keeps
// running. Everything else is an archive: lines of JSON, one row each, which can be read without
// Fermata and have the same format for both databases (archive.go). The tables of a workspace are
// read from the schema; tables.go defines how each of them is exported.
package keep
