-- Forks: a session whose record begins with that of others. origin lists the parts, for readers
-- of the record; forks is the reverse mapping, for deleting a session. Messages that a fork
-- reads outlive their session in kept_messages until the last fork is deleted.

-- +goose Up
ALTER TABLE sessions ADD COLUMN origin TEXT NOT NULL DEFAULT '';

CREATE TABLE forks (
    workspace_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    origin_id    TEXT NOT NULL,
    to_seq       BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_id, origin_id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX forks_origin ON forks (workspace_id, origin_id, to_seq);

CREATE TABLE kept_messages (
    workspace_id        TEXT NOT NULL REFERENCES workspaces (id),
    session_id          TEXT NOT NULL,
    id                  TEXT NOT NULL,
    round_id            TEXT NOT NULL,
    seq                 BIGINT,
    at                  BIGINT NOT NULL,
    sender              TEXT NOT NULL,
    status              TEXT NOT NULL,
    sender_id           TEXT NOT NULL,
    rich                TEXT NOT NULL,
    text_content        TEXT NOT NULL,
    ai                  TEXT NOT NULL,
    raw                 TEXT NOT NULL,
    system              TEXT NOT NULL,
    run                 TEXT NOT NULL,
    answers_call        TEXT NOT NULL,
    exclude_from_prompt BOOLEAN NOT NULL,
    sender_name         TEXT NOT NULL,
    sender_role         TEXT NOT NULL,
    payer               TEXT NOT NULL,
    retry_of            TEXT NOT NULL,
    superseded          BOOLEAN NOT NULL,
    PRIMARY KEY (workspace_id, session_id, id)
);
CREATE UNIQUE INDEX kept_messages_order ON kept_messages (workspace_id, session_id, seq);

-- +goose Down
DROP TABLE kept_messages;
DROP TABLE forks;
ALTER TABLE sessions DROP COLUMN origin;
