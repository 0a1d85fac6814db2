package maintenance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// row is what a test says of a row; the other columns that must have a value get an empty one.
type row map[string]any

// with is a copy of a row with other values.
func (r row) with(more row) row {
	out := maps.Clone(r)
	maps.Copy(out, more)
	return out
}

// column is what SQLite says of a column.
type column struct {
	CID       int     `db:"cid"`
	Name      string  `db:"name"`
	Type      string  `db:"type"`
	NotNull   bool    `db:"notnull"`
	Default   *string `db:"dflt_value"`
	Key       int     `db:"pk"`
	Generated int     `db:"hidden"`
}

func insert(t *testing.T, tx *Tx, table string, r row) {
	t.Helper()
	var columns []column
	if err := tx.All(t.Context(), &columns, "SELECT * FROM pragma_table_xinfo($1)", table); err != nil {
		t.Fatal(err)
	}
	r = r.with(row{"workspace_id": "w"})
	if table == "workspaces" {
		delete(r, "workspace_id")
	}
	for _, c := range columns {
		if _, given := r[c.Name]; !given && c.NotNull && c.Default == nil && c.Generated == 0 {
			r[c.Name] = ""
			if strings.Contains(c.Type, "INT") || strings.Contains(c.Type, "REAL") {
				r[c.Name] = 0
			}
		}
	}
	names, values := slices.Sorted(maps.Keys(r)), []any(nil)
	for _, name := range names {
		values = append(values, r[name])
	}
	query := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(names, ", "), Placeholders(1, len(names)))
	if _, err := tx.Write(t.Context(), query, values...); err != nil {
		t.Fatal(table, err)
	}
}

// planted are the rows of a violation, by table.
type planted map[string][]row

// violations has, for each invariant, rows that violate it.
func violations() map[string]planted {
	done, chat := row{"phase": "COMPLETED"}, row{"id": "s", "phase": "WAITING_INSTRUCTIONS", "status": "idle", "type": "CHAT", "lane": "l"}
	holder := chat.with(row{"holds_slot": true, "status": "running", "owner_node": "n"})
	called := chat.with(row{"id": "a", "type": "AGENT", "parent_session_id": "s", "phase": "CALLING_AI"})
	run := chat.with(row{"type": "AUTOMATION", "automation_id": "x", "trigger_kind": "MANUAL", "phase": "CALLING_AI"})
	place := row{"session_id": "s", "lane": "l"}
	sessions := func(rows ...row) planted { return planted{"sessions": rows} }
	log := func(rows ...row) planted {
		return planted{"sessions": {chat.with(row{"session_seq": 3})}, "events": rows}
	}
	event := row{"session_id": "s", "seq": 1, "session_seq": 1, "event_count": 1}
	return map[string]planted{
		"two_holders":                    sessions(holder, holder.with(row{"id": "t"})),
		"row_in_another_lane":            {"sessions": {chat}, "queue": {place.with(row{"lane": "m"})}},
		"running_without_slot":           sessions(holder.with(row{"holds_slot": false})),
		"running_without_owner":          sessions(holder.with(row{"owner_node": ""})),
		"ended_with_slot":                sessions(holder.with(done)),
		"holder_in_queue":                {"sessions": {holder}, "queue": {place}},
		"place_lost":                     sessions(chat.with(row{"queued_at": 1})),
		"two_runs_go":                    sessions(run, run.with(row{"id": "t", "created_at": 2})),
		"run_without_occurrence":         sessions(run.with(row{"trigger_kind": "SCHEDULED"})),
		"open_approval_on_ended_session": {"sessions": {chat.with(done)}, "approvals": {{"id": "p", "session_id": "s", "status": "open", "kind": "commands"}}},
		"wait_without_approval":          sessions(chat.with(row{"phase": "WAITING_VALIDATION"})),
		"agent_without_caller":           sessions(chat, called),
		"agent_with_slot":                sessions(chat, called.with(row{"holds_slot": true})),
		"call_without_result": {"messages": {{"id": "m", "session_id": "s", "seq": 1, "sender": "AI"}, {"id": "n", "session_id": "s", "seq": 2, "sender": "AI", "raw": "{}"}},
			"executions": {{"id": "e", "session_id": "s", "message_id": "m", "status": "PLANNED"}}},
		"event_gap":                log(event.with(row{"seq": 2})),
		"event_beyond":             log(event.with(row{"seq": 9})),
		"session_event_gap":        log(event),
		"transition_without_event": {"sessions": {chat.with(row{"session_seq": 1})}, "events": {event}, "transitions": {{"session_id": "s", "number": 1}}},
		"kept_for_nobody":          {"kept_messages": {{"session_id": "gone", "id": "m"}}},
		"message_out_of_place":     {"messages": {{"id": "m", "session_id": "s", "seq": 1, "status": "queued"}}},
		"inbox_without_message":    {"inbox": {{"id": "i", "session_id": "s", "message_id": "gone"}}},
		"inbox_miscounted":         sessions(chat.with(row{"inbox_pending": 1})),
		"approvals_miscounted":     sessions(chat.with(row{"open_approvals": 1})),
		"tasks_miscounted":         sessions(chat.with(row{"open_tasks": 1})),
		"task_of_ended_session":    {"sessions": {chat.with(done)}, "tasks": {{"id": "t", "session_id": "s", "status": "running"}}},
		"queue_miscounted":         {"sessions": {chat}, "queue": {place}},
		"data_without_home":        {"zones": {{"id": "z", "deleted_at": 1}}, "tools": {{"id": "t", "zone_id": "z"}}},
		"search_out_of_date":       {"search": {{"id": "gone", "kind": "entry"}}},
	}
}

// Each invariant finds the rows that violate it, and nothing in an empty workspace.
func TestInvariantsFindViolations(t *testing.T) {
	newest, err := Newest(false)
	if err != nil {
		t.Fatal(err)
	}
	undo := errors.New("undo")
	counts := func(tx *Tx) map[string]int {
		found := map[string]int{}
		all, err := Invariants(t.Context(), sqldb.Reader(tx), "w")
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range all {
			found[i.Name] = int(i.Count)
		}
		return found
	}
	err = WriteSchema(t.Context(), filepath.Join(t.TempDir(), "db"), newest, func(tx *Tx) error {
		insert(t, tx, "workspaces", row{"id": "w", "last_seq": 1, "pruned_to": 1})
		// The database itself refuses a second holder, and rows without those they refer to: the counts are for one that
		// has lost an index or a row.
		for _, allow := range []string{"DROP INDEX sessions_slot", "PRAGMA defer_foreign_keys = ON"} {
			if _, err := tx.Write(t.Context(), allow); err != nil {
				return err
			}
		}
		for name, n := range counts(tx) {
			if n != 0 {
				t.Errorf("%s counts %d in an empty workspace", name, n)
			}
		}
		plants := violations()
		for _, i := range invariants {
			err := tx.Savepoint(context.WithoutCancel(t.Context()), func() error {
				for _, table := range slices.Sorted(maps.Keys(plants[i.name])) {
					for _, r := range plants[i.name][table] {
						insert(t, tx, table, r)
					}
				}
				if counts(tx)[i.name] == 0 {
					t.Errorf("%s finds no violation", i.name)
				}
				return undo
			})
			if !errors.Is(err, undo) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
