package operate_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/operate"
	"github.com/fermata-dev/fermata/repository"
)

// unpackGolden writes the database of the first version that kept one to a path.
func unpackGolden(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open("../app/e2e/keep/testdata/schema-00018.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
}

// goldenFile is that database, brought up to date.
func goldenFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "golden.db")
	unpackGolden(t, path)
	if err := opened(t, repository.Config{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	for _, row := range besideGolden {
		_ = query(t, path, row+" RETURNING 1")
	}
	return path
}

// besideGolden are rows of tables that the golden database has none of.
var besideGolden = []string{
	"INSERT INTO tool_types (workspace_id, id, name, description, config_schema, entry_schema, version, created_at, updated_at) VALUES ('default', 'own', 'Own', '', '{}', '{}', 1, 1, 1)",
	"INSERT INTO occurrences (workspace_id, automation_id, scheduled_at, id, state, reason, session_id, recorded_at) SELECT workspace_id, id, 5, 'occ_1', 'SKIPPED', '', '', 6 FROM automations LIMIT 1",
	"INSERT INTO held_answers (workspace_id, session_id, message_id, raw) SELECT workspace_id, id, 'msg_1', '{}' FROM sessions LIMIT 1",
	"INSERT INTO known_histories (workspace_id, hash, number, session_id, message_id, created_at) SELECT workspace_id, 'h', 1, id, 'msg_1', 5 FROM sessions LIMIT 1",
	"INSERT INTO file_contents (workspace_id, sha256, bytes, collect_after) VALUES ('default', 'h', 3, 5)",
	"INSERT INTO file_chunks (workspace_id, sha256, number, data) VALUES ('default', 'h', 0, x'00ff0a')",
	"INSERT INTO files (workspace_id, id, name, media_type, sha256, bytes, width, height, created_by, created_at, collect_after) VALUES ('default', 'fil_1', 'n', 'text/plain', 'h', 3, 0, 0, '', 5, 6)",
	"INSERT INTO file_uses (workspace_id, session_id, message_id, file_id) SELECT workspace_id, session_id, id, 'fil_1' FROM messages WHERE workspace_id = 'default' LIMIT 1",
	"INSERT INTO forks (workspace_id, session_id, origin_id, to_seq) SELECT workspace_id, id, 'ses_gone', 5 FROM sessions WHERE workspace_id = 'default' LIMIT 1",
	"INSERT INTO kept_messages (workspace_id, session_id, id, round_id, seq, at, sender, status, sender_id, rich, text_content, ai, raw, system, run, answers_call, exclude_from_prompt, sender_name, sender_role, payer, retry_of, superseded) " +
		"VALUES ('default', 'ses_gone', 'msg_kept', '', 5, 6, 'USER', 'stored', '', '', 'kept', '', '', '', '', '', FALSE, '', '', '', '', FALSE)",
	"INSERT INTO kept_file_uses (workspace_id, session_id, message_id, file_id) VALUES ('default', 'ses_gone', 'msg_kept', 'fil_1')",
	"INSERT INTO webhooks (workspace_id, id, url, types, enabled, disabled_reason, secret_sealed, old_secret_sealed, sent_to, owner_node, owner_incarnation, epoch, version, created_at, updated_at, kind, person) " +
		"VALUES ('default', 'psh_told', 'https://push.example/x', 'approval.requested', TRUE, '', 'v2.00000000.x', '', 0, '', '', 0, 1, 5, 5, 'push', 'ada')",
	"INSERT INTO webhook_lanes (workspace_id, webhook_id, session_id, sent_to, tries, due_at) VALUES ('default', 'psh_told', '', 0, 1, 5)",
	"INSERT INTO webhook_deliveries (workspace_id, webhook_id, seq, type, session_id, state, tries, at, first_at, last_at, status, detail, took_ms) " +
		"VALUES ('default', 'psh_told', 1, 'approval.requested', '', 'delivered', 1, 5, 5, 5, 201, '', 1)",
	"INSERT INTO inbox (workspace_id, id, session_id, dedupe_key, kind, if_busy, message_id, created_at, done_at) SELECT workspace_id, 'inb_1', id, 'd', 'message', 'queue', 'msg_1', 5, 6 FROM sessions LIMIT 1",
}

func exported(t *testing.T, from operate.Place, workspace string) (*operate.Exported, string) {
	t.Helper()
	target := filepath.Join(t.TempDir(), "a.jsonl")
	done, err := operate.ExportWorkspace(t.Context(), from, workspace, target, "test", restoredAt)
	if err != nil {
		t.Fatalf("export %s: %v", workspace, err)
	}
	return done, target
}

func workspaceIDs(t *testing.T, path string) (ids []string) {
	t.Helper()
	s := opened(t, repository.Config{Path: path})
	all, err := s.Workspaces.Workspaces(t.Context())
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, w := range all {
		ids = append(ids, w.ID)
	}
	return ids
}

// TestThereAndBack: every workspace goes from SQLite to PostgreSQL and back, and has the
// same rows and the same hash everywhere; nothing breaks an invariant, and the search finds
// what it found.
func TestThereAndBack(t *testing.T) {
	golden := goldenFile(t)
	there, back := operate.Place{URL: testkit.Postgres(t)}, operate.Place{Path: filepath.Join(t.TempDir(), "back.db")}
	rows := map[string]int64{}
	for _, id := range workspaceIDs(t, golden) {
		first, file := exported(t, operate.Place{Path: golden}, id)
		if _, err := operate.Load(t.Context(), there, file, trusted); err != nil {
			t.Fatalf("%s into PostgreSQL: %v", id, err)
		}
		second, file := exported(t, there, id)
		if _, err := operate.Load(t.Context(), back, file, trusted); err != nil {
			t.Fatalf("%s into SQLite: %v", id, err)
		}
		third, _ := exported(t, back, id)
		for _, again := range []*operate.Exported{second, third} {
			if again.Content != first.Content || !maps.Equal(again.Rows, first.Rows) {
				t.Errorf("%s is not what it was: %v %s, and was %v %s", id, again.Rows, again.Content, first.Rows, first.Content)
			}
		}
		for table, n := range first.Rows {
			rows[table] += n
		}
	}
	for _, name := range operate.ArchivedForTest() {
		if rows[name] == 0 && !slices.Contains(newSince18, name) {
			t.Errorf("no row of %s went there and back", name)
		}
	}
	for name, place := range map[string]repository.Config{"postgres": {URL: there.URL}, "sqlite": {Path: back.Path}} {
		s := opened(t, place)
		soundAndFound(t, name, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// newSince18 are the tables that the golden database cannot have rows of.
var newSince18 = []string{}

func soundAndFound(t *testing.T, name string, s *repository.Store) {
	t.Helper()
	all, err := s.Workspaces.Workspaces(t.Context())
	if err != nil || len(all) < 10 {
		t.Fatalf("%s has %d workspaces, %v", name, len(all), err)
	}
	for _, w := range all {
		found, err := s.Workspaces.Invariants(t.Context(), w.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range found {
			if i.Count != 0 {
				t.Errorf("%s, %s: %s: %d", name, w.ID, i.Name, i.Count)
			}
		}
	}
	hits, _, err := s.ReadData("default").Search(t.Context(), userdata.SearchQuery{Text: "peculiar", Limit: 10})
	if err != nil || len(hits) != 2 {
		t.Errorf("%s: the search finds %+v, %v", name, hits, err)
	}
}

// TestEveryTableIsAccountedFor: a table with something of a workspace is exported, or it is
// said why not; those that it refers to come before it; and every column that is sealed, or
// opens something, is known as a secret.
func TestEveryTableIsAccountedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	if err := opened(t, repository.Config{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	known, secrets := operate.TablesForTest()
	have := query(t, path, "SELECT DISTINCT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c "+
		"WHERE m.type = 'table' AND (c.name = 'workspace_id' OR m.name = 'workspaces') ORDER BY m.name")
	if len(have) < 30 {
		t.Fatalf("only %d tables were found", len(have))
	}
	for _, name := range have {
		if !slices.Contains(known, name) {
			t.Errorf("the table %s is in no list: add it to operate/tables.go", name)
		}
	}
	for _, name := range known {
		if !slices.Contains(have, name) {
			t.Errorf("the table %s is in the list, and not in the schema", name)
		}
	}
	for _, pair := range query(t, path, "SELECT m.name || ' ' || f.\"table\" FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'") {
		from, to, _ := strings.Cut(pair, " ")
		if slices.Index(known, from) < slices.Index(known, to) {
			t.Errorf("%s stands before %s, which it refers to", from, to)
		}
	}
	for _, column := range query(t, path, "SELECT m.name || '.' || c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' "+
		"AND (c.name LIKE '%sealed%' OR c.name LIKE '%secret%' OR c.name LIKE '%token' OR c.name LIKE '%hash%')") {
		table, _, _ := strings.Cut(column, ".")
		if slices.Contains(operate.ArchivedForTest(), table) && !slices.Contains(secrets, column) && !slices.Contains(noSecrets, column) {
			t.Errorf("%s looks like a secret, and is exported as it is", column)
		}
	}
}

// noSecrets only look like some.
var noSecrets = []string{"roundtrips.prompt_hash", "known_histories.hash", "webhooks.old_secret_until"}

// TestWhatIsNotImported: each is refused in words that say why, and nothing is changed.
func TestWhatIsNotImported(t *testing.T) {
	golden := goldenFile(t)
	_, file := exported(t, operate.Place{Path: golden}, "default")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(good, []byte("\n"))
	places := map[string]operate.Place{"sqlite": {Path: filepath.Join(t.TempDir(), "into.db")}, "postgres": {URL: testkit.Postgres(t)}}
	edit := func(old, by string) []byte { return bytes.Replace(good, []byte(old), []byte(by), 1) }
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"cut in a line":        {good[:len(good)*2/3], "cut"},
		"cut after a line":     {bytes.Join(lines[:len(lines)/2], nil), "cut"},
		"without its end":      {bytes.Join(lines[:len(lines)-2], nil), "cut"},
		"one row changed":      {edit("a peculiar day", "a familiar day"), "damaged or was edited"},
		"a row taken out":      {bytes.Join(slices.Delete(slices.Clone(lines), 5, 6), nil), "damaged or was edited"},
		"of a newer schema":    {edit(`"schema":`, `"schema":9`), "newer Fermata"},
		"of a newer form":      {edit(`"version":1`, `"version":2`), "newer Fermata"},
		"something else":       {[]byte("{\"a\": 1}\n"), "no archive"},
		"empty":                {nil, "empty"},
		"another's row":        {resummed(edit(`"row":{"at"`, `"row":{"xx"`)), "column"},
		"of another workspace": {resummed(bytes.ReplaceAll(good, []byte(`"workspace_id":"default"`), []byte(`"workspace_id":"other"`))), `of the workspace "other"`},
		"a table of its own":   {resummed(edit(`{"table":"zones"`, `{"table":"keys"`)), "no such table"},
		"more behind its end":  {append(slices.Clone(good), "{}\n"...), "behind"},
	} {
		t.Run(name, func(t *testing.T) {
			given := filepath.Join(t.TempDir(), "given.jsonl")
			if err := os.WriteFile(given, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			for kind, into := range places {
				_, err := operate.Load(t.Context(), into, given, trusted)
				if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "Nothing was changed") {
					t.Errorf("%s: it said %v", kind, err)
				}
				s := opened(t, repository.Config{URL: into.URL, Path: into.Path})
				if n := workspaces(t, s); n != 0 {
					t.Errorf("%s: there are %d workspaces", kind, n)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	for kind, into := range places {
		if _, err := operate.Load(t.Context(), into, file, trusted); err != nil {
			t.Fatal(err)
		}
		first, _ := exported(t, into, "default")
		if _, err := operate.Load(t.Context(), into, file, trusted); err == nil || !strings.HasPrefix(err.Error(), "there is a workspace \"default\" already") || !strings.Contains(err.Error(), "Nothing was changed") {
			t.Errorf("%s: the second time it said %v", kind, err)
		}
		if again, _ := exported(t, into, "default"); again.Content != first.Content {
			t.Errorf("%s: the second time changed something", kind)
		}
	}
}

// resummed rewrites the end of an archive so that its hash matches the changed content.
func resummed(content []byte) []byte {
	lines := bytes.SplitAfter(content, []byte("\n"))
	body := bytes.Join(lines[:len(lines)-2], nil)
	end := string(lines[len(lines)-2])
	at := strings.Index(end, `"lines_sha256":"`) + len(`"lines_sha256":"`)
	hash := sha256.Sum256(body)
	return append(body, end[:at]+hex.EncodeToString(hash[:])+end[at+64:]...)
}

// TestAnImportTakesAnEmptyWorkspacesPlace: as a new server has one.
func TestAnImportTakesAnEmptyWorkspacesPlace(t *testing.T) {
	golden := goldenFile(t)
	first, file := exported(t, operate.Place{Path: golden}, "default")
	into := filepath.Join(t.TempDir(), "into.db")
	s := opened(t, repository.Config{Path: into})
	addWorkspace(t, s, "default")
	if _, err := operate.Load(t.Context(), operate.Place{Path: into}, file, trusted); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("beside a server it said %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	done, err := operate.Load(t.Context(), operate.Place{Path: into}, file, trusted)
	if err != nil || done.Workspaces[0] != "default" {
		t.Fatalf("%+v, %v", done, err)
	}
	if again, _ := exported(t, operate.Place{Path: into}, "default"); again.Content != first.Content {
		t.Error("it is not what was exported")
	}
	if again, _ := exported(t, operate.Place{Path: into}, "default"); again.LeftOut["providers.secret_sealed"] != "" {
		t.Errorf("secrets came with it: %v", again.LeftOut)
	}
	if said := fmt.Sprint(first.LeftOut); !strings.Contains(said, "providers.secret_sealed:1 secret:") || !strings.Contains(said, "webhooks.secret_sealed") {
		t.Errorf("left out are %v", said)
	}
	if said := first.LeftOut["webhooks"]; !strings.Contains(said, "1 row: browsers that receive notifications") {
		t.Errorf("of browsers it says %q", said)
	}
	text, err := os.ReadFile(file)
	if err != nil || bytes.Contains(text, []byte("psh_told")) {
		t.Errorf("a browser with a push subscription is in the archive (%v)", err)
	}
	if err != nil || bytes.Contains(text, []byte(`"v2.`)) {
		t.Errorf("something sealed is in the archive (%v)", err)
	}
}

// TestABackupOfPostgres is an archive of everything, keys and sealed secrets too, and comes
// back into an empty database of either kind.
func TestABackupOfPostgres(t *testing.T) {
	golden, from := goldenFile(t), testkit.Postgres(t)
	for _, id := range workspaceIDs(t, golden) {
		_, file := exported(t, operate.Place{Path: golden}, id)
		if _, err := operate.Load(t.Context(), operate.Place{URL: from}, file, trusted); err != nil {
			t.Fatal(err)
		}
	}
	backup := filepath.Join(t.TempDir(), "backup.jsonl")
	held, err := operate.BackupPostgres(t.Context(), from, backup, "test", restoredAt)
	if err != nil {
		t.Fatal(err)
	}
	for name, into := range map[string]operate.Place{"sqlite": {Path: filepath.Join(t.TempDir(), "into.db")}, "postgres": {URL: testkit.Postgres(t)}} {
		if _, err := operate.Load(t.Context(), into, backup, whole); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := operate.Load(t.Context(), into, backup, whole); err == nil || !strings.Contains(err.Error(), "has workspaces already") {
			t.Errorf("%s, again: %v", name, err)
		}
		if into.URL == "" {
			continue
		}
		again := filepath.Join(t.TempDir(), "again.jsonl")
		if second, err := operate.BackupPostgres(t.Context(), into.URL, again, "test", restoredAt); err != nil || second.Content != held.Content {
			t.Errorf("what came back is not what was kept: %v", err)
		}
	}
}
