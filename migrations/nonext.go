//go:build !nextschema

package migrations

import "io/fs"

// withNext is for the test build alone (next.go).
func withNext(steps fs.FS, _ string) fs.FS { return steps }
