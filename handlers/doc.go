// Package handlers is the HTTP API as a whole. routes.go is the table of all routes with their roles, those of other
// protocols included; router.go serves it. The handlers are in packages of their own: one for each family of resources
// (sessions, userdata, automations, outside, people, admin), one for event streams (events), and edge for what all of
// them share. Package servertest makes a whole server for their tests, and edgetest the edge alone.
//
// A new endpoint is: openapi.yaml, go generate ./api, a row of routes.go, and a method of the handlers of its family. An
// endpoint that changes something says in its row how a response that was lost in a crash is rebuilt.
package handlers
