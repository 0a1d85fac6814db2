package repository_test

import (
	"testing"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository"
)

// beforeRecut is the schema of the programs that cut Thai into sentences and not into words.
const beforeRecut = 41

// What was indexed by an earlier version is found as what is indexed now, after one start and not two.
func TestTextsThatAreCutOtherwiseAreIndexedAgain(t *testing.T) {
	bothDatabases(t, func(t *testing.T, cfg *repository.Config) {
		db, m := rawAndMigrator(t, cfg)
		if _, err := m.UpTo(t.Context(), beforeRecut); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{
			`INSERT INTO workspaces (id, name, settings, created_at) VALUES ('default', 'default', '{}', 1), ('empty', 'empty', '{}', 1)`,
			`INSERT INTO documents (workspace_id, id, key, title, body, published_body, version, created_at, updated_at)
				VALUES ('default', 'doc_th', 'th', 't', 'ฉันจะไปประชุมพรุ่งนี้', '', 1, 1, 1), ('default', 'doc_en', 'en', 't', 'a meeting tomorrow', '', 1, 1, 1)`,
			`INSERT INTO zones (workspace_id, id, name, description, colour, position, require_validation, version, created_at, updated_at)
				VALUES ('default', 'zon_1', 'z', '', '', 1, FALSE, 1, 1, 1)`,
			`INSERT INTO tools (workspace_id, id, zone_id, tool_type, name, description, config, always_send, require_validation, position, version, created_at, updated_at)
				VALUES ('default', 'tol_1', 'zon_1', 'journal', 't', '', '{}', FALSE, FALSE, 1, 1, 1, 1)`,
			`INSERT INTO entries (workspace_id, id, tool_id, at, data, version, session_id, created_at, updated_at)
				VALUES ('default', 'ent_ko', 'tol_1', 1, '{"text":"오늘회의록정리"}', 1, '', 1, 1), ('default', 'ent_en', 'tol_1', 1, '{"text":"minutes"}', 1, '', 1, 1)`,
		} {
			if _, err := db.ExecContext(t.Context(), query); err != nil {
				t.Fatalf("%s: %v", query, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := repository.Open(t.Context(), *cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		found := func(text string) string {
			hits, _, err := s.ReadData("default").Search(t.Context(), userdata.SearchQuery{Text: text})
			if err != nil || len(hits) != 1 {
				return ""
			}
			return hits[0].ID
		}
		if th, ko := found("ประชุม"), found("회의록"); th != "doc_th" || ko != "ent_ko" {
			t.Errorf("found %q and %q", th, ko)
		}
		// Neither was indexed before: what is cut as before is left alone.
		if en := found("meeting"); en != "" {
			t.Errorf("%s was indexed again", en)
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
