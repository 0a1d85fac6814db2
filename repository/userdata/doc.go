// Package userdata stores the user's data: zones, tools, their types and entries, documents, files
// and the definitions of agents. Data is bound to one workspace; what it writes is indexed for the
// search in the same transaction.
package userdata
