package house

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLibcFitsSQLite keeps modernc.org/libc at exactly the version that modernc.org/sqlite requires: any
// other one compiles and then misbehaves.
func TestLibcFitsSQLite(t *testing.T) {
	dir := list(t, "-m", "-f", "{{.Dir}}", "modernc.org/sqlite")
	ours := list(t, "-m", "-f", "{{.Version}}", "modernc.org/libc")
	out, err := exec.Command("go", "mod", "edit", "-print", dir+"/go.mod").Output()
	if err != nil {
		t.Fatalf("read sqlite's go.mod: %v", err)
	}
	wants := regexp.MustCompile(`modernc\.org/libc (v\S+)`).FindStringSubmatch(string(out))
	if wants == nil {
		t.Fatal("sqlite's go.mod names no libc")
	}
	if wants[1] != ours {
		t.Errorf("modernc.org/libc is %s, but this SQLite was made with %s", ours, wants[1])
	}
}

func list(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// TestEveryPackageOfALockFileHasItsHash: without a hash the registry could serve different content at each
// installation.
func TestEveryPackageOfALockFileHasItsHash(t *testing.T) {
	found := 0
	listed, err := exec.Command("git", "-C", "../..", "ls-files", "*package-lock.json").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for path := range strings.FieldsSeq(string(listed)) {
		text, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		var lock struct {
			Packages map[string]struct {
				Integrity string `json:"integrity"`
				Link      bool   `json:"link"`
			} `json:"packages"`
		}
		if err := json.Unmarshal(text, &lock); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for name, is := range lock.Packages {
			if found++; name != "" && !is.Link && !strings.HasPrefix(is.Integrity, "sha512-") {
				t.Errorf("%s: %s has no sha512", path, name)
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d packages were found", found)
	}
}
