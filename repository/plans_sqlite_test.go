package repository_test

import (
	"database/sql"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// sqliteStep is a line of a plan that reads a table: a search goes down an index, a scan
// from one end to the other. Of a virtual table, the index says what is looked for.
var sqliteStep = regexp.MustCompile(`^(SCAN|SEARCH) (\w+)(?: .*VIRTUAL TABLE INDEX \d+:(.*))?`)

// served says of each index what it is for, by a piece of a statement that goes down it. Of
// the unique ones, those that serve a list.
var served = []struct{ index, columns, piece string }{
	{"approvals_newest", "(workspace_id=? AND status=? AND (created_at,id)<(?,?))", "ORDER BY created_at DESC, id DESC LIMIT"},
	{"approvals_open", "(workspace_id=? AND session_id=?)", "AND status = 'open' ORDER BY created_at, id"},
	{"approvals_session", "(workspace_id=? AND session_id=?)", "ORDER BY created_at, id LIMIT"},
	{"automations_hook", "(id=?)", "WHERE id = $1 AND hook_sealed <> ''"},
	{"automations_newest", "(workspace_id=? AND (created_at,id)<(?,?))", "ORDER BY created_at DESC, id DESC LIMIT"},
	{"automations_next", "(next_at<?)", "ORDER BY next_at, workspace_id, id"},
	{"automations_watch", "", "WHERE a.watches"},
	{"documents_key", "(workspace_id=? AND key>?)", "ORDER BY key LIMIT"},
	{"entries_deleted", "(workspace_id=? AND deleted_at<?)", "ORDER BY e.deleted_at, e.id LIMIT"},
	{"entries_outside", "(workspace_id=? AND tool_id=?)", "AND trust = 'outside'"},
	{"entries_time", "(workspace_id=? AND tool_id=? AND (at,id)>(?,?))", "ORDER BY at, id LIMIT"},
	{"events_session", "(workspace_id=? AND session_id=? AND seq>?)", "ORDER BY seq LIMIT"},
	{"executions_answer", "(workspace_id=? AND session_id=? AND message_id=?)", "ORDER BY position, id"},
	{"executions_grant", "(workspace_id=? AND grant_id=?)", "ORDER BY g.created_at"},
	{"executions_time", "(workspace_id=? AND session_id=? AND (created_at,position,id)>(?,?,?))", "ORDER BY created_at, position, id LIMIT"},
	{"executions_unknown", "(workspace_id=?)", "SELECT DISTINCT command_id"},
	{"file_contents_collect", "(collect_after<?)", "ORDER BY collect_after, workspace_id, sha256 LIMIT"},
	{"file_uses_file", "(workspace_id=? AND file_id=?)", "DELETE FROM files"},
	{"files_collect", "(collect_after<?)", "ORDER BY collect_after, workspace_id, id LIMIT"},
	{"files_content", "(workspace_id=? AND sha256=?)", "DELETE FROM file_contents"},
	{"files_newest", "(workspace_id=? AND (created_at,id)<(?,?))", "ORDER BY created_at DESC, id DESC LIMIT"},
	{"grants_automation", "(workspace_id=? AND automation_id=?)", "ORDER BY g.created_at DESC, g.id DESC LIMIT"},
	{"idempotency_age", "(created_at<?)", "DELETE"},
	{"connector_grants_state", "(state_hash=?)", "FROM connector_grants WHERE state_hash = $1"},
	{"idempotency_owner", "(workspace_id=? AND owner=? AND created_at>?)", "COUNT(*)"},
	{"inbox_waiting", "(workspace_id=? AND session_id=?)", "ORDER BY i.created_at, i.id"},
	{"known_histories_session", "(workspace_id=? AND session_id=?)", "MAX(n.message_id)"},
	{"forks_origin", "(workspace_id=? AND origin_id=?)", "MAX(to_seq)"},
	{"kept_file_uses_file", "(workspace_id=? AND file_id=?)", "DELETE FROM files"},
	{"messages_order", "(workspace_id=? AND session_id=? AND seq<?)", "ORDER BY seq DESC LIMIT"},
	{"messages_order", "(workspace_id=? AND session_id=? AND seq>?)", "ORDER BY seq LIMIT"},
	{"occurrences_due", "(workspace_id=? AND automation_id=?)", "AND state = 'DUE' ORDER BY scheduled_at LIMIT"},
	{"occurrences_failed", "(workspace_id=? AND automation_id=? AND recorded_at>?)", "ORDER BY recorded_at DESC, id DESC LIMIT"},
	{"occurrences_newest", "(workspace_id=? AND (scheduled_at,id)<(?,?))", "ORDER BY scheduled_at DESC, id DESC LIMIT"},
	{"queue_order", "(workspace_id=? AND lane=?)", "AND lane = $2 ORDER BY lane, number, session_id LIMIT"},
	{"roundtrips_session", "(workspace_id=? AND session_id=? AND number>?)", "ORDER BY number, id LIMIT"},
	{"roundtrips_session", "(workspace_id=? AND session_id=?)", "r.session_id = $2 GROUP BY"},
	{"search_tool", "(workspace_id=? AND tool_id=?)", "DELETE FROM search WHERE"},
	{"passkeys_owner", "(workspace_id=? AND owner=?)", "FROM passkeys WHERE workspace_id = $1 AND owner = $2 ORDER BY"},
	{"person_tokens_person", "(workspace_id=? AND person_id=? AND expires_at>?)", "SELECT COUNT(*) FROM person_tokens"},
	{"person_tokens_expiry", "(workspace_id=? AND expires_at<?)", "DELETE FROM person_tokens WHERE workspace_id = $1 AND hash IN"},
	{"sessions_call_aside", "(workspace_id=? AND lane=?)", "AND call_aside ORDER BY last_event_time"},
	{"sessions_automation", "(workspace_id=? AND automation_id=? AND created_at>?)", "ORDER BY created_at DESC, id DESC LIMIT $4) runs"},
	{"sessions_automation", "(workspace_id=? AND automation_id=?)", "automation_id = $3 AND automation_id <> '' ORDER BY created_at DESC, id DESC LIMIT"},
	{"sessions_network", "(workspace_id=?)", "ORDER BY last_event_time, id LIMIT"},
	{"sessions_newest", "(workspace_id=? AND (created_at,id)<(?,?))", "ORDER BY created_at DESC, id DESC LIMIT"},
	{"sessions_owner", "(workspace_id=? AND owner=?)", "AND owner = $2 AND owner <> '' ORDER BY created_at DESC"},
	{"sessions_reserved", "(workspace_id=?)", "SUM(reserved_micros)"},
	{"sessions_runs", "(workspace_id=? AND automation_id=?)", "ORDER BY created_at, id LIMIT"},
	{"sessions_timer", "(wake_at<?)", "ORDER BY wake_at, workspace_id, id LIMIT"},
	{"sessions_waiting", "(workspace_id=?)", "ORDER BY COALESCE(last_event_time, created_at), id LIMIT"},
	{"sign_ins_owner", "(workspace_id=? AND owner=?)", "ORDER BY last_used_at DESC LIMIT"},
	{"stream_tickets_key", "(workspace_id=? AND key_hash=?)", "COUNT(*)"},
	{"tasks_due", "(due_at<?)", "ORDER BY due_at, workspace_id, id LIMIT"},
	{"tasks_newest", "(workspace_id=? AND (created_at,id)<(?,?))", "FROM tasks WHERE workspace_id = $1 AND (created_at, id) < ($2, $3) ORDER BY"},
	{"tasks_open", "(workspace_id=? AND session_id=?)", "ORDER BY created_at, id"},
	{"tasks_session", "(workspace_id=? AND session_id=? AND (created_at,id)<(?,?))", "ORDER BY created_at DESC, id DESC LIMIT"},
	{"tasks_status", "(workspace_id=? AND status=?)", "ORDER BY created_at DESC, id DESC LIMIT"},
	{"tools_zone", "(workspace_id=? AND zone_id=?)", "ORDER BY position, name, id"},
	{"webhooks_enabled", "", "AS behind FROM webhooks h"},
	{"zones_order", "(workspace_id=? AND (position,name,id)>(?,?,?))", "ORDER BY position, name, id LIMIT"},
}

// checkSQLite has an empty database of the schema explain each statement.
func checkSQLite(t *testing.T, texts []string) {
	cfg := plainConfig()
	cfg.Path = filepath.Join(t.TempDir(), "plans.db")
	store := opened(t, cfg)
	spared := map[string]bool{} // statements of consistency checks, which run on demand only
	err := store.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{ID: ws, Name: ws, Settings: domain.DefaultSettings(), CreatedAt: suite.T0})
	if err == nil {
		_, err = store.Workspaces.Invariants(t.Context(), ws)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range repository.StatementsForTest(store) {
		spared[text] = true
	}
	steps := explainSQLite(t, "file:"+cfg.Path, texts)
	stale(t, steps)
	for _, c := range complaints(steps, spared) {
		t.Error(c)
	}
	everyIndexServes(t, cfg.Path, steps)
}

// everyIndexServes: each serves what it is for, and one that serves nothing costs each
// writer something all the same.
func everyIndexServes(t *testing.T, path string, steps []step) {
	t.Helper()
	known := map[string]bool{}
	for _, s := range served {
		known[s.index] = true
		found := slices.ContainsFunc(steps, func(x step) bool {
			return strings.HasSuffix(x.how, strings.TrimSpace("INDEX "+s.index+" "+s.columns)) && strings.Contains(x.statement, s.piece)
		})
		if !found {
			t.Errorf("no statement with %q goes down the index %s %s", s.piece, s.index, s.columns)
		}
	}
	for _, index := range rows(t, "sqlite", "file:"+path, `SELECT i.name FROM sqlite_master m JOIN pragma_index_list(m.name) i WHERE m.type = 'table' AND NOT i."unique"`) {
		if !known[index] {
			t.Errorf("the index %s has no line in served: which statement is it for?", index)
		}
	}
}

func explainSQLite(t *testing.T, address string, texts []string) []step {
	t.Helper()
	tables := map[string]bool{}
	for _, name := range rows(t, "sqlite", address, "SELECT name FROM sqlite_master WHERE type = 'table'") {
		tables[name] = true
	}
	db, err := sql.Open("sqlite", address+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var all []step
	for _, text := range texts {
		plan := sqlitePlan(t, db, text)
		sorts := slices.Contains(plan, "USE TEMP B-TREE FOR ORDER BY")
		for _, how := range plan {
			m := sqliteStep.FindStringSubmatch(how)
			if m == nil {
				continue
			}
			if table := tableOf(text, m[2], tables); table != "" {
				all = append(all, step{
					statement: text, table: table, how: how, scan: m[1] == "SCAN" && m[3] == "",
					whole: strings.HasSuffix(how, "(workspace_id=?)"), sorts: sorts,
				})
			}
		}
	}
	return all
}

func sqlitePlan(t *testing.T, db *sql.DB, text string) []string {
	t.Helper()
	found, err := db.Query("EXPLAIN QUERY PLAN "+text, make([]any, values(text))...)
	if err != nil {
		t.Fatalf("explain %s: %v", text, err)
	}
	defer func() { _ = found.Close() }()
	var lines []string
	for found.Next() {
		var id, parent, unused int
		var line string
		if err := found.Scan(&id, &parent, &unused, &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}
