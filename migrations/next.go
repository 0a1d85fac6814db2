//go:build nextschema

package migrations

import (
	"embed"
	"io/fs"
)

// further are the steps of a version that does not exist: with the tag nextschema this one
// becomes the version after itself, and a test upgrades to it.
//
//go:embed next/*.sql next/postgres/*.sql
var further embed.FS

func withNext(all layers) fs.FS {
	next := folder(further, "next")
	if len(all) > 1 { // those of SQLite have no overrides
		all = append(layers{folder(next, "postgres")}, all...)
	}
	return append(all, next)
}
