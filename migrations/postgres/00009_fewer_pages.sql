-- A round writes fewer pages. The events that a change made of one session are one row:
-- event_count of them, whose data is packed; seq and session_seq are those of the last.
-- Rows from before hold one event each, in data. What was spent is read by the time at
-- which a call ended, so that is what their key begins with.

-- +goose Up
ALTER TABLE events ADD COLUMN event_count BIGINT NOT NULL DEFAULT 1;
ALTER TABLE events ADD COLUMN packed BYTEA;
ALTER TABLE events ALTER COLUMN packed SET STORAGE MAIN;
ALTER TABLE events RENAME COLUMN type TO types;

UPDATE roundtrips SET ended_at = COALESCE(started_at, 0) WHERE ended_at IS NULL;
ALTER TABLE roundtrips ALTER COLUMN ended_at SET NOT NULL, DROP CONSTRAINT roundtrips_pkey;
ALTER TABLE roundtrips ADD PRIMARY KEY (workspace_id, ended_at, id);
DROP INDEX roundtrips_spent;

-- Rows that every round updates find room on their own page.
ALTER TABLE workspaces SET (fillfactor = 50);
ALTER TABLE sessions SET (fillfactor = 50);

-- +goose Down
ALTER TABLE sessions RESET (fillfactor);
ALTER TABLE workspaces RESET (fillfactor);
-- What is packed cannot be unpacked here: the log goes, as if it had grown old.
UPDATE workspaces SET pruned_to = last_seq;
DELETE FROM events;
ALTER TABLE events RENAME COLUMN types TO type;
ALTER TABLE events DROP COLUMN packed, DROP COLUMN event_count;

ALTER TABLE roundtrips DROP CONSTRAINT roundtrips_pkey, ALTER COLUMN ended_at DROP NOT NULL;
ALTER TABLE roundtrips ADD PRIMARY KEY (workspace_id, id);
CREATE INDEX roundtrips_spent ON roundtrips (workspace_id, ended_at);
