package load

import (
	"context"
	"database/sql"
	"path/filepath"

	"github.com/fermata-dev/fermata/app"
)

// floorStore is the floor's database.
type floorStore struct {
	db        *sql.DB
	open, add *sql.Stmt
	move      *sql.Stmt // SQLite has no statement that adds and moves
}

func openFloorStore(ctx context.Context, db app.Database) (*floorStore, error) {
	driver, source, connections := "postgres", db.DatabaseURL, 64
	if source == "" {
		driver, connections = "sqlite", 1
		source = "file:" + filepath.Join(db.DataDir, "floor.db") + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate"
	}
	pool, err := sql.Open(driver, source)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	for _, statement := range []string{
		"CREATE TABLE floor_sessions (id BIGINT PRIMARY KEY, phase TEXT NOT NULL, version BIGINT NOT NULL DEFAULT 0)",
		"CREATE TABLE floor_messages (session_id BIGINT NOT NULL, seq BIGINT NOT NULL, role TEXT, content TEXT, PRIMARY KEY (session_id, seq))" +
			map[string]string{"sqlite": " WITHOUT ROWID"}[driver],
	} {
		if _, err := pool.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	s := &floorStore{db: pool}
	if s.open, err = pool.PrepareContext(ctx, "INSERT INTO floor_sessions (id, phase) VALUES ($1, 'IDLE')"); err != nil {
		return nil, err
	}
	if driver == "postgres" {
		s.add, err = pool.PrepareContext(ctx, "WITH m AS (INSERT INTO floor_messages VALUES ($1, $2, $3, $4)) "+
			"UPDATE floor_sessions SET phase = $5, version = version + 1 WHERE id = $1")
		return s, err
	}
	if s.add, err = pool.PrepareContext(ctx, "INSERT INTO floor_messages VALUES ($1, $2, $3, $4)"); err != nil {
		return nil, err
	}
	s.move, err = pool.PrepareContext(ctx, "UPDATE floor_sessions SET phase = $1, version = version + 1 WHERE id = $2")
	return s, err
}

func (s *floorStore) create(id int64) error {
	_, err := s.open.Exec(id)
	return err
}

// commit knows no context: a driver watches one that can end with a goroutine.
func (s *floorStore) commit(id, seq int64, role, content, phase string) error {
	if s.move == nil {
		_, err := s.add.Exec(id, seq, role, content, phase)
		return err
	}
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Stmt(s.add).Exec(id, seq, role, content); err != nil {
		return err
	}
	if _, err := tx.Stmt(s.move).Exec(phase, id); err != nil {
		return err
	}
	return tx.Commit()
}
