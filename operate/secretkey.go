package operate

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

// SecretKey is the key that encrypts the stored secrets of a database.
type SecretKey struct {
	Configured string // FERMATA_SECRET_KEY; may be empty
	Database   *Database
}

// inFile reports whether the key is in the data directory: that of a server with SQLite which is configured without one.
func (k SecretKey) inFile() bool { return k.Configured == "" && k.Database.DatabaseURL == "" }

// Read returns the keys, newest first. With PostgreSQL all nodes need the same key, so none is generated; having none at
// all is not an error.
func (k SecretKey) Read() ([][]byte, error) {
	text := k.Configured
	if k.inFile() {
		kept, err := readKeyFile(k.Database.KeyFile())
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

// KeyFile is the path of the key that a server with SQLite generates.
func (f *Database) KeyFile() string { return filepath.Join(f.DataDir, "secret.key") }

// readKeyFile reads the key file; "" if there is none yet.
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
		return "", fmt.Errorf("the secret key file %s is empty: restore the key, or remove the file to have a new one generated", path)
	}
	return string(b), nil
}

// keyFileIsPrivate rejects a key file that others on this machine can read: it decrypts every stored
// secret. On Windows the file mode does not show this.
func keyFileIsPrivate(path string, mode fs.FileMode) error {
	if runtime.GOOS == "windows" || mode.Perm()&0o077 == 0 {
		return nil
	}
	return fmt.Errorf(
		"others on this machine can read the secret key (%s has mode %04o): run chmod 600 %s; if it may have been read, "+
			"put a new key before it (openssl rand -base64 32, one key per line)",
		path,
		mode.Perm(),
		path,
	)
}

// Prepare generates a key if the data directory has none, readable by its owner only, and
// reports whether it did. It removes group permissions, which some systems add to all files of a
// volume when they mount it.
func (k SecretKey) Prepare(log zerolog.Logger) (made bool, err error) {
	if !k.inFile() {
		return false, nil
	}
	path := k.Database.KeyFile()
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o007 == 0 && keyFileIsPrivate(path, info.Mode()) != nil {
		if os.Chmod(path, 0o600) == nil { // otherwise readKeyFile reports it
			log.Warn().Str("file", path).Msg("the secret key was readable by a group; its permissions were restricted to the owner")
		}
		return false, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, nil // readKeyFile reports problems
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return false, fmt.Errorf("generate a secret key: %w", err)
	}
	if err := os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString(key)+"\n"), 0o600); err != nil {
		return false, fmt.Errorf("store the secret key: %w", err)
	}
	return true, nil
}
