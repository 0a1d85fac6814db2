package operate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/maintenance"
)

// Place is a database: the URL of PostgreSQL, or the path of a SQLite file.
type Place = maintenance.Place

// Exported says what an archive holds.
type Exported struct {
	File    string            `json:"file"`
	Bytes   int64             `json:"bytes"`
	Schema  int64             `json:"schema"`
	Rows    map[string]int64  `json:"rows"`
	Content string            `json:"content_sha256"`
	LeftOut map[string]string `json:"left_out"`
	// AtWork are the sessions that were in the middle of something.
	AtWork int64 `json:"sessions_at_work"`
}

// ExportWorkspace writes the archive of a workspace as it is at one instant to a file; the
// server may run meanwhile.
func ExportWorkspace(ctx context.Context, from Place, workspace, target, madeBy string, now time.Time) (*Exported, error) {
	h := header{Scope: ofWorkspace, Workspace: workspace, MadeBy: madeBy, MadeAt: now.UTC().Format(time.RFC3339)}
	return export(ctx, from, h, target)
}

// BackupPostgres writes all workspaces, with their keys and sealed secrets, to a file; the
// servers may run meanwhile.
func BackupPostgres(ctx context.Context, url, target, madeBy string, now time.Time) (*Exported, error) {
	return export(ctx, Place{URL: url}, header{Scope: ofInstallation, MadeBy: madeBy, MadeAt: now.UTC().Format(time.RFC3339)}, target)
}

func export(ctx context.Context, from Place, h header, target string) (done *Exported, err error) {
	db, err := from.Open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := from.Begin(ctx, db)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // it only read
	e := &exporter{ctx: ctx, tx: tx, postgres: from.URL != "", header: h}
	if err := e.prepare(); err != nil {
		return nil, err
	}
	var end *lastLine
	size, err := writeWhole(target, func(out io.Writer) (err error) {
		end, err = e.write(out)
		return err
	})
	if err != nil {
		return nil, err
	}
	done = &Exported{File: target, Bytes: size, Schema: e.header.Schema, Rows: end.Rows, Content: end.Content, LeftOut: e.header.LeftOut}
	done.AtWork, err = e.count("SELECT COUNT(*) FROM sessions WHERE status = 'running'" + e.only("workspace_id", " AND"))
	return done, err
}

