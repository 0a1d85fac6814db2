package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/repository"
)

// checkDatabase checks whether the database is reachable and up to date, and whether the keys decrypt its secrets. A
// SQLite file in use by a server is read concurrently.
func checkDatabase(ctx context.Context, key SecretKey, keys [][]byte) []diagnosis.Finding {
	flags := key.Database
	if flags.DatabaseURL == "" {
		if _, err := os.Stat(flags.SQLitePath()); errors.Is(err, fs.ErrNotExist) {
			return []diagnosis.Finding{diagnosis.OK("database", flags.named()+" will be created at the first start")}
		}
	}
	store, err := flags.OpenStore(ctx, repository.Config{Node: "doctor", Incarnation: "doctor"})
	if repository.InUse(err) {
		return []diagnosis.Finding{checkSchema(ctx, flags, "; in use by a server")}
	}
	if err != nil {
		return []diagnosis.Finding{unopened(flags, err)}
	}
	defer func() { _ = store.Close() }()
	found := checkSchema(ctx, flags, "")
	if found.Level == diagnosis.LevelFailed {
		return []diagnosis.Finding{found}
	}
	return append([]diagnosis.Finding{found}, checkSealed(ctx, key, store.Secrets, keys)...)
}

// checkSchema compares the schema version with the one this program expects.
func checkSchema(ctx context.Context, flags *Database, used string) diagnosis.Finding {
	const check, update = "database", "Bring it up to date: fermata migrate (a server does so at startup)."
	is, newest, err := schemas(ctx, flags.Place())
	switch {
	case err != nil && flags.DatabaseURL == "":
		return unopened(flags, err)
	case err != nil:
		return diagnosis.Failed(check, flags.named()+" responds, but its tables cannot be read: "+err.Error(), update)
	case is > newest:
		return diagnosis.Failed(check, fmt.Sprintf("%s has schema %d, from a newer version of Fermata; this program supports up to %d", flags.named(), is, newest),
			"Use the newer version, or restore a backup from before the upgrade.")
	case is < newest && used != "":
		return diagnosis.Warning(check, fmt.Sprintf("%s has schema %d, and this program expects %d: the server that uses it is older",
			flags.named(), is, newest), "Restart the server with this program's version (first run: fermata upgrade-check).")
	case is < newest:
		return diagnosis.Failed(check, fmt.Sprintf("%s has schema %d, and this program expects %d", flags.named(), is, newest), update)
	}
	return diagnosis.OK(check, fmt.Sprintf("%s: reachable, schema %d, as expected%s", flags.named(), is, used))
}

// unopened reports why the database cannot be opened.
func unopened(flags *Database, err error) diagnosis.Finding {
	if flags.DatabaseURL == "" {
		return diagnosis.Failed("database", err.Error(),
			"Check that "+flags.SQLitePath()+" is a database that this user can read and write.")
	}
	return diagnosis.Failed("database", err.Error(),
		"Check FERMATA_DATABASE_URL (including sslmode), and that PostgreSQL is running and accepts this user.")
}
