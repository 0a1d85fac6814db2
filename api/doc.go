// Package api is the wire: the types that openapi.yaml describes, generated from it
// (api.gen.go: what is answered; requests.gen.go: what is sent), and the mapping of them
// from and to the domain's nouns. It does no I/O.
//
// A new field of a request is: openapi.yaml, go generate ./api, and its line in in_*.go.
// Its bounds become the tags that handlers hold a body to; what a schema cannot say of it
// (a name is one line) stands in requests/rules.go. A new field of an answer is:
// openapi.yaml, go generate ./api, and its line where its noun is mapped.
package api

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../openapi.yaml
//go:generate go run ./queries
//go:generate go run ./requests
