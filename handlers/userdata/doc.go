// Package userdata has the handlers for the user's data: zones, tools and their types, entries, documents, files and
// search. A handler makes five moves: read, check, call, map, write. What it calls is in ports.go.
package userdata
