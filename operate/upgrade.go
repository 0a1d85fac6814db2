package operate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fermata-dev/fermata/repository/maintenance"
)

// Upgrade is what the next start of this program does to a database, and what is in its way.
type Upgrade struct {
	Database string   `json:"database"`
	Schema   int64    `json:"schema"`
	Newest   int64    `json:"newest"`
	Steps    []string `json:"steps"`
	// Bytes is the size of a SQLite file; Free is what its disk has left, -1 where that is
	// not known.
	Bytes int64 `json:"bytes,omitempty"`
	Free  int64 `json:"free,omitempty"`
	// CopiedTo is where the file will be copied before it is changed.
	CopiedTo string   `json:"copied_to,omitempty"`
	Blocks   []string `json:"blocks"`
}

// CheckUpgrade looks at a database, whether a server runs on it or not, and changes nothing.
func CheckUpgrade(ctx context.Context, at Place) (*Upgrade, error) {
	db, err := at.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // it only read
	u := &Upgrade{Database: "postgres", Steps: []string{}, Blocks: []string{}}
	if u.Schema, err = schemaOf(ctx, db); err != nil {
		return nil, err
	}
	if u.Newest, err = maintenance.Newest(at.URL != ""); err != nil {
		return nil, err
	}
	pending, err := maintenance.After(at.URL != "", u.Schema)
	if err != nil {
		return nil, err
	}
	for _, step := range pending {
		u.Steps = append(u.Steps, fmt.Sprintf("%05d %s", step.Version, step.Name))
	}
	if u.Schema > u.Newest {
		u.Blocks = append(u.Blocks, maintenance.NewerError(u.Schema, u.Newest).Error())
	}
	if at.URL == "" {
		err = u.look(ctx, at.Path)
	}
	return u, err
}

// look adds what counts for a SQLite file: it must be whole, and its disk must have room for
// the copy and for what the steps write.
func (u *Upgrade) look(ctx context.Context, path string) error {
	u.Database = "sqlite"
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at the database: %w", err)
	}
	u.Bytes, u.Free = info.Size(), freeBytes(filepath.Dir(path))
	if _, err := inspectSQLite(ctx, path); err != nil {
		u.Blocks = append(u.Blocks, err.Error()+": restore a backup first")
	}
	if len(u.Steps) == 0 {
		return nil
	}
	u.CopiedTo = maintenance.CopyBeforeUpgrade(path, u.Schema)
	if needed := 2*u.Bytes + 16<<20; u.Free >= 0 && u.Free < needed {
		u.Blocks = append(u.Blocks, fmt.Sprintf("the disk has %d MiB free, and the copy and the migration may take %d MiB: make room first",
			u.Free>>20, needed>>20))
	}
	return nil
}
