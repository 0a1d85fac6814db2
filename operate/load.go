package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/maintenance"
)

// Imported says what came in.
type Imported struct {
	Workspaces []string          `json:"workspaces"`
	Rows       map[string]int64  `json:"rows"`
	LeftOut    map[string]string `json:"left_out"`
	// Programs are what the archive's connectors and providers would start or call.
	Programs []Program `json:"programs,omitempty"`
	// Disabled counts, by table, the rows that arrived switched off.
	Disabled map[string]int64 `json:"disabled,omitempty"`
	Revoked
}

// Options say which archive may be loaded, and how far it is trusted.
type Options struct {
	// Installation takes the archive of a whole installation, with its keys and sealed secrets,
	// and no other; otherwise the archive of one workspace is taken, and no other.
	Installation bool
	// Trust imports a workspace as it was exported. Without it, everything that acts by itself
	// arrives switched off. An installation is always trusted.
	Trust bool
	// Revoke withdraws the API keys and sign-ins of an installation.
	Revoke bool
	Now    time.Time
}

// nothing is what every error of a load ends with: it is one transaction.
func nothing(err error) error { return fmt.Errorf("%w. Nothing was changed", err) }

// Load puts what an archive holds into a database, all of it or nothing: a workspace where
// there is none of its name, or an empty one; an installation where there is no workspace at
// all. With SQLite no server may run. A database without a schema gets one.
func Load(ctx context.Context, into Place, file string, o Options) (done *Imported, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	head, err := newReader(f)
	if err != nil {
		return nil, nothing(fmt.Errorf("%s: %w", file, err))
	}
	if err := o.takes(head.Scope); err != nil {
		return nil, nothing(fmt.Errorf("%s: %w", file, err))
	}
	newest, err := maintenance.Newest(into.URL != "")
	if err != nil {
		return nil, err
	}
	if head.Schema > newest {
		return nil, newer(head.Schema, newest)
	}
	s, err := openStore(ctx, into)
	if err != nil {
		return nil, nothing(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Migrate(ctx); err != nil {
		return nil, err
	}
	if head.Schema < newest {
		return loadOlder(ctx, s, head, f, o)
	}
	return load(ctx, s, f, o)
}

// takes refuses an archive of the other scope: the import of a workspace must not bring API keys
// of its author that open the server.
func (o Options) takes(is scope) error {
	switch {
	case is != ofWorkspace && is != ofInstallation:
		return errors.New("this archive is neither of a workspace nor of an installation")
	case o.Installation && is != ofInstallation:
		return errors.New("this is the archive of one workspace: import it with fermata import")
	case !o.Installation && is != ofWorkspace:
		return errors.New("this is the backup of a whole installation, with its API keys and sealed secrets, and not the archive of one workspace: " +
			"put it into an empty PostgreSQL database with fermata restore")
	}
	return nil
}

func openStore(ctx context.Context, at Place) (*repository.Store, error) {
	return repository.Open(ctx, repository.Config{
		URL: at.URL, Path: at.Path, Node: "keep", Incarnation: ids.New("inc"), Clock: clock.System, NewID: ids.New, Connections: 2,
	})
}

func load(ctx context.Context, s *repository.Store, f io.ReadSeeker, o Options) (*Imported, error) {
	var (
		l       *loader
		revoked Revoked
	)
	err := s.Load(ctx, func(t *maintenance.Tx) ([]string, error) {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, fmt.Errorf("read the archive from its beginning: %w", err)
		}
		r, err := newReader(f)
		if err != nil {
			return nil, err
		}
		// The file may have been replaced since its first line was read.
		if err := o.takes(r.Scope); err != nil {
			return nil, err
		}
		l = &loader{ctx: ctx, t: t, from: r, columns: map[string][]column{}}
		if !o.Installation && !o.Trust {
			l.disarm = newDisarmer(o.Now)
		}
		if err := l.room(); err != nil {
			return nil, err
		}
		if err := l.all(); err != nil {
			return nil, err
		}
		if o.Revoke {
			if revoked, err = revokeAll(ctx, t, true, o.Now); err != nil {
				return nil, err
			}
		}
		return l.workspaces, nil
	})
	if err != nil {
		return nil, nothing(err)
	}
	done := &Imported{Revoked: revoked, Workspaces: l.workspaces, Rows: l.from.rows, LeftOut: l.from.LeftOut}
	if l.disarm != nil {
		done.Programs, done.Disabled = l.disarm.programs, l.disarm.disabled
	}
	return done, nil
}

// loader writes the rows of an archive in one transaction.
type loader struct {
	ctx        context.Context
	t          *maintenance.Tx
	from       *reader
	columns    map[string][]column
	workspaces []string
	disarm     *disarmer // nil: the archive is trusted
	// batch are rows of one table that become one statement.
	batch struct {
		table string
		count int
		size  int
		args  []any
	}
}

// room checks that importing the archive would not replace an existing workspace.
func (l *loader) room() error {
	var there int
	query, args := "SELECT COUNT(*) FROM workspaces", []any{}
	if l.from.Scope == ofWorkspace {
		query, args = query+" WHERE id = $1", []any{l.from.Workspace}
	}
	if err := l.t.Get(l.ctx, &there, query, args...); err != nil || there == 0 {
		return err
	}
	if l.from.Scope != ofWorkspace {
		return errors.New("this database has workspaces already: restore an installation into an empty one")
	}
	for _, t := range archived(ofWorkspace)[1:] {
		var n int
		if err := l.t.Get(l.ctx, &n, "SELECT COUNT(*) FROM "+t.name+" WHERE workspace_id = $1", l.from.Workspace); err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("there is a workspace %q already, and it is not empty (%s: %d): "+
				"an import makes a workspace, it does not mix two", l.from.Workspace, strings.ReplaceAll(t.name, "_", " "), n)
		}
	}
	return nil
}

