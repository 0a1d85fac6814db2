package sqldb

import (
	"fmt"
	"strings"
	"testing"
)

// TestInList: however many are named, few texts, and each has a value for every place.
func TestInList(t *testing.T) {
	texts := map[string]bool{}
	var ids []string
	for n := 1; n <= 100; n++ {
		ids = append(ids, fmt.Sprint(n))
		text, args := InList(3, ids)
		texts[text] = true
		if places := strings.Count(text, "$"); places != len(args) || !strings.HasPrefix(text, "IN ($3") {
			t.Fatalf("%d ids: %d values for %s", n, len(args), text)
		}
		for i, arg := range args {
			if want := ids[min(i, n-1)]; arg != want {
				t.Fatalf("%d ids: value %d is %v, want %s", n, i, arg, want)
			}
		}
	}
	if len(texts) != 3 {
		t.Errorf("%d texts for lists of 1 to 100, want 3", len(texts))
	}
}

// TestWhatIsNotKeptIsNotPrepared: once there is no room, a text runs as it is, and costs no
// second way to the database.
func TestWhatIsNotKeptIsNotPrepared(t *testing.T) {
	w := newGroupWorld(t)
	s := w.db.readPool.stmts
	for n := 0; len(s.by) < maxStatements; n++ {
		s.prepare(t.Context(), []string{fmt.Sprint("SELECT ", n)})
	}
	s.on = nil // any use of it fails from here on
	s.prepare(t.Context(), []string{"SELECT -1"})
	if s.find("SELECT -1") != nil || len(s.by) != maxStatements {
		t.Errorf("%d are kept", len(s.by))
	}
	s.on = w.db.readPool.db
	var n int
	if err := w.db.Get(t.Context(), &n, "SELECT -1"); err != nil || n != -1 {
		t.Errorf("%d, %v", n, err)
	}
}
