// Package domain holds the nouns of Fermata and their rules: sessions, messages, commands, approvals, the
// user's data, and the Change with everything that a transaction writes.
//
// It imports the standard library only and does no I/O: it reads no clock, draws no random number and
// starts no goroutine. Times and ids are passed in. A noun has a file of its own; phase.go is a table with
// a row for each phase, and events_*.go hold the events with their names. Struct tags are the names of
// fields in the database's text columns; package api maps to the wire.
package domain
