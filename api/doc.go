// Package api has the wire format: the types of openapi.yaml, generated from it (api.gen.go: responses;
// requests.gen.go: requests), and their mapping from and to domain types. It does no I/O.
//
// A field of a noun has the same name here and in the noun's struct of fields in domain, and needs no line (fields.go). To
// add a field to another request: openapi.yaml, go generate ./api, and a line in in_*.go. Its limits become validation
// tags; rules that a schema cannot express (a name is one line) are in requests/rules.go. To add a field to a response:
// openapi.yaml, go generate ./api, and a line in the mapping of its type.
package api

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../openapi.yaml
//go:generate go run ./queries
//go:generate go run ./requests
