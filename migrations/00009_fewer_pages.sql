-- A round writes fewer pages. The events that a change made of one session are one row:
-- event_count of them, whose data is packed; seq and session_seq are those of the last.
-- Rows from before hold one event each, in data. What was spent is read by the time at
-- which a call ended, so that is the order in which calls are stored. Tables of short
-- rows have no numbers of their own.

-- +goose Up
ALTER TABLE events ADD COLUMN event_count BIGINT NOT NULL DEFAULT 1;
ALTER TABLE events ADD COLUMN packed BLOB;
ALTER TABLE events RENAME COLUMN type TO types;

CREATE TABLE roundtrips_new (
    workspace_id       TEXT NOT NULL REFERENCES workspaces (id),
    id                 TEXT NOT NULL,
    session_id         TEXT NOT NULL,
    session_type       TEXT NOT NULL,
    automation_id      TEXT NOT NULL,
    round_id           TEXT NOT NULL,
    message_id         TEXT NOT NULL,
    number             BIGINT NOT NULL,
    reason             TEXT NOT NULL,
    provider_id        TEXT NOT NULL,
    provider_kind      TEXT NOT NULL,
    model              TEXT NOT NULL,
    purpose            TEXT NOT NULL,
    outcome            TEXT NOT NULL,
    error              TEXT NOT NULL,
    input_tokens       BIGINT NOT NULL,
    cache_read_tokens  BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens      BIGINT NOT NULL,
    reasoning_tokens   BIGINT NOT NULL,
    cost               DOUBLE PRECISION,
    prompt_hash        TEXT NOT NULL,
    prompt_tokens      BIGINT NOT NULL,
    streamed           BOOLEAN NOT NULL,
    started_at         BIGINT,
    first_token_at     BIGINT,
    ended_at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, ended_at, id)
) WITHOUT ROWID;
INSERT INTO roundtrips_new
    SELECT workspace_id, id, session_id, session_type, automation_id, round_id, message_id, number, reason, provider_id, provider_kind, model,
        purpose, outcome, error, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, prompt_hash,
        prompt_tokens, streamed, started_at, first_token_at, COALESCE(ended_at, started_at, 0)
    FROM roundtrips ORDER BY workspace_id, ended_at, id;
DROP TABLE roundtrips;
ALTER TABLE roundtrips_new RENAME TO roundtrips;
CREATE INDEX roundtrips_session ON roundtrips (workspace_id, session_id, number);

