// Package fermata holds what stands at the repository's root and belongs into the
// binary: the API's contract.
package fermata

import _ "embed"

// OpenAPI is openapi.yaml, served at /openapi.yaml.
//
//go:embed openapi.yaml
var OpenAPI []byte
