package operate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/repository/maintenance"
)

// Contents is what a backup holds.
type Contents struct {
	File       string `json:"file"`
	Bytes      int64  `json:"bytes"`
	Schema     int64  `json:"schema"`
	Workspaces int64  `json:"workspaces"`
	Sessions   int64  `json:"sessions"`
	Messages   int64  `json:"messages"`
}

// inspectSQLite reads a SQLite file from end to end and says what is in it; an error if it
// is cut, damaged, or no database of Fermata's.
func inspectSQLite(ctx context.Context, path string) (*Contents, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("look at the file: %w", err)
	}
	db, err := maintenance.OpenSQLite(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // it only read
	if err := sound(ctx, db); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c := &Contents{File: path, Bytes: info.Size()}
	err = db.QueryRowContext(ctx, "SELECT (SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version), (SELECT COUNT(*) FROM workspaces), "+
		"(SELECT COUNT(*) FROM sessions), (SELECT COUNT(*) FROM messages)").Scan(&c.Schema, &c.Workspaces, &c.Sessions, &c.Messages)
	if err != nil {
		return nil, fmt.Errorf("%s is a SQLite file, but no database of Fermata's: %w", path, err)
	}
	return c, nil
}

// sound has SQLite look at every page, and at every row that another one refers to.
func sound(ctx context.Context, db *sql.DB) error {
	found, err := texts(ctx, db, "PRAGMA integrity_check(5)")
	if err != nil {
		return fmt.Errorf("it cannot be read as a database (cut, damaged, or something else): %w", err)
	}
	if len(found) != 1 || found[0] != "ok" {
		return errors.New("it is damaged: " + strings.Join(found, "; "))
	}
	if found, err = texts(ctx, db, `SELECT "table" || ' -> ' || parent FROM pragma_foreign_key_check() LIMIT 5`); err != nil {
		return fmt.Errorf("look for rows that refer to nothing: %w", err)
	}
	if len(found) > 0 {
		return errors.New("rows refer to what is not there: " + strings.Join(found, "; "))
	}
	return nil
}

func texts(ctx context.Context, db querier, query string) (all []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

// schemaOf reads which migrations a database has had; 0 when it has had none. It changes
// nothing.
func schemaOf(ctx context.Context, db querier) (version int64, err error) {
	found, err := texts(ctx, db, "SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version")
	if err != nil {
		return 0, fmt.Errorf("read the schema's version (is this a database of Fermata's?): %w", err)
	}
	return strconv.ParseInt(found[0], 10, 64)
}

// schemas are the schema that a database has, whether a server runs on it or not, and the one
// that this program works with.
func schemas(ctx context.Context, at Place) (is, newest int64, err error) {
	db, err := at.Open()
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = db.Close() }() // it only read
	if is, err = schemaOf(ctx, db); err != nil {
		return 0, 0, err
	}
	newest, err = maintenance.Newest(at.URL != "")
	return is, newest, err
}
