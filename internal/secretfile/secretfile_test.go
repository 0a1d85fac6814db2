package secretfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSecretsFromFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("a secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read, kept, twice := "", "as it was", "already here"
	if err := Fill(map[*string]string{&read: path, &kept: ""}); err != nil || read != "a secret" || kept != "as it was" {
		t.Errorf("read %q, kept %q, %v", read, kept, err)
	}
	if err := Fill(map[*string]string{&twice: path}); err == nil || twice != "already here" {
		t.Errorf("given twice: %q, %v", twice, err)
	}
	if err := Fill(map[*string]string{&read: path + "x"}); err == nil {
		t.Error("a file that is not there was read")
	}
}