// writeWhole writes a file that its owner alone may read, and that has its name only once it
// is whole and on the disk.
func writeWhole(target string, write func(io.Writer) error) (size int64, err error) {
	if err := free(target); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*.part") // of mode 0600
	if err != nil {
		return 0, fmt.Errorf("make the file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(write(toDisk{f}), f.Sync()); err != nil {
		return 0, errors.Join(fmt.Errorf("write %s: %w", target, err), f.Close())
	}
	info, err := f.Stat()
	if err != nil {
		return 0, errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return 0, fmt.Errorf("write %s: %w", target, err)
	}
	return info.Size(), maintenance.Publish(f.Name(), target)
}

// toDisk says what an error of the disk usually means.
type toDisk struct{ io.Writer }

func (d toDisk) Write(b []byte) (int, error) {
	n, err := d.Writer.Write(b)
	if err != nil {
		err = fmt.Errorf("%w (is the disk full? Nothing was left there; free some room, or write to another disk)", err)
	}
	return n, err
}

// exporter reads the tables of a scope at one instant.
type exporter struct {
	ctx      context.Context
	tx       *sql.Tx
	postgres bool
	header   header
}

// only is the condition that a column names the workspace, if the archive is of one.
func (e *exporter) only(column, before string) string {
	if e.header.Scope == ofInstallation {
		return ""
	}
	return before + " " + column + " = $1"
}

// without is the condition that a row is in an archive of a workspace.
func (e *exporter) without(t *table) string {
	if t.apart == "" || e.header.Scope == ofInstallation {
		return ""
	}
	return " AND NOT (" + t.apart + ")"
}

// rows asks with the workspace as $1, if the archive is of one.
func (e *exporter) rows(query string) (*sql.Rows, error) {
	if e.header.Scope == ofInstallation {
		return e.tx.QueryContext(e.ctx, query)
	}
	return e.tx.QueryContext(e.ctx, query, e.header.Workspace)
}

// count reads one number.
func (e *exporter) count(query string) (n int64, err error) {
	rows, err := e.rows(query)
	if err != nil {
		return 0, fmt.Errorf("read the database: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if rows.Next() {
		err = rows.Scan(&n)
	}
	return n, errors.Join(err, rows.Err())
}

// prepare completes the header.
func (e *exporter) prepare() error {
	var err error
	if e.header.Schema, err = schemaOf(e.ctx, e.tx); err != nil {
		return err
	}
	newest, err := maintenance.Newest(e.postgres)
	switch {
	case err != nil:
		return err
	case e.header.Schema > newest:
		return newer(e.header.Schema, newest)
	case e.header.Schema < newest:
		return fmt.Errorf("the database has the schema %d, and this Fermata exports %d: bring it up to date first (fermata migrate)",
			e.header.Schema, newest)
	}
	e.header.Format, e.header.Version, e.header.LeftOut = format, formatVersion, map[string]string{}
	there, err := e.count("SELECT COUNT(*) FROM workspaces" + e.only("id", " WHERE"))
	if err != nil {
		return err
	}
	if e.header.Scope == ofInstallation {
		return nil
	}
	if there == 0 {
		return e.unknown()
	}
	return e.name()
}

// unknown: there is no workspace of that name; these are there.
func (e *exporter) unknown() error {
	there, err := texts(e.ctx, e.tx, "SELECT id FROM workspaces ORDER BY id LIMIT 20")
	if err != nil {
		return fmt.Errorf("read the workspaces: %w", err)
	}
	return fmt.Errorf("there is no workspace %q; there are: %s", e.header.Workspace, strings.Join(there, ", "))
}

// name says what an archive of this workspace leaves out, where there is such a thing.
func (e *exporter) name() error {
	for _, t := range tables {
		if t.stays != "" && t.never == "" {
			n, err := e.count("SELECT COUNT(*) FROM " + t.name + " WHERE" + e.only("workspace_id", ""))
			if err != nil {
				return err
			}
			if n > 0 {
				e.header.LeftOut[t.name] = domain.Many(n, "row") + ": " + t.stays
			}
		}
		if t.why != "" {
			n, err := e.count("SELECT COUNT(*) FROM " + t.name + " WHERE " + t.apart + e.only("workspace_id", " AND"))
			if err != nil {
				return err
			}
			if n > 0 {
				e.header.LeftOut[t.name] = domain.Many(n, "row") + ": " + t.why
			}
		}
		for column, todo := range t.secrets {
			n, err := e.count("SELECT COUNT(*) FROM " + t.name + " WHERE " + column + " <> ''" + e.only("workspace_id", " AND") +
				e.without(&t))
			if err != nil {
				return err
			}
			if n > 0 && todo != "" {
				e.header.LeftOut[t.name+"."+column] = domain.Many(n, "secret") + ": " + todo
			}
		}
	}
	return nil
}

func (e *exporter) write(out io.Writer) (*lastLine, error) {
	w, err := newWriter(out, &e.header)
	if err != nil {
		return nil, err
	}
	for _, t := range archived(e.header.Scope) {
		if err := e.table(w, &t); err != nil {
			return nil, fmt.Errorf("the table %s: %w", t.name, err)
		}
	}
	return w.close()
}

// table writes the rows of a table, in the order of their keys.
func (e *exporter) table(w *writer, t *table) (err error) {
	columns, err := columnsOf(e.ctx, e.tx, t.name)
	if err != nil {
		return err
	}
	order, err := e.order(t.name)
	if err != nil {
		return err
	}
	id := "workspace_id"
	if t.name == "workspaces" {
		id = "id"
	}
	rows, err := e.rows("SELECT * FROM " + t.name + e.only(id, " WHERE") + e.without(t) + " ORDER BY " + order)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		row := make(map[string]any, len(columns))
		for i, c := range columns {
			value, err := c.out(values[i])
			if err != nil {
				return err
			}
			row[c.name] = t.change(e.header.Scope, c.name, value)
			if t.name == "events" && c.name == packedEvents {
				if err := unpacked(row, values[i]); err != nil {
					return err
				}
			}
		}
		if err := w.row(t.name, row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// order is by the primary key, byte by byte in both databases.
func (e *exporter) order(name string) (string, error) {
	query, after := "SELECT name FROM pragma_table_info('"+name+"') WHERE pk > 0 ORDER BY pk", ""
	if e.postgres {
		query = "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) " +
			"WHERE i.indisprimary AND i.indrelid = '" + name + "'::regclass ORDER BY array_position(i.indkey::int2[], a.attnum)"
		after = `::text COLLATE "C"`
	}
	keys, err := texts(e.ctx, e.tx, query)
	if err != nil {
		return "", err
	}
	if len(keys) == 0 {
		return "", errors.New("it has no key")
	}
	kinds, err := columnsOf(e.ctx, e.tx, name)
	if err != nil {
		return "", err
	}
	for i, key := range keys {
		for _, c := range kinds {
			if c.name == key && c.kind == isText {
				keys[i] += after
			}
		}
	}
	return strings.Join(keys, ", "), nil
}
