//go:build nextschema

package migrations

import (
	"embed"
	"io/fs"
	"slices"
)

// further are the steps of a version that does not exist: with the tag nextschema this one
// becomes the version after itself, and a test upgrades to it.
//
//go:embed next/postgres/*.sql next/sqlite/*.sql
var further embed.FS

func withNext(steps fs.FS, database string) fs.FS {
	more, err := fs.Sub(further, "next/"+database)
	if err != nil {
		panic("migrations: the embedded folder next/" + database + " is missing: " + err.Error())
	}
	return both{steps, more}
}

// both are two folders that look like one.
type both struct{ first, second fs.FS }

// Open finds a file in either.
func (b both) Open(name string) (fs.File, error) {
	if f, err := b.first.Open(name); err == nil && name != "." {
		return f, nil
	}
	return b.second.Open(name)
}

// Glob finds files as fs.Glob does.
func (b both) Glob(pattern string) ([]string, error) {
	names, err := fs.Glob(b.first, pattern)
	if err != nil {
		return nil, err
	}
	more, err := fs.Glob(b.second, pattern)
	return slices.Concat(names, more), err
}
