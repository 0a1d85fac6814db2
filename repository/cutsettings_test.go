package repository_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/domain/people"
)

// countWrites has the database itself keep a line for each write of a workspace's
// settings that is committed: a patch sets what it says, so the settings look the same
// after one write of it and after two.
func (w *cutWorld) countWrites() (written func() int) {
	db, err := sql.Open("postgres", w.url)
	w.must(err)
	w.t.Cleanup(func() { _ = db.Close() })
	for _, statement := range []string{
		"CREATE TABLE settings_writes (settings text)",
		`CREATE FUNCTION settings_written() RETURNS trigger AS $$
			BEGIN INSERT INTO settings_writes VALUES (NEW.settings); RETURN NEW; END $$ LANGUAGE plpgsql`,
		"CREATE TRIGGER settings_written AFTER UPDATE OF settings ON workspaces FOR EACH ROW EXECUTE FUNCTION settings_written()",
	} {
		_, err := db.ExecContext(w.t.Context(), statement)
		w.must(err)
	}
	return func() (n int) {
		w.must(db.QueryRowContext(w.t.Context(), "SELECT COUNT(*) FROM settings_writes").Scan(&n))
		return n
	}
}

// TestSettingsAreWrittenOnce: whatever reply is lost on the way, or whatever request, the
// settings are written once, and not once more with the same words.
func TestSettingsAreWrittenOnce(t *testing.T) {
	w := newCutWorld(t)
	written := w.countWrites()
	cuts := map[string]int{}
	for lost, arm := range map[string]func(int){"reply": w.proxy.LoseReply, "request": w.proxy.LoseRequest} {
		for n := 1; ; n++ {
			before, want := written(), w.settings()+1
			arm(n)
			_, err := w.store.Workspaces.UpdateSettings(t.Context(), ws, people.SettingsPatch{Fields: fmt.Appendf(nil, `{"max_queue_length":%d}`, want)})
			cut := w.proxy.Cut()
			w.proxy.LoseReply(0)
			w.must(err)
			if times := written() - before; times != 1 || w.settings() != want {
				t.Fatalf("%s %d (%s) lost: written %d times, %d is stored, not %d", lost, n, cut, times, w.settings(), want)
			}
			if cut == "" {
				break // every position was cut
			}
			cuts[cut]++
		}
	}
	if cuts["COMMIT"] < 2 || cuts["BEGIN"] == 0 || cuts["UPDATE 1"] == 0 {
		t.Errorf("too few places were cut: %v", cuts)
	}
}
