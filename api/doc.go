// Package api is the wire: the types that openapi.yaml describes (api.gen.go, generated
// from it) and the mapping from the domain's nouns to them. It does no I/O.
package api

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../openapi.yaml
//go:generate go run ./queries
