// Package keep takes data out of a database and puts it back: whole installations, for the
// day after the disk broke, and single workspaces, for the move to another database.
//
// A backup of SQLite is a SQLite file: what the database held at one instant, taken while
// the server goes on. All else is an archive: lines of JSON, a row each, that can be read
// without Fermata and are the same whichever database they came from (archive.go). Which
// tables a workspace has is read from the schema; tables.go says of each what becomes of it.
package keep
