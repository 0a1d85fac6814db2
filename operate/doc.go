// Package operate is what an operator runs on the database: backup, restore, export, import, the check before an
// upgrade, the rotation of the secret key, and the doctor's checks.
//
// Data leaves a database and enters it again: complete installations, for disaster recovery, and single workspaces, for
// the move to another database.
// A backup of SQLite is a SQLite file: a snapshot of the database, taken while the server keeps
// running. Everything else is an archive: lines of JSON, one row each, which can be read without
// Fermata and have the same format for both databases (archive.go). The tables of a workspace are
// read from the schema; tables.go defines how each of them is exported.
package operate
