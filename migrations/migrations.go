// Package migrations holds the schema of both databases as numbered steps. A step
// that was released is never changed; a new one is added for each database under the
// same number.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed postgres/*.sql sqlite/*.sql
var files embed.FS

// Postgres are the steps for PostgreSQL.
func Postgres() fs.FS { return of("postgres") }

// SQLite are the steps for SQLite.
func SQLite() fs.FS { return of("sqlite") }

func of(name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic("migrations: the embedded folder " + name + " is missing: " + err.Error())
	}
	return withNext(sub, name)
}
