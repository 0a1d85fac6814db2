-- Indexes for tables that grow. The runs of an automation are read in the order of their list.
-- Due work is found by automation, not among all past occurrences. Open work of a session is not
-- searched for among that of all sessions. Automations whose runs failed are found by the end of
-- their history, so the index of all failed runs, which only grew, is dropped. Without
-- statistics SQLite assumes that a workspace has ten rows in a table, and scans them all rather
-- than use a longer index: the statistics of two tables correct this.

-- +goose Up
DROP INDEX sessions_failed;
DROP INDEX sessions_automation;
CREATE INDEX sessions_automation ON sessions (workspace_id, automation_id, created_at, id) WHERE automation_id <> '';
DROP INDEX occurrences_due;
CREATE INDEX occurrences_due ON occurrences (workspace_id, automation_id, scheduled_at) WHERE state = 'DUE';
CREATE INDEX approvals_open ON approvals (workspace_id, session_id, created_at, id) WHERE status = 'open';
ANALYZE sqlite_schema; -- makes the table of what it knows, and nothing more
DELETE FROM sqlite_stat1 WHERE tbl IN ('inbox', 'roundtrips');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('inbox', 'inbox', '1000000 10000 1'),
    ('inbox', 'inbox_dedupe', '1000000 10000 100 1'),
    ('inbox', 'inbox_waiting', '10000 100 10 1 1'),
    ('roundtrips', 'roundtrips', '1000000 10000 1 1'),
    ('roundtrips', 'roundtrips_session', '1000000 10000 100 1');

-- +goose Down
DELETE FROM sqlite_stat1 WHERE tbl IN ('inbox', 'roundtrips');
DROP INDEX approvals_open;
DROP INDEX occurrences_due;
CREATE INDEX occurrences_due ON occurrences (workspace_id, scheduled_at, automation_id) WHERE state = 'DUE';
DROP INDEX sessions_automation;
CREATE INDEX sessions_automation ON sessions (workspace_id, automation_id, created_at) WHERE automation_id <> '';
CREATE INDEX sessions_failed ON sessions (workspace_id, automation_id) WHERE type = 'AUTOMATION' AND phase = 'COMPLETED' AND (end_reason = 'ERROR' OR end_reason = 'TIMEOUT' OR end_reason = 'LIMIT_REACHED');
