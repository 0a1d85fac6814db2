//go:build !nextschema

package migrations

import "io/fs"

// withNext is for the test build alone (next.go).
func withNext(all layers) fs.FS { return all }
