package app

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rs/zerolog"
)

// secretKeys are the configured keys, the newest first: FERMATA_SECRET_KEY, or the file
// in the data directory of a server with SQLite. On PostgreSQL all nodes need the same,
// so none is made there; none at all is no error.
func (f *Config) secretKeys() ([][]byte, error) {
	text := f.SecretKey
	if text == "" && f.DatabaseURL == "" {
		kept, err := readKeyFile(f.keyFile())
		if err != nil {
			return nil, err
		}
		text = kept
	}
	var keys [][]byte
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t' }) {
		key, err := base64.StdEncoding.DecodeString(part)
		if err != nil || len(key) != 32 {
			return nil, errors.New(
				"FERMATA_SECRET_KEY must be 32 bytes in base64 (try: openssl rand -base64 32); older keys follow it after commas",
			)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// keyFile is where a server with SQLite keeps the key that it made.
func (f *Database) keyFile() string { return filepath.Join(f.DataDir, "secret.key") }

// readKeyFile reads the key file; "" when there is none yet.
func readKeyFile(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the secret key: %w", err)
	}
	if err := keyFileIsPrivate(path, info.Mode()); err != nil {
		return "", err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the secret key: %w", err)
	}
	if strings.TrimSpace(string(b)) == "" {
		return "", fmt.Errorf("the secret key's file %s is empty: put the key back, or remove the file to have a new one made", path)
	}
	return string(b), nil
}

// keyFileIsPrivate refuses a key that others on this machine can read: it opens every
// stored secret. Windows does not tell by the mode.
func keyFileIsPrivate(path string, mode fs.FileMode) error {
	if runtime.GOOS == "windows" || mode.Perm()&0o077 == 0 {
		return nil
	}
	return fmt.Errorf(
		"others on this machine can reach the secret key (%s has the mode %04o): chmod 600 %s; if one of them may have read it, "+
			"put a new key in front of it (openssl rand -base64 32, one key a line)",
		path,
		mode.Perm(),
		path,
	)
}

// prepareKeyFile makes a key where the data directory has none, readable by its owner
// only, and says whether it did. It takes a group's rights away, which some systems give
// to all files of a volume when they mount it.
func (f *Config) prepareKeyFile(log zerolog.Logger) (made bool, err error) {
	if f.SecretKey != "" || f.DatabaseURL != "" {
		return false, nil
	}
	path := f.keyFile()
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o007 == 0 && keyFileIsPrivate(path, info.Mode()) != nil {
		if os.Chmod(path, 0o600) == nil { // else the reader says what to do
			log.Warn().Str("file", path).Msg("a group could read the secret key; now its owner only")
		}
		return false, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, nil // the reader says what is wrong, if anything is
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return false, fmt.Errorf("make a secret key: %w", err)
	}
	if err := os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString(key)+"\n"), 0o600); err != nil {
		return false, fmt.Errorf("keep the secret key: %w", err)
	}
	return true, nil
}
