package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/keep"
)

// named is what a person calls the database; a URL holds a password, and is not told.
func (f *Database) named() string {
	if f.DatabaseURL == "" {
		return "SQLite at " + f.SQLitePath()
	}
	return "PostgreSQL"
}

// checkDatabase looks whether the database is there and up to date. A SQLite file that a server
// holds is as it should be: it is read beside it.
func checkDatabase(ctx context.Context, flags *Config, keys [][]byte) []diagnosis.Finding {
	if flags.DatabaseURL == "" {
		if _, err := os.Stat(flags.SQLitePath()); errors.Is(err, fs.ErrNotExist) {
			return []diagnosis.Finding{diagnosis.OK("database", flags.named()+" will be made at the first start")}
		}
	}
	store, err := openStore(ctx, &flags.Database, repository.Config{Node: "doctor", Incarnation: "doctor"})
	if repository.InUse(err) {
		return []diagnosis.Finding{checkSchema(ctx, &flags.Database, "; a server runs on it")}
	}
	if err != nil {
		return []diagnosis.Finding{unopened(&flags.Database, err)}
	}
	defer func() { _ = store.Close() }()
	found := checkSchema(ctx, &flags.Database, "")
	if found.Level == diagnosis.LevelFailed {
		return []diagnosis.Finding{found}
	}
	return append([]diagnosis.Finding{found}, checkSealed(ctx, flags, store.Secrets, keys)...)
}

// checkSchema looks whether the tables are those that this program works with.
func checkSchema(ctx context.Context, flags *Database, used string) diagnosis.Finding {
	const check, update = "database", "Bring it up to date: fermata migrate (a server does so when it starts)."
	is, newest, err := keep.Schemas(ctx, flags.place())
	switch {
	case err != nil && flags.DatabaseURL == "":
		return unopened(flags, err)
	case err != nil:
		return diagnosis.Failed(check, flags.named()+" answers, but its tables cannot be read: "+err.Error(), update)
	case is > newest:
		return diagnosis.Failed(check, fmt.Sprintf("%s has the schema %d, of a newer Fermata; this program knows up to %d", flags.named(), is, newest),
			"Use the newer program, or restore a backup from before the upgrade.")
	case is < newest && used != "":
		return diagnosis.Warning(check, fmt.Sprintf("%s has the schema %d, and this program expects %d: the server that runs on it is older",
			flags.named(), is, newest), "Start the server again with this program's version (look first: fermata upgrade-check).")
	case is < newest:
		return diagnosis.Failed(check, fmt.Sprintf("%s has the schema %d, and this program expects %d", flags.named(), is, newest), update)
	}
	return diagnosis.OK(check, fmt.Sprintf("%s: reachable, schema %d, as this program expects%s", flags.named(), is, used))
}

// unopened says why the database cannot be opened.
func unopened(flags *Database, err error) diagnosis.Finding {
	if flags.DatabaseURL == "" {
		return diagnosis.Failed("database", err.Error(),
			"Look whether "+flags.SQLitePath()+" is a database, and may be read and written by this user.")
	}
	return diagnosis.Failed("database", err.Error(),
		"Check FERMATA_DATABASE_URL (and sslmode in it), and that PostgreSQL runs and lets this user in.")
}
