package repository_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// asked collects the text of every statement that the suite's stores ask.
type asked struct {
	mu  sync.Mutex
	all map[string]bool
}

// by gives each story its store, and looks at the end what the store was asked.
func (a *asked) by(open suite.Open) suite.Open {
	return func(t testing.TB, place string, cfg repository.Config) *repository.Store {
		t.Helper()
		s := open(t, place, cfg)
		t.Cleanup(func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			for _, text := range repository.StatementsForTest(s) {
				a.all[text] = true
			}
		})
		return s
	}
}

// runSuite runs the suite on a database, then lets the database explain every statement that was executed. others
// are the files whose statements belong to the other database.
func runSuite(t *testing.T, open suite.Open, others []string, check func(t *testing.T, texts []string)) {
	seen := &asked{all: map[string]bool{}}
	suite.Run(t, seen.by(open))
	t.Run("plans", func(t *testing.T) {
		texts := slices.DeleteFunc(slices.Sorted(maps.Keys(seen.all)), func(text string) bool { return !verb.MatchString(text) })
		if len(texts) < 200 {
			t.Skipf("only %d statements were asked: the whole suite asks them all", len(texts))
		}
		everyStatement(t, texts, others)
		check(t, texts)
	})
}

// verb begins a statement that has a plan.
var verb = regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE|WITH) `)

// step is how a database reads one table for a statement.
type step struct {
	statement, table string
	how              string // in the database's words
	scan             bool   // from one end of the table, or of an index, to the other
	whole            bool   // all that a workspace has in it
	sorts            bool   // and puts what the statement finds in order
}

// growing are the tables to which every day adds, in a workspace too.
var growing = map[string]bool{
	"sessions": true, "messages": true, "executions": true, "approvals": true, "transitions": true, "roundtrips": true,
	"events": true, "webhook_deliveries": true, "inbox": true, "occurrences": true, "entries": true, "search": true,
	"known_histories": true, "tasks": true, "files": true, "file_contents": true, "file_chunks": true, "file_uses": true, "kept_file_uses": true,
}

// allowed is a statement that may read a table, or a partial index, from end to end.
type allowed struct{ piece, table, why string }

const (
	sweep    = "UNION ALL SELECT 'waiting'"
	perPlace = "the index has one row for each slot that is held"
	perCall  = "the index has one row for each call without the slot"
	atStart  = "at the start of the server, and by its doctor"
	rotation = "when the secret key is rotated"
	daily    = "once a day, of tables of a few hundred rows; entries have an index of the deleted ones"
)

var scans = []allowed{
	{sweep, "sessions", "every five minutes: the index holds those that wait"},
	{sweep, "occurrences", "every five minutes: the index holds what is due"},
	{sweep, "automations", "every five minutes, in one look each"},
	{"WHERE a.watches AND ($1 = '' OR", "automations", "for tests that look at all workspaces: the index holds those that watch"},
	{"DELETE FROM changes WHERE at < $1", "changes", "once an hour, of marks a day old: it deletes nearly all that it reads"},
	{"FROM keys LIMIT 1", "keys", "one row is read"},
	{"SELECT DISTINCT workspace_id FROM entries WHERE deleted_at", "entries", daily},
	{"SELECT DISTINCT workspace_id FROM entries WHERE deleted_at", "tools", daily},
	{"SELECT DISTINCT workspace_id FROM entries WHERE deleted_at", "zones", daily},
	{"SELECT DISTINCT workspace_id FROM entries WHERE deleted_at", "documents", daily},
	{"SELECT DISTINCT workspace_id FROM sign_ins", "sign_ins", "every ten minutes, of a row for each browser"},
	{"created_at FROM workspaces ORDER BY id", "workspaces", "the list of the workspaces"},
	{"AS kept FROM workspaces w", "workspaces", "once an hour, one look each"},
	{"AS alive", "nodes", "the list of the nodes"},
	{"AS alive", "sessions", perPlace},
	{"UNION ALL SELECT * FROM sessions WHERE call_aside", "sessions", perPlace},
	{"SET owner_incarnation = '' WHERE holds_slot", "sessions", perPlace},
	{"(SELECT workspace_id FROM sessions WHERE holds_slot AND owner_node", "sessions", perPlace},
	{"SET owner_incarnation = '' WHERE call_aside", "sessions", perCall},
	{"(SELECT workspace_id FROM sessions WHERE call_aside AND owner_node", "sessions", perCall},
	{"FROM sessions WHERE holds_slot) AS h,", "sessions", perPlace},
	{"FROM sessions WHERE holds_slot) AS h,", "queue", "for the metrics: those that wait anywhere"},
	{"FROM sessions WHERE holds_slot) AS h,", "approvals", "for the metrics: the index has the open ones alone"},
	{"GROUP BY status", "tasks", "for the metrics: the index holds those that go on"},
	{"FROM files) AS files", "files", "for the metrics, at most every five minutes"},
	{"FROM files) AS files", "file_contents", "for the metrics, at most every five minutes"},
	{"AND q.reason = $1 AND s.owner_node", "queue", "at the end of the server: those that wait anywhere"},
	{"AND q.reason = $1 AND s.owner_node", "sessions", "at the end of the server; PostgreSQL may begin with what this process has claimed"},
	{"SELECT id FROM workspaces WHERE search_version", "workspaces", atStart},
	{"SELECT start, COUNT(*) AS n", "providers", atStart},
	{"SELECT start, COUNT(*) AS n", "automations", atStart},
	{"SELECT start, COUNT(*) AS n", "connector_grants", atStart},
	{"SELECT start, COUNT(*) AS n", "webhooks", atStart},
	{"AS behind FROM webhooks h", "webhooks", "every 15 seconds: the index holds those that are sent to"},
	{"SELECT workspace_id, id FROM webhooks", "webhooks", "every ten minutes, of 20 rows of a workspace at most"},
	{"FROM webhooks WHERE kind = 'push' AND holds_until", "webhooks", "every ten minutes, of 500 browsers of a workspace at most"},
	{"SELECT start, COUNT(*) AS n", "connectors", atStart},
	{"AS what, workspace_id", "providers", rotation},
	{"AS what, workspace_id", "connectors", rotation},
	{"AS what, workspace_id", "connector_grants", rotation},
	{"AS what, workspace_id", "automations", rotation},
	{"AS what, workspace_id", "webhooks", rotation},
	{"AND substr(secret_sealed, 1, $1) <> $2", "providers", atStart},
	{"substr(hook_sealed, 1, $1) <> $2)", "automations", atStart},
}

// pages stop at their end: all that a workspace has stands in an index in their order.
var pages = []allowed{
	{"ORDER BY created_at DESC, id DESC LIMIT", "sessions", "the list of the sessions, and of the runs"},
	{"FROM tasks WHERE workspace_id = $1 ORDER BY created_at DESC", "tasks", "the list of the tasks"},
	{"ORDER BY scheduled_at DESC, id DESC LIMIT", "occurrences", "the history of the automations"},
	{"FROM files WHERE workspace_id = $1 ORDER BY created_at DESC", "files", "the list of the files"},
}

// reporting may read all that a workspace has in a table, and order it.
var reporting = []allowed{
	{"AS calls", "roundtrips", "what was spent, by something"},
	{"SELECT MAX(r.ended_at)", "roundtrips", "the newest of what was spent: it stops at the first, in the order of an index"},
	{"COALESCE(SUM(bytes), 0) FROM file_contents", "files", "at each upload: as many as the workspace's budget allows"},
	{"COALESCE(SUM(bytes), 0) FROM file_contents", "file_contents", "at each upload: as many as the workspace's budget allows"},
}

// few are indexes that hold only what is going on: one that is read whole says little of
// how much a workspace has.
var few = regexp.MustCompile(`\b(sessions_(slot|call_aside|waiting|network|reserved)|inbox_waiting|occurrences_due|executions_unknown)\b`)

// complaints returns the statements that no index serves, for example because an index was dropped. spared are
// statements that may be slow.
func complaints(all []step, spared map[string]bool) (out []string) {
	excused := func(list []allowed, s step) bool {
		return slices.ContainsFunc(list, func(r allowed) bool { return r.table == s.table && strings.Contains(s.statement, r.piece) })
	}
	for _, s := range all {
		switch {
		case spared[s.statement]:
		case s.scan && !excused(scans, s):
			out = append(out, fmt.Sprintf("all of %s is read: %s\n\tfor %s", s.table, s.how, s.statement))
		case s.whole && growing[s.table] && !few.MatchString(s.how) && !excused(reporting, s) && (s.sorts || !excused(pages, s)):
			out = append(out, fmt.Sprintf("all that a workspace has in %s is read: %s\n\tfor %s", s.table, s.how, s.statement))
		}
	}
	return out
}

// stale: what is allowed is also asked.
func stale(t *testing.T, all []step) {
	t.Helper()
	for _, r := range slices.Concat(scans, pages, reporting) {
		asked := func(s step) bool { return s.table == r.table && strings.Contains(s.statement, r.piece) }
		if !slices.ContainsFunc(all, asked) {
			t.Errorf("nothing asks for %s by %q any more (%s): take it from the list", r.table, r.piece, r.why)
		}
	}
}

// settling are the statements that are asked where the database was away alone: they look whether
// a COMMIT, or a fenced statement, without a reply was carried out, and give a key free that a
// request left meanwhile, each by a whole primary key.
var settling = []string{
	"SELECT last_change_id FROM workspaces WHERE id = $1", "UPDATE workspaces SET last_change_id = $2 WHERE id = $1",
	"SELECT last_seq FROM workspaces WHERE id = $1", "SELECT change_id FROM events WHERE workspace_id = $1 AND seq = $2",
	"INSERT INTO changes (workspace_id, id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
	"SELECT 1 FROM changes WHERE workspace_id = $1 AND id = $2", "DELETE FROM idempotency WHERE workspace_id = $1 AND key = $2 AND attempt_id = $3 ",
}

// upgrading are the statements that only the start after an upgrade asks; a test of its own does.
var upgrading = []string{"UPDATE workspaces SET search_version = $2 WHERE id = $1"}

// everyStatement: each SELECT, UPDATE and DELETE that stands in the sources was asked, of
// the search on its own database. A new one needs a story in the suite.
func everyStatement(t *testing.T, texts, others []string) {
	t.Helper()
	found := 0
	for _, file := range house(t) {
		if slices.Contains(others, file) {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil || !verb.MatchString(text) || len(text) < 20 || slices.Contains(settling, text) || slices.Contains(upgrading, text) {
				return true
			}
			found++
			pattern := hole.ReplaceAllString(regexp.QuoteMeta(text), `\S+`)
			if !slices.ContainsFunc(texts, regexp.MustCompile(pattern).MatchString) {
				t.Errorf("%s: no story of the suite asks %q", set.Position(n.Pos()), text)
			}
			return true
		})
	}
	if found < 100 {
		t.Errorf("only %d statements were found in the sources: the test looks in the wrong place", found)
	}
}

// hole is where a text that stands in the sources gets a placeholder, or a name.
var hole = regexp.MustCompile(`\\\?|\\\$\w+|%s`)

var placeholder = regexp.MustCompile(`\$(\d+)`)

// values is how many a statement is given.
func values(text string) int {
	most := 0
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			most = max(most, n)
		}
	}
	return most
}

var named = regexp.MustCompile(`(?i)\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?`)

// tableOf is the table that a statement calls by this name; "" when the statement itself
// put it together.
func tableOf(statement, name string, tables map[string]bool) string {
	for _, m := range named.FindAllStringSubmatch(statement, -1) {
		if (m[1] == name || m[2] == name) && tables[m[1]] {
			return m[1]
		}
	}
	return ""
}