func (l *loader) all() error {
	for {
		table, row, err := l.from.row()
		if err != nil {
			return err
		}
		if row == nil {
			return l.flush()
		}
		if err := l.row(table, row); err != nil {
			return fmt.Errorf("row %d of %s: %w", l.from.rows[table], table, err)
		}
	}
}

// rowsTogether and bytesTogether bound what one statement inserts.
const (
	rowsTogether  = 16
	bytesTogether = 1 << 20
)

func (l *loader) row(name string, row map[string]any) error {
	columns, err := l.columnsOf(name)
	if err != nil {
		return err
	}
	if err := l.belongs(name, row); err != nil {
		return err
	}
	if l.from.Scope == ofWorkspace {
		if use, err := l.received(name, row); !use {
			return err
		}
	}
	if len(row) != len(columns) {
		return fmt.Errorf("it has %d columns, and the table %d", len(row), len(columns))
	}
	if name != l.batch.table || l.batch.count == rowsTogether || l.batch.size > bytesTogether {
		if err := l.flush(); err != nil {
			return err
		}
		l.batch.table = name
	}
	for _, c := range columns {
		given, there := row[c.name]
		if !there {
			return fmt.Errorf("it has no column %s", c.name)
		}
		value, err := c.in(given)
		if name == "events" && c.name == packedEvents {
			value, err = packed(given)
		}
		if err != nil {
			return err
		}
		if s, ok := value.(string); ok {
			l.batch.size += len(s)
		}
		l.batch.args = append(l.batch.args, value)
	}
	l.batch.count++
	return nil
}

// received changes a row of a workspace's archive as an export would have written it, whatever the
// file says, and disarms it unless the archive is trusted. It returns false for a row that is
// not imported.
func (l *loader) received(name string, row map[string]any) (bool, error) {
	i := slices.IndexFunc(tables, func(t table) bool { return t.name == name })
	for column, value := range row {
		row[column] = tables[i].change(ofWorkspace, column, value)
	}
	if l.disarm == nil {
		return true, nil
	}
	use, err := l.disarm.row(name, row)
	return use && err == nil, err
}

// belongs: a row is of a table that such an archive holds, and of its workspace.
func (l *loader) belongs(name string, row map[string]any) error {
	if !slices.ContainsFunc(archived(l.from.Scope), func(t table) bool { return t.name == name }) {
		return errors.New("an archive holds no such table")
	}
	if name == "workspaces" {
		id, _ := row["id"].(string)
		if id == "" || l.from.Scope == ofWorkspace && id != l.from.Workspace {
			return fmt.Errorf("it is of the workspace %q", id)
		}
		l.workspaces = append(l.workspaces, id)
		return nil
	}
	if id, _ := row["workspace_id"].(string); !slices.Contains(l.workspaces, id) {
		return fmt.Errorf("it is of the workspace %q", id)
	}
	return nil
}

func (l *loader) columnsOf(name string) ([]column, error) {
	if known, ok := l.columns[name]; ok {
		return known, nil
	}
	if !slices.ContainsFunc(tables, func(t table) bool { return t.name == name }) {
		return nil, errors.New("there is no such table")
	}
	err := l.t.Each(l.ctx, func(rows *sqlx.Rows) (err error) {
		l.columns[name], err = readColumns(name, rows.Rows)
		return err
	}, "SELECT * FROM "+name+" WHERE 1 = 0")
	return l.columns[name], err
}

func (l *loader) flush() error {
	b := &l.batch
	if b.count == 0 {
		return nil
	}
	columns := l.columns[b.table]
	names, sets := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i], sets[i] = c.name, c.name+" = excluded."+c.name
	}
	values := make([]string, b.count)
	for i := range values {
		values[i] = "(" + maintenance.Placeholders(i*len(columns)+1, len(columns)) + ")"
	}
	query := "INSERT INTO " + b.table + " (" + strings.Join(names, ", ") + ") VALUES " + strings.Join(values, ", ")
	if b.table == "workspaces" { // an empty one may be there
		query += " ON CONFLICT (id) DO UPDATE SET " + strings.Join(sets, ", ")
	}
	if _, err := l.t.Write(l.ctx, query, b.args...); err != nil {
		return fmt.Errorf("write to %s: %w", b.table, err)
	}
	b.count, b.size, b.args = 0, 0, b.args[:0]
	return nil
}
