package repository_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/migrations"
	"github.com/fermata-dev/fermata/repository"
)

// before is the last schema whose log had a row for each event.
const before = 8

// oldData is a session of such a database: what it says and spends, and who waits in it.
var oldData = []string{
	`INSERT INTO workspaces (id, name, settings, last_seq, pruned_to, queue_length, created_at) VALUES ('default', 'default', '{}', 6, 1, 1, 1)`,
	`INSERT INTO sessions (workspace_id, id, type, name, phase, status, end_reason, holds_slot, wants_slot, queued_at, external_id, parent_session_id,
		automation_id, trigger_kind, provider_id, model, require_validation, pinned, created_at, updated_at, last_event_time, version, run_epoch,
		owner_node, owner_incarnation, last_seq, session_seq, last_transition_id, inbox_pending, state, budgets, usage, reserved_micros)
		VALUES ('default', 'ses_1', 'CHAT', 'old', 'IDLE', 'idle', '', FALSE, TRUE, 5, '', '', '', '', '', '', FALSE, FALSE, 1, 1, 1, 3, 1,
		'n', 'i', 6, 3, 'chg_1', 1, '{}', '{}', '{}', 0)`,
	`INSERT INTO messages (workspace_id, session_id, id, round_id, seq, at, sender, status, sender_id, rich, text_content, ai, raw, system, run,
		answers_call, exclude_from_prompt) VALUES ('default', 'ses_1', 'msg_1', 'rnd_1', NULL, 5, 'USER', 'queued', '', '', 'wait', '', '', '', '', '', FALSE)`,
	`INSERT INTO inbox (workspace_id, id, session_id, dedupe_key, kind, if_busy, message_id, created_at) VALUES ('default', 'inb_1', 'ses_1', 'd', 'message', 'queue', 'msg_1', 5)`,
	`INSERT INTO queue (workspace_id, session_id, number, trigger_kind, reason, since, preempting) VALUES ('default', 'ses_1', 1, 'USER_MESSAGE', '', 5, FALSE)`,
	`INSERT INTO transitions (workspace_id, session_id, number, from_phase, to_phase, event, reason, status, round_id, epoch, at)
		VALUES ('default', 'ses_1', 2, 'IDLE', 'CALLING_AI', 'UserMessageSent', '', 'running', 'rnd_1', 1, 3)`,
	`INSERT INTO roundtrips (workspace_id, id, session_id, session_type, automation_id, round_id, message_id, number, reason, provider_id, provider_kind, model,
		purpose, outcome, error, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, prompt_hash, prompt_tokens, streamed,
		started_at, ended_at) VALUES ('default', 'rtp_1', 'ses_1', 'CHAT', '', 'rnd_1', 'msg_0', 1, 'USER_MESSAGE', 'prv_1', 'demo', 'm', 'answer', 'answered', '',
		1, 0, 0, 2, 0, 0.5, 'h', 1, TRUE, 3000000, 4000000), ('default', 'rtp_2', 'ses_1', 'CHAT', '', 'rnd_1', 'msg_0', 2, 'USER_MESSAGE', 'prv_1', 'demo', 'm',
		'answer', 'lost', '', 0, 0, 0, 0, 0, NULL, 'h', 1, TRUE, 5000000, NULL)`,
	`INSERT INTO changes (workspace_id, id, at) VALUES ('default', 'chg_0', 1)`,
	`INSERT INTO stream_tickets (workspace_id, hash, role, name, key_hash, expires_at) VALUES ('default', 'h', 'member', 'n', 'k', 9000000000000000)`,
}

// oldEvents are the log of that session, with what JSON can have in it.
var oldEvents = []string{
	`{"session_seq":1,"session":{}}`, `{"session_seq":2,"phase":"CALLING_AI","text":"é \" \n '"}`, `{"data":[]}`, `{"session_seq":3, "text" : "` + strings.Repeat("long ", 3000) + `"}`, `{"data":[]}`,
}

// ownSeq are their numbers in the session; 0 is the workspace's own.
var ownSeq = []int64{1, 2, 0, 3, 0}