CREATE TABLE changes_new (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
INSERT INTO changes_new SELECT workspace_id, id, at FROM changes;
DROP TABLE changes;
ALTER TABLE changes_new RENAME TO changes;

CREATE TABLE inbox_new (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    dedupe_key   TEXT NOT NULL,
    kind         TEXT NOT NULL,
    if_busy      TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    done_at      BIGINT,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO inbox_new SELECT workspace_id, id, session_id, dedupe_key, kind, if_busy, message_id, created_at, done_at FROM inbox;
DROP TABLE inbox;
ALTER TABLE inbox_new RENAME TO inbox;
CREATE UNIQUE INDEX inbox_dedupe ON inbox (workspace_id, session_id, dedupe_key) WHERE dedupe_key <> '';
CREATE INDEX inbox_waiting ON inbox (workspace_id, session_id, created_at, id) WHERE done_at IS NULL;

CREATE TABLE queue_new (
    workspace_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    number       BIGINT NOT NULL,
    trigger_kind TEXT NOT NULL,
    reason       TEXT NOT NULL,
    since        BIGINT NOT NULL,
    not_before   BIGINT,
    preempting   BOOLEAN NOT NULL,
    PRIMARY KEY (workspace_id, session_id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO queue_new SELECT workspace_id, session_id, number, trigger_kind, reason, since, not_before, preempting FROM queue;
DROP TABLE queue;
ALTER TABLE queue_new RENAME TO queue;
CREATE INDEX queue_order ON queue (workspace_id, number, session_id);

CREATE TABLE stream_tickets_new (
    workspace_id TEXT NOT NULL,
    hash         TEXT NOT NULL,
    role         TEXT NOT NULL,
    name         TEXT NOT NULL,
    key_hash     TEXT NOT NULL,
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
) WITHOUT ROWID;
INSERT INTO stream_tickets_new SELECT workspace_id, hash, role, name, key_hash, expires_at FROM stream_tickets;
DROP TABLE stream_tickets;
ALTER TABLE stream_tickets_new RENAME TO stream_tickets;
CREATE UNIQUE INDEX stream_tickets_hash ON stream_tickets (hash, workspace_id);
CREATE INDEX stream_tickets_key ON stream_tickets (workspace_id, key_hash);

-- +goose Down
-- What is packed cannot be unpacked here: the log goes, as if it had grown old.
UPDATE workspaces SET pruned_to = last_seq;
DELETE FROM events;
ALTER TABLE events RENAME COLUMN types TO type;
ALTER TABLE events DROP COLUMN packed;
ALTER TABLE events DROP COLUMN event_count;

CREATE TABLE roundtrips_old (
    workspace_id       TEXT NOT NULL REFERENCES workspaces (id),
    id                 TEXT NOT NULL,
    session_id         TEXT NOT NULL,
    session_type       TEXT NOT NULL,
    automation_id      TEXT NOT NULL,
    round_id           TEXT NOT NULL,
    message_id         TEXT NOT NULL,
    number             BIGINT NOT NULL,
    reason             TEXT NOT NULL,
    provider_id        TEXT NOT NULL,
    provider_kind      TEXT NOT NULL,
    model              TEXT NOT NULL,
    purpose            TEXT NOT NULL,
    outcome            TEXT NOT NULL,
    error              TEXT NOT NULL,
    input_tokens       BIGINT NOT NULL,
    cache_read_tokens  BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens      BIGINT NOT NULL,
    reasoning_tokens   BIGINT NOT NULL,
    cost               DOUBLE PRECISION,
    prompt_hash        TEXT NOT NULL,
    prompt_tokens      BIGINT NOT NULL,
    streamed           BOOLEAN NOT NULL,
    started_at         BIGINT,
    first_token_at     BIGINT,
    ended_at           BIGINT,
    PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
INSERT INTO roundtrips_old SELECT * FROM roundtrips;
DROP TABLE roundtrips;
ALTER TABLE roundtrips_old RENAME TO roundtrips;
CREATE INDEX roundtrips_session ON roundtrips (workspace_id, session_id, number);
CREATE INDEX roundtrips_spent ON roundtrips (workspace_id, ended_at);

CREATE TABLE changes_old (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
INSERT INTO changes_old SELECT * FROM changes;
DROP TABLE changes;
ALTER TABLE changes_old RENAME TO changes;

CREATE TABLE inbox_old (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    dedupe_key   TEXT NOT NULL,
    kind         TEXT NOT NULL,
    if_busy      TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    done_at      BIGINT,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);
INSERT INTO inbox_old SELECT * FROM inbox;
DROP TABLE inbox;
ALTER TABLE inbox_old RENAME TO inbox;
CREATE UNIQUE INDEX inbox_dedupe ON inbox (workspace_id, session_id, dedupe_key) WHERE dedupe_key <> '';
CREATE INDEX inbox_waiting ON inbox (workspace_id, session_id, created_at, id) WHERE done_at IS NULL;

CREATE TABLE queue_old (
    workspace_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    number       BIGINT NOT NULL,
    trigger_kind TEXT NOT NULL,
    reason       TEXT NOT NULL,
    since        BIGINT NOT NULL,
    not_before   BIGINT,
    preempting   BOOLEAN NOT NULL,
    PRIMARY KEY (workspace_id, session_id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);
INSERT INTO queue_old SELECT * FROM queue;
DROP TABLE queue;
ALTER TABLE queue_old RENAME TO queue;
CREATE INDEX queue_order ON queue (workspace_id, number, session_id);

CREATE TABLE stream_tickets_old (
    workspace_id TEXT NOT NULL,
    hash         TEXT NOT NULL,
    role         TEXT NOT NULL,
    name         TEXT NOT NULL,
    key_hash     TEXT NOT NULL,
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
);
INSERT INTO stream_tickets_old SELECT * FROM stream_tickets;
DROP TABLE stream_tickets;
ALTER TABLE stream_tickets_old RENAME TO stream_tickets;
CREATE UNIQUE INDEX stream_tickets_hash ON stream_tickets (hash, workspace_id);
CREATE INDEX stream_tickets_key ON stream_tickets (workspace_id, key_hash);
