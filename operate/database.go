package operate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/secretfile"
	"github.com/fermata-dev/fermata/repository"
)

// Database configures the database. The tags define the flags of the command line.
type Database struct {
	DataDir               string `help:"Directory of the SQLite database, the lock file and the secret key." default:"./data" env:"FERMATA_DATA_DIR" type:"path"`
	DatabaseURL           string `help:"PostgreSQL URL; if empty, SQLite in the data directory." env:"FERMATA_DATABASE_URL" secret:"url"`
	DatabaseDirectURL     string `help:"URL of the PostgreSQL server itself, if FERMATA_DATABASE_URL points to a connection pooler." env:"FERMATA_DATABASE_DIRECT_URL" secret:"url"`
	DatabasePrepared      *bool  `help:"Use prepared statements; set to false with PgBouncer before 1.21 in transaction mode. Default: true." env:"FERMATA_DATABASE_PREPARED"`
	DatabaseDirectURLFile string `help:"File that contains it." env:"FERMATA_DATABASE_DIRECT_URL_FILE" hidden:""`
	DatabaseURLFile       string `help:"File that contains the PostgreSQL URL." env:"FERMATA_DATABASE_URL_FILE" hidden:""`
}

// ReadSecretFiles fills in what the configuration names files for.
func (f *Database) ReadSecretFiles() error {
	return secretfile.Fill(map[*string]string{&f.DatabaseURL: f.DatabaseURLFile, &f.DatabaseDirectURL: f.DatabaseDirectURLFile})
}

// SQLitePath is the path of the SQLite database.
func (f *Database) SQLitePath() string { return filepath.Join(f.DataDir, "fermata.db") }

// Place is the location of the data.
func (f *Database) Place() Place {
	if f.DatabaseURL != "" {
		return Place{URL: f.DatabaseURL}
	}
	return Place{Path: f.SQLitePath()}
}

// named describes the database without its URL, which contains a password.
func (f *Database) named() string {
	if f.DatabaseURL == "" {
		return "SQLite at " + f.SQLitePath()
	}
	return "PostgreSQL"
}

// makeDataDir creates the directory of the SQLite database and its companion files.
func (f *Database) makeDataDir() error {
	if err := os.MkdirAll(f.DataDir, 0o700); err != nil {
		return fmt.Errorf("create the data directory: %w", err)
	}
	return nil
}

// OpenStore opens the configured database; config identifies the writer.
func (f *Database) OpenStore(ctx context.Context, config repository.Config) (*repository.Store, error) {
	if config.Clock == nil {
		config.Clock, config.NewID = clock.System, ids.New
	}
	config.URL, config.DirectURL = f.DatabaseURL, f.DatabaseDirectURL
	config.Unprepared = f.DatabasePrepared != nil && !*f.DatabasePrepared
	if config.URL == "" {
		config.Path = f.SQLitePath()
	}
	store, err := repository.Open(ctx, config)
	if _, away := errors.AsType[*net.OpError](err); away {
		return nil, fmt.Errorf("open the database: %w (is PostgreSQL running there, and is FERMATA_DATABASE_URL correct?)", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return store, nil
}
