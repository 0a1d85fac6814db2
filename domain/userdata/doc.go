// Package userdata holds the nouns of the user's data and their rules: zones, tools, entries, documents and the
// definitions of agents, their patches, conditions on entries, and search.
package userdata
