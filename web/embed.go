package web

import (
	"embed"
	"io/fs"
)

//go:embed page
var embedded embed.FS

// Files are the page's files, with index.html at the root.
var Files = mustSub(embedded, "page")

func mustSub(files fs.FS, dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // dir is a constant: only a mistake in this file comes here
	}
	return sub
}