// old is a database with the schema before, and data in it.
func old(t testing.TB, cfg *repository.Config) (*sql.DB, *goose.Provider) {
	t.Helper()
	db, m := rawAndMigrator(t, cfg)
	if _, err := m.UpTo(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	for _, query := range oldData {
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	for i, data := range oldEvents {
		session, own, kind := "ses_1", ownSeq[i], "session.phase"
		if own == 0 {
			session, kind = "", "queue.changed"
		}
		_, err := db.ExecContext(t.Context(), "INSERT INTO events (workspace_id, seq, session_id, session_seq, type, at, change_id, data) VALUES ('default', $1, $2, $3, $4, $5, 'chg_1', $6)",
			i+2, session, own, kind, i+1, data)
		if err != nil {
			t.Fatal(err)
		}
	}
	return db, m
}

func rawAndMigrator(t testing.TB, cfg *repository.Config) (*sql.DB, *goose.Provider) {
	t.Helper()
	driver, address, dialect, files := "sqlite", "file:"+cfg.Path+"?_pragma=foreign_keys(1)&_pragma=journal_mode(WAL)", goose.DialectSQLite3, migrations.SQLite()
	if cfg.URL != "" {
		driver, address, dialect, files = "postgres", cfg.URL, goose.DialectPostgres, migrations.Postgres()
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	m, err := goose.NewProvider(dialect, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	return db, m
}

func bothDatabases(t *testing.T, test func(t *testing.T, cfg *repository.Config)) {
	for name, open := range map[string]func(*testing.T, *repository.Config){
		"sqlite":   func(t *testing.T, c *repository.Config) { c.Path = filepath.Join(t.TempDir(), "u.db") },
		"postgres": func(t *testing.T, c *repository.Config) { c.URL = testkit.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := plainConfig()
			open(t, &cfg)
			test(t, &cfg)
		})
	}
}

// TestUpgrade: a database of the version before says the same after its schema has
// changed, and takes new rounds; and it can go back, for the price of its log.
func TestUpgrade(t *testing.T) {
	bothDatabases(t, func(t *testing.T, cfg *repository.Config) {
		db, m := old(t, cfg)
		s := opened(t, *cfg) // and migrated
		saysTheSame(t, s, 2)
		r := rounds{b: t, store: s}
		r.carryOn()
		if log := dataOf(t, s, ""); len(log) != len(oldEvents)+9 || !slices.Equal(log[:len(oldEvents)], oldEvents) {
			t.Errorf("after a round the log is %.200q", log)
		}
		invariantsHold(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := m.DownTo(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM roundtrips WHERE ended_at >= 4000000").Scan(&n); err != nil || n != 3 {
			t.Errorf("after going back there are %d calls, %v", n, err)
		}
		s = opened(t, *cfg)
		oldest, newest, err := s.Events.EventBounds(t.Context(), ws)
		if err != nil || oldest != newest+1 || newest != int64(1+len(oldEvents)+9) {
			t.Errorf("after it went back, the log is from %d to %d (%v)", oldest, newest, err)
		}
		r.store = s
		r.carryOn()
		if log := dataOf(t, s, "ses_1"); len(log) != 9 {
			t.Errorf("a round after that has %d events", len(log))
		}
		invariantsHold(t, s)
	})
}

// TestAFileIsCopiedBeforeItIsMigrated: the copy is the database as it was, and one that is
// up to date is not copied.
func TestAFileIsCopiedBeforeItIsMigrated(t *testing.T) {
	cfg := plainConfig()
	cfg.Path = filepath.Join(t.TempDir(), "u.db")
	db, _ := old(t, &cfg)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := opened(t, cfg)
	kept := fmt.Sprintf("%s.schema-%d", cfg.Path, before)
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the copy is %v, %v", info, err)
	}
	if found := rows(t, "sqlite", "file:"+kept, "SELECT MAX(version_id) || ' ' || (SELECT COUNT(*) FROM events) FROM goose_db_version"); found[0] != fmt.Sprintf("%d %d", before, len(oldEvents)) {
		t.Errorf("the copy holds %v", found)
	}
	if err := errors.Join(s.Migrate(t.Context()), s.Close(), os.Remove(kept)); err != nil {
		t.Fatal(err)
	}
	_ = opened(t, cfg)
	if found, err := filepath.Glob(cfg.Path + ".schema-*"); err != nil || len(found) > 0 {
		t.Errorf("copies of a database that is up to date: %v, %v", found, err)
	}
}

// carryOn is a round of the old session.
func (t *rounds) carryOn() {
	s, err := t.store.Sessions.Session(t.b.Context(), ws, "ses_1")
	t.ok(err)
	t.s = s
	t.in()
	t.out()
}

func saysTheSame(t *testing.T, s *repository.Store, many int64) {
	t.Helper()
	if got := dataOf(t, s, ""); !slices.Equal(got, oldEvents) {
		t.Errorf("the log is %.300q", got)
	}
	if got := dataOf(t, s, "ses_1"); !slices.Equal(got, []string{oldEvents[0], oldEvents[1], oldEvents[3]}) {
		t.Errorf("the session's events are %.300q", got)
	}
	calls, err := s.Records.Roundtrips(t.Context(), ws, "ses_1")
	if err != nil || int64(len(calls)) != many || *calls[0].Usage.Cost != 0.5 || !calls[many-1].EndedAt.Equal(time.UnixMicro(5_000_000)) {
		t.Errorf("its calls are %d, %v", len(calls), err)
	}
	lines, _, err := s.Records.Timeline(t.Context(), ws, "ses_1", reports.TimelineFilter{})
	if err != nil || int64(len(lines)) != min(1+many, 50) {
		t.Errorf("its timeline has %d lines, %v", len(lines), err)
	}
	view, err := s.View(t.Context(), ws, "ses_1")
	if err != nil || len(view.Inbox) != 1 || len(view.Queue) != 1 || view.Session.QueuePosition != 1 {
		t.Errorf("its view is %+v, %v", view, err)
	}
	invariantsHold(t, s)
}

func dataOf(t *testing.T, s *repository.Store, session string) []string {
	t.Helper()
	events, _, err := s.Events.Events(t.Context(), ws, session, 0, domain.PageSize{Rows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = string(e.Data)
	}
	return out
}

func invariantsHold(t *testing.T, s *repository.Store) {
	t.Helper()
	found, err := s.Workspaces.Invariants(t.Context(), ws)
	if err != nil || len(found) == 0 {
		t.Errorf("invariants: %v, %v", found, err)
	}
	for _, i := range found {
		if i.Count != 0 {
			t.Errorf("%s: %d", i.Name, i.Count)
		}
	}
}

// TestKilledWhileMigrating: whenever the process that migrates a SQLite file is killed,
// the next one finds the schema before or the new one, with all that was in it.
func TestKilledWhileMigrating(t *testing.T) {
	if path := os.Getenv("FERMATA_TEST_MIGRATE"); path != "" {
		migrateForKill(t, path)
		return
	}
	cfg := plainConfig()
	cfg.Path = filepath.Join(t.TempDir(), "k.db")
	db, _ := old(t, &cfg)
	const many = 8_000
	_, err := db.ExecContext(t.Context(), fmt.Sprintf("WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "+
		"INSERT INTO roundtrips SELECT workspace_id, 'rtp_' || i, session_id, session_type, automation_id, round_id, message_id, i, reason, provider_id, "+
		"provider_kind, model, purpose, outcome, error, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, "+
		"prompt_hash, prompt_tokens, streamed, started_at, first_token_at, ended_at FROM roundtrips, n WHERE id = 'rtp_1'", many))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(cfg.Path)
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for wait := 2 * time.Millisecond; ; wait *= 2 {
		for name, content := range map[string][]byte{"": file, "-wal": nil, "-shm": nil} {
			if err := errors.Join(os.RemoveAll(cfg.Path+name), os.WriteFile(cfg.Path+name, content, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		finished := killAfter(t, cfg.Path, wait)
		s := opened(t, cfg)
		saysTheSameOfMany(t, s, many)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if finished {
			break
		}
		killed++
	}
	if killed < 3 {
		t.Errorf("only %d processes were killed before one was done", killed)
	}
}

// migrateForKill is the process that is killed: it says when it begins.
func migrateForKill(t *testing.T, path string) {
	cfg := plainConfig()
	cfg.Path = path
	s, err := repository.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(os.Stderr, "begins")
	if err := errors.Join(s.Migrate(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// killAfter kills a process some time after it has begun to migrate; true: it was done.
func killAfter(t *testing.T, path string, wait time.Duration) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestKilledWhileMigrating$")
	cmd.Env = append(os.Environ(), "FERMATA_TEST_MIGRATE="+path)
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := pipe.Read(make([]byte, 1)); err != nil {
		t.Fatalf("it never began: %v", err)
	}
	timer := time.AfterFunc(wait, cancel)
	defer timer.Stop()
	return cmd.Wait() == nil
}

func saysTheSameOfMany(t *testing.T, s *repository.Store, many int64) {
	t.Helper()
	saysTheSame(t, s, many)
	rows, _, err := s.Records.Usage(t.Context(), ws, reports.UsageFilter{GroupBy: reports.UsageBySession})
	if err != nil || len(rows) != 1 || rows[0].Calls != many || rows[0].Usage.OutputTokens != 2*(many-1) {
		t.Errorf("what was used is %+v, %v", rows, err)
	}
}

// TestAnUpgradeKnowsWhatWebhooksBrought verifies that a run that a webhook started before external content was
// tracked continues as one that has read it.
func TestAnUpgradeKnowsWhatWebhooksBrought(t *testing.T) {
	bothDatabases(t, func(t *testing.T, cfg *repository.Config) {
		db, _ := old(t, cfg)
		for id, row := range map[string][3]string{
			"ses_hook":  {"EVENT", "WAITING_VALIDATION", "webhook"},
			"ses_entry": {"EVENT", "WAITING_VALIDATION", "entry_created"},
			"ses_hand":  {"MANUAL", "WAITING_VALIDATION", "me"},
			"ses_over":  {"EVENT", "COMPLETED", "webhook"},
		} {
			for _, query := range []string{
				`INSERT INTO sessions (workspace_id, id, type, name, phase, status, end_reason, holds_slot, wants_slot, external_id, parent_session_id,
					automation_id, trigger_kind, provider_id, model, require_validation, pinned, created_at, updated_at, last_event_time, version, run_epoch,
					owner_node, owner_incarnation, last_seq, session_seq, last_transition_id, inbox_pending, state, budgets, usage, reserved_micros)
					SELECT workspace_id, '` + id + `', 'AUTOMATION', name, '` + row[1] + `', status, end_reason, FALSE, FALSE, '', '', 'aut_1', '` + row[0] + `', '', '',
					FALSE, FALSE, 1, 1, 1, 3, 1, 'n', 'i', 6, 3, 'chg_1', 0, '{"round_id":"rnd_1"}', '{}', '{}', 0 FROM sessions WHERE id = 'ses_1'`,
				`INSERT INTO messages (workspace_id, session_id, id, round_id, seq, at, sender, status, sender_id, rich, text_content, ai, raw, system, run,
					answers_call, exclude_from_prompt) VALUES ('default', '` + id + `', 'msg_` + id + `', 'rnd_1', NULL, 5, 'USER', 'stored', '` + row[2] + `', '', 'hi', '', '', '', '', '', FALSE)`,
			} {
				if _, err := db.ExecContext(t.Context(), query); err != nil {
					t.Fatalf("%s: %v", query, err)
				}
			}
		}
		s := opened(t, *cfg)
		for id, tainted := range map[string]bool{"ses_hook": true, "ses_entry": false, "ses_hand": false, "ses_over": false} {
			session, err := s.Sessions.Session(t.Context(), ws, id)
			if err != nil {
				t.Fatal(err)
			}
			if taint := session.State.Taint; (taint != nil) != tainted || session.State.RoundID != "rnd_1" || tainted && taint.Sources[0].Origin != domain.OriginWebhook {
				t.Errorf("%s knows of %+v, round %q", id, session.State.Taint, session.State.RoundID)
			}
		}
	})
}
