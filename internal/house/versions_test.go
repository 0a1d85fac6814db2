package house

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestLibcFitsSQLite keeps modernc.org/libc at exactly the version that
// modernc.org/sqlite was made with: another one compiles and then misbehaves.
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
