package web

import (
	"embed"
	"io/fs"
)

// The output of the page's build. Without a build the folder exists, but is empty.
//
//go:embed all:dist
var dist embed.FS

//go:embed unbuilt
var unbuilt embed.FS

// Files are the page's files, with index.html at the root: the built page, or one that
// explains how to build it. Built reports whether it is the built page.
var Files, Built = choose(mustSub(dist, "dist"), mustSub(unbuilt, "unbuilt"))

func choose(page, without fs.FS) (files fs.FS, built bool) {
	if _, err := fs.Stat(page, "index.html"); err != nil {
		return without, false
	}
	return page, true
}

func mustSub(files fs.FS, dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // dir is a constant, so this is a programming error
	}
	return sub
}
