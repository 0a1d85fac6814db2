package migrations

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func folderOf(names ...string) fs.FS {
	folder := fstest.MapFS{}
	for _, name := range names {
		folder[name] = &fstest.MapFile{Data: []byte(name)}
	}
	return folder
}

func TestSteps(t *testing.T) {
	sqlite, err := fs.Glob(SQLite(), "*.sql")
	if err != nil || len(sqlite) == 0 {
		t.Fatalf("steps %v, %v", sqlite, err)
	}
	postgres, err := fs.Glob(Postgres(), "*.sql")
	if err != nil || strings.Join(postgres, " ") != strings.Join(sqlite, " ") {
		t.Errorf("the steps of PostgreSQL are %v, %v", postgres, err)
	}
}

func TestAnOverrideReplacesTheStepOfItsName(t *testing.T) {
	own := fstest.MapFS{"00002_b.sql": {Data: []byte("own")}}
	all := layers{own, folderOf("00001_a.sql", "00002_b.sql", "00003_c.sql")}
	if err := all.check(nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"00001_a.sql": "00001_a.sql", "00002_b.sql": "own", "00003_c.sql": "00003_c.sql"} {
		if text, err := fs.ReadFile(all, name); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	if names, err := all.Glob("*.sql"); err != nil || len(names) != 3 {
		t.Errorf("the steps are %v, %v", names, err)
	}
}

func TestFoldersThatDoNotFitAreRejected(t *testing.T) {
	for name, c := range map[string]struct {
		own, base fs.FS
		want      string
	}{
		"an override without a base": {folderOf("00002_b.sql"), folderOf("00001_a.sql"), "00002_b.sql overrides no step"},
		"an override of another name": {
			folderOf("00001_b.sql"), folderOf("00001_a.sql"), "00001_b.sql overrides no step",
		},
		"a gap":            {folderOf(), folderOf("00001_a.sql", "00003_c.sql"), "the step 2 before 00003_c.sql is missing"},
		"a late beginning": {folderOf(), folderOf("00002_b.sql"), "the step 1 before 00002_b.sql is missing"},
		"a duplicate":      {folderOf(), folderOf("00001_a.sql", "00001_b.sql"), "00001_b.sql has the number of another step"},
		"no number":        {folderOf(), folderOf("a.sql"), "a.sql has no number"},
	} {
		if err := (layers{c.own, c.base}).check(nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (layers{folderOf("00001_a.sql", "00003_c.sql")}).check([]int{2}); err != nil {
		t.Errorf("a number that is known to be unused: %v", err)
	}
}
