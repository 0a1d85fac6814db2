// Package userdata holds the nouns of the user's data and their rules: zones, tools, entries and documents, their
// patches, conditions on entries, and search.
package userdata
