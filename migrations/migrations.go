// Package migrations holds the schema of both databases as numbered steps: the files of this folder, and in the
// folder postgres those whose text differs there. A step that was released is never changed; a new one is added
// under the next number.
package migrations

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.sql postgres/*.sql
var files embed.FS

// unused are the numbers that no step has.
var unused = []int{6, 7, 20, 22, 25, 26, 31, 35, 39, 41}

// Postgres are the steps for PostgreSQL.
func Postgres() fs.FS { return steps(folder(files, "postgres"), files) }

// SQLite are the steps for SQLite.
func SQLite() fs.FS { return steps(files) }

// steps combines folders to one. The folders are embedded, so that an error is one of this program, and TestSteps
// finds it.
func steps(folders ...fs.FS) fs.FS {
	all := layers(folders)
	if err := all.check(unused); err != nil {
		panic("migrations: " + err.Error())
	}
	return withNext(all)
}

func folder(in fs.FS, name string) fs.FS {
	sub, err := fs.Sub(in, name)
	if err != nil {
		panic("migrations: the embedded folder " + name + " is missing: " + err.Error())
	}
	return sub
}

// layers are folders that look like one: a file of an earlier folder replaces the file of the same name in the
// last one, the base.
type layers []fs.FS

// Open implements fs.FS. The folders themselves cannot be opened.
func (l layers) Open(name string) (fs.File, error) {
	for _, folder := range l {
		if f, err := folder.Open(name); name != "." && !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Glob implements fs.GlobFS.
func (l layers) Glob(pattern string) ([]string, error) {
	var all []string
	for _, folder := range l {
		names, err := fs.Glob(folder, pattern)
		if err != nil {
			return nil, err
		}
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// check rejects an override of a step that the base does not have, a number that two steps have, and a number that
// none has, apart from those given: a step that is added below a released one is not run on databases past it.
func (l layers) check(unused []int) error {
	names, err := l.Glob("*.sql")
	if err != nil {
		return err
	}
	last := 0
	for _, name := range names {
		if _, err := fs.Stat(l[len(l)-1], name); err != nil {
			return fmt.Errorf("%s overrides no step: a name is the same in both folders", name)
		}
		number, _, _ := strings.Cut(name, "_")
		n, err := strconv.Atoi(number)
		if err != nil {
			return fmt.Errorf("%s has no number: %w", name, err)
		}
		if n == last {
			return fmt.Errorf("%s has the number of another step", name)
		}
		for missing := last + 1; missing < n; missing++ {
			if !slices.Contains(unused, missing) {
				return fmt.Errorf("the step %d before %s is missing", missing, name)
			}
		}
		last = n
	}
	return nil
}
