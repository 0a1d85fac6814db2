package operate

import (
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

func key(letter string) []byte { return []byte(strings.Repeat(letter, 32)) }

func encodedKeys(letters ...string) string {
	var all []string
	for _, l := range letters {
		all = append(all, base64.StdEncoding.EncodeToString(key(l)))
	}
	return strings.Join(all, ",")
}

func TestSecretKeysAsTheyAreGiven(t *testing.T) {
	for text, n := range map[string]int{
		"": 0, encodedKeys("a"): 1, encodedKeys("a", "b"): 2, encodedKeys("a") + " ,\n" + encodedKeys("b") + "\n": 2,
		"short": -1, encodedKeys("a") + ",short": -1, encodedKeys("a")[:40]: -1,
	} {
		f := SecretKey{text, &Database{DatabaseURL: "postgres://x"}}
		keys, err := f.Read()
		if n < 0 && (err == nil || strings.Contains(err.Error(), "short\"")) || n >= 0 && (err != nil || len(keys) != n) {
			t.Errorf("%q: %d keys, %v", text, len(keys), err)
		}
	}
}

// The key's file opens every secret: it is its owner's alone, or the server says so.
func TestModeOfTheKeyFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file modes have no meaning there")
	}
	for mode, starts := range map[fs.FileMode]bool{0o600: true, 0o400: true, 0o640: true, 0o660: true, 0o644: false, 0o604: false, 0o602: false, 0o666: false} {
		f := SecretKey{"", &Database{DataDir: t.TempDir()}}
		path := filepath.Join(f.Database.DataDir, "secret.key")
		if err := os.WriteFile(path, []byte(encodedKeys("a")), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Read(); (err == nil) != (mode&0o077 == 0) { // what doctor asks, which changes nothing
			t.Errorf("%o: %v", mode, err)
		}
		_, prepared := f.Prepare(zerolog.Nop())
		keys, err := f.Read()
		if prepared != nil || (err == nil) != starts || starts != (len(keys) == 1) || !starts && !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("%o: %d keys, %v, %v", mode, len(keys), prepared, err)
		}
	}
	f := SecretKey{"", &Database{DataDir: t.TempDir()}}
	if made, err := f.Prepare(zerolog.Nop()); err != nil || !made {
		t.Fatal(made, err)
	}
	if made, err := f.Prepare(zerolog.Nop()); err != nil || made {
		t.Fatal("a second one was made", err)
	}
	if info, err := os.Stat(f.Database.KeyFile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a new file: %v, %v", info, err)
	}
}
