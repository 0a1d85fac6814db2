package repository_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"
)

// viewed are the tables that a View is read from.
var viewed = []string{"sessions", "queue", "approvals", "messages", "executions", "grants", "inbox", "roundtrips"}

// demandChanges has the database itself refuse to commit what writes to a table of a
// View, or to what a View shows of a workspace, without making it the latest change of
// the workspace: who decides without a lock would not find out about it.
func demandChanges(t testing.TB, url string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	PERFORM set_config('test.changed', COALESCE(current_setting('test.changed', true), '') || ' ' || NEW.id || ' ', true);
	RETURN NULL; END $$;
CREATE FUNCTION demand_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE workspace text; BEGIN
	IF TG_OP = 'DELETE' THEN workspace := to_jsonb(OLD) ->> TG_ARGV[0]; ELSE workspace := to_jsonb(NEW) ->> TG_ARGV[0]; END IF;
	IF position(' ' || workspace || ' ' IN COALESCE(current_setting('test.changed', true), '')) = 0 THEN
		RAISE EXCEPTION 'a write to % is not the latest change of workspace %', TG_TABLE_NAME, workspace;
	END IF;
	RETURN NULL; END $$;
CREATE TRIGGER note_made AFTER INSERT ON workspaces FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_changed AFTER UPDATE ON workspaces FOR EACH ROW
	WHEN (OLD.last_change_id <> NEW.last_change_id) EXECUTE FUNCTION note_change();
CREATE CONSTRAINT TRIGGER demand AFTER UPDATE ON workspaces DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	WHEN ((OLD.name, OLD.settings, OLD.last_seq, OLD.queue_length) <> (NEW.name, NEW.settings, NEW.last_seq, NEW.queue_length))
	EXECUTE FUNCTION demand_change('id');
`)
	for _, table := range viewed {
		b.WriteString("CREATE CONSTRAINT TRIGGER demand AFTER INSERT OR UPDATE OR DELETE ON " + table +
			" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION demand_change('workspace_id');\n")
	}
	execute(t, url, b.String())
}

// execute runs statements directly, past every store.
func execute(t testing.TB, url, statements string) {
	t.Helper()
	if err := try(t.Context(), url, statements); err != nil {
		t.Fatal(err)
	}
}

func try(ctx context.Context, url, statements string) error {
	db, err := sql.Open("postgres", url)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, statements)
	return err
}

// TestChangesAreDemanded: the demand that every story of the suite stands under is made
// of every table of a View, and not of the others.
func TestChangesAreDemanded(t *testing.T) {
	w := newCutWorld(t)
	s := w.fresh()
	w.must(w.direct.Commit(t.Context(), w.big(s, false)))
	for _, table := range viewed {
		if table == "grants" {
			continue // has no row here
		}
		if err := try(t.Context(), w.url, "UPDATE "+table+" SET workspace_id = workspace_id"); err == nil {
			t.Errorf("a write to %s is not detected", table)
		}
	}
	for _, set := range []string{"settings = settings || ' '", "queue_length = queue_length + 1", "name = name || 'x'"} {
		if err := try(t.Context(), w.url, "UPDATE workspaces SET "+set); err == nil {
			t.Errorf("%s: the change is not detected", set)
		}
		execute(t, w.url, "UPDATE workspaces SET "+set+", last_change_id = last_change_id || 'x'")
	}
	execute(t, w.url, "UPDATE workspaces SET pruned_to = 0; DELETE FROM changes")
}
