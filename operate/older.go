package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/maintenance"
)

// loadOlder loads an archive of an older schema: its rows go through a SQLite file of that
// schema, which is brought up to date as every database is, and exported again.
func loadOlder(ctx context.Context, into *repository.Store, head *reader, f io.ReadSeeker, o Options) (done *Imported, err error) {
	dir, err := os.MkdirTemp("", "fermata-import-*") // readable by its owner only
	if err != nil {
		return nil, nothing(fmt.Errorf("make room for an archive of an older schema: %w", err))
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "older.db")
	if err := atSchema(ctx, path, head.Schema, f); err != nil {
		return nil, nothing(fmt.Errorf("read an archive of the schema %d: %w", head.Schema, err))
	}
	again := filepath.Join(dir, "again.jsonl")
	h := header{Scope: head.Scope, Workspace: head.Workspace, MadeAt: head.MadeAt, MadeBy: head.MadeBy}
	if _, err := export(ctx, Place{Path: path}, h, again); err != nil {
		return nil, nothing(fmt.Errorf("bring an archive of the schema %d up to date: %w", head.Schema, err))
	}
	renewed, err := os.Open(again)
	if err != nil {
		return nil, err
	}
	defer func() { _ = renewed.Close() }() // it was only read
	if done, err = load(ctx, into, renewed, o); err == nil {
		done.LeftOut = head.LeftOut
	}
	return done, err
}

// atSchema makes a SQLite file of an older schema with the rows of an archive, and brings it
// up to date.
func atSchema(ctx context.Context, path string, schema int64, f io.ReadSeeker) (err error) {
	err = maintenance.WriteSchema(ctx, path, schema, func(t *maintenance.Tx) error {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r, err := newReader(f)
		if err != nil {
			return err
		}
		return (&loader{ctx: ctx, t: t, from: r, columns: map[string][]column{}}).all()
	})
	if err != nil {
		return err
	}
	s, err := openStore(ctx, Place{Path: path})
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(ctx), s.Close())
}
