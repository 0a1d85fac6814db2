package sqldb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/migrations"
)

// groupWorld is a SQLite database whose COMMIT the test can hold, with what became of
// those that wrote.
type groupWorld struct {
	*testing.T
	db      *DB
	commits atomic.Int64
	now     atomic.Int64 // in milliseconds; it stands still unless a test moves it
	around  atomic.Pointer[func(commit func() error) error]
	going   sync.WaitGroup
}

func newGroupWorld(t *testing.T) *groupWorld {
	t.Helper()
	w := &groupWorld{T: t}
	path := filepath.Join(t.TempDir(), "g.db")
	if err := os.WriteFile(path, migrated(t), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), Config{
		Path: path, Clock: func() time.Time { return time.UnixMilli(w.now.Load()) }, NewID: ids.New,
		AroundCommit: func(commit func() error) error {
			w.commits.Add(1)
			if around := w.around.Load(); around != nil {
				return (*around)(commit)
			}
			return commit()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.db = db
	t.Cleanup(func() {
		w.going.Wait()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

var template struct {
	sync.Once

	file []byte
}

// migrated is a database with its schema, made once for all tests.
func migrated(t *testing.T) []byte {
	t.Helper()
	template.Do(func() {
		path := filepath.Join(t.TempDir(), "empty.db")
		db, err := Open(t.Context(), Config{
			Path: path, Clock: clock.System, NewID: ids.New,
			Migrations: Migrations{SQLite: migrations.SQLite(), Postgres: migrations.Postgres()},
		})
		if err == nil {
			err = errors.Join(db.Migrate(t.Context()), db.Close())
		}
		if err == nil {
			template.file, err = os.ReadFile(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return template.file
}

func (w *groupWorld) aroundCommit(fn func(commit func() error) error) { w.around.Store(&fn) }

// put is a transaction that writes one row, then does what follows.
func (w *groupWorld) put(ctx context.Context, id string, then ...func(t *Tx) error) error {
	return w.db.Write(ctx, id, func(t *Tx) error {
		if err := insert(ctx, t, id); err != nil {
			return err
		}
		for _, fn := range then {
			if err := fn(t); err != nil {
				return err
			}
		}
		return nil
	})
}

func insert(ctx context.Context, t *Tx, id string) error {
	_, err := t.Write(ctx, "INSERT INTO workspaces (id, name, settings, created_at) VALUES ($1, '', '{}', 1)", id)
	return err
}

// outcome is the result that a writer got.
type outcome struct {
	err  error
	done chan struct{}
}

func (o *outcome) wait() error { <-o.done; return o.err }

// behind starts a transaction, and comes back when it is the last that
// waits.
func (w *groupWorld) behind(ctx context.Context, id string, then ...func(t *Tx) error) *outcome {
	w.Helper()
	before := w.waiting()
	o := w.start(func() error { return w.put(ctx, id, then...) })
	testkit.Until(w.T, id+" waits", func() bool { return w.waiting() == before+1 })
	return o
}

func (w *groupWorld) start(fn func() error) *outcome {
	o := &outcome{done: make(chan struct{})}
	w.going.Go(func() {
		defer close(o.done)
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("panicked: %v", p)
			}
		}()
		o.err = fn()
	})
	return o
}

func (w *groupWorld) waiting() int {
	g := &w.db.writer.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// hold has a transaction take the connection and keep it until release.
func (w *groupWorld) hold(id string, then ...func(t *Tx) error) (o *outcome, release func()) {
	w.Helper()
	inside, free := make(chan struct{}), make(chan struct{})
	var first sync.Once // it may run again
	o = w.start(func() error {
		return w.put(w.Context(), id, append([]func(t *Tx) error{func(*Tx) error {
			first.Do(func() { close(inside); <-free })
			return nil
		}}, then...)...)
	})
	<-inside
	return o, sync.OnceFunc(func() { close(free) })
}

// stored are the ids of the rows that are there, in the order in which they came.
func (w *groupWorld) stored() string {
	w.Helper()
	var have []string
	if err := w.db.All(context.Background(), &have, "SELECT id FROM workspaces ORDER BY rowid"); err != nil {
		w.Fatal(err)
	}
	return strings.Join(have, " ")
}

func (w *groupWorld) wantStored(want string) {
	w.Helper()
	if have := w.stored(); have != want {
		w.Errorf("stored are %q, want %q", have, want)
	}
}

func (w *groupWorld) wantError(o *outcome, code domain.Code) {
	w.Helper()
	err := o.wait()
	if code == "" {
		if err != nil {
			w.Errorf("got %v, want a success", err)
		}
		return
	}
	if domain.ErrorCode(err) != code {
		w.Errorf("got %v, want %s", err, code)
	}
}
