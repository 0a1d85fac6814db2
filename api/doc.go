// Package api is the wire: the types that openapi.yaml describes, generated from it
// (api.gen.go: what is answered; requests.gen.go: what is sent), and the mapping of them
// from and to the domain's nouns. It does no I/O.
package api

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../openapi.yaml
//go:generate go run ./queries
//go:generate go run ./requests
