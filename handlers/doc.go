// Package handlers is the HTTP API: routes.go is the whole table on one screen, and
// there is one file for each resource. A handler does five moves: read, check, call,
// map, write. What a body may be is said by the contract, whose types (package api) it is
// read into. A handler declares the small interfaces that it calls (ports.go, in groups in
// config.go) and knows neither the scheduler nor the repository.
//
// A new call is: openapi.yaml, go generate ./api, a row of routes.go, and a method of the
// group of routes that its resource belongs to (handlers.go). A call that changes
// something says in its row what a repetition is answered with after a crash (rebuild.go).
package handlers
