package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"github.com/fermata-dev/fermata/auth"
)

// local checks what a server on this machine would start with: its configuration and
// its database. It changes nothing.
func (c *doctorCommand) local(ctx context.Context) []finding {
	if c.Listen == "" { // not filled by the command line: there is no server's configuration
		return nil
	}
	if u, err := url.Parse(c.URL); err != nil || !auth.LoopbackHost(u.Host) {
		return []finding{{"configuration", levelSkipped, "the server is on another machine; run doctor there for its configuration and database", ""}}
	}
	flags := c.serverFlags
	if err := flags.resolve(); err != nil {
		return []finding{{"configuration", levelFailed, err.Error(), "Correct the flag, the variable or the file; `fermata serve --help` lists them all."}}
	}
	findings := []finding{{"configuration", levelOK, "it can be started with (listening on " + flags.Listen + ")", ""}}
	if flags.plain() {
		findings = append(findings, finding{"transport", levelWarning, "keys and conversations cross the network as plain text", plainMend})
	}
	keys, err := flags.secretKeys()
	if err != nil {
		return append(findings, finding{"secret key", levelFailed, err.Error(), "Correct it; on PostgreSQL it is the same on every node."})
	}
	if len(keys) == 0 && flags.DatabaseURL != "" {
		findings = append(findings, finding{"secret key", levelWarning, "FERMATA_SECRET_KEY is not set: provider keys and webhook URLs cannot be stored", "Set it (openssl rand -base64 32), the same on every node, or name variables in api_key_env."})
	}
	return append(findings, checkDatabase(ctx, &flags.databaseFlags, keys)...)
}

// checkDatabase looks whether the database is there and up to date.
func checkDatabase(ctx context.Context, flags *databaseFlags, keys [][]byte) []finding {
	if flags.DatabaseURL == "" {
		if _, err := os.Stat(flags.sqlitePath()); errors.Is(err, fs.ErrNotExist) {
			return []finding{{"database", levelOK, "SQLite at " + flags.sqlitePath() + " will be made at the first start", ""}}
		}
	}
	store, err := openStore(ctx, flags, "doctor", "doctor", nil)
	if err != nil {
		if flags.DatabaseURL == "" {
			return []finding{{"database", levelOK, "SQLite at " + flags.sqlitePath() + " is in use: " + err.Error(), ""}}
		}
		return []finding{{"database", levelFailed, err.Error(), "Check FERMATA_DATABASE_URL (and sslmode in it), and that PostgreSQL runs and lets this user in."}}
	}
	defer func() { _ = store.Close() }()
	if _, err := store.Workspaces(ctx); err != nil {
		return []finding{{"database", levelFailed, "it answers, but its tables cannot be read: " + err.Error(), "Bring it up to date: fermata migrate"}}
	}
	return append([]finding{{"database", levelOK, store.Kind() + " answers and is up to date", ""}}, checkSealed(ctx, store, keys)...)
}

// checkSealed looks whether the keys open what is stored.
func checkSealed(ctx context.Context, store sealedSecrets, keys [][]byte) []finding {
	s, err := newSealer(keys)
	if err != nil {
		return []finding{{"secret key", levelFailed, err.Error(), ""}}
	}
	unreadable, all, err := s.unreadable(ctx, store)
	switch {
	case err != nil:
		return []finding{{"secret key", levelFailed, err.Error(), "Bring the database up to date: fermata migrate"}}
	case unreadable > 0:
		return []finding{{"secret key", levelFailed, s.wrongKey(unreadable, all), "Set FERMATA_SECRET_KEY to the key that sealed them."}}
	case all > 0:
		return []finding{{"secret key", levelOK, fmt.Sprintf("it opens all %d stored secrets", all), ""}}
	}
	return nil
}
