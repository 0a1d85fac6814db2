package operate_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/operate"
	"github.com/fermata-dev/fermata/repository"
)

// TestAnUpgradeIsLookedAt: what a start would do, and what is in its way; nothing changes.
func TestAnUpgradeIsLookedAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "older.db")
	unpackGolden(t, path)
	before := sum(t, path)
	u, err := operate.CheckUpgrade(t.Context(), operate.Place{Path: path})
	if err != nil || u.Schema != 18 || len(u.Steps) == 0 || u.Steps[0] != "00019 connector_grants" || !strings.HasSuffix(u.CopiedTo, ".schema-18") || len(u.Blocks) > 0 {
		t.Errorf("an older one: %+v, %v", u, err)
	}
	if sum(t, path) != before {
		t.Error("it was changed")
	}
	s := opened(t, repository.Config{Path: path}) // and a server on it
	if u, err = operate.CheckUpgrade(t.Context(), operate.Place{Path: path}); err != nil || len(u.Steps) > 0 || len(u.Blocks) > 0 || u.CopiedTo != "" {
		t.Errorf("one that is up to date: %+v, %v", u, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (90001, TRUE)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if u, err = operate.CheckUpgrade(t.Context(), operate.Place{Path: path}); err != nil || len(u.Blocks) != 1 || !strings.Contains(u.Blocks[0], "newer Fermata") {
		t.Errorf("a newer one: %+v, %v", u, err)
	}
	if _, err := operate.CheckUpgrade(t.Context(), operate.Place{Path: filepath.Join(t.TempDir(), "none.db")}); err == nil {
		t.Error("one that is not there was looked at")
	}
}
