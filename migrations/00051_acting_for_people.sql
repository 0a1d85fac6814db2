-- Programs that act for their users: the keys that may, and the bearer tokens that they issue for a person.

-- +goose Up
ALTER TABLE keys ADD COLUMN acts_for TEXT NOT NULL DEFAULT '';

CREATE TABLE person_tokens (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    hash         TEXT NOT NULL,
    person_id    TEXT NOT NULL,
    key_hash     TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
);
CREATE UNIQUE INDEX person_tokens_hash ON person_tokens (hash, workspace_id);
CREATE INDEX person_tokens_person ON person_tokens (workspace_id, person_id, expires_at);
CREATE INDEX person_tokens_expiry ON person_tokens (workspace_id, expires_at);

CREATE INDEX sessions_owner ON sessions (workspace_id, owner, created_at, id) WHERE owner <> '';

-- +goose Down
DROP INDEX sessions_owner;
DROP TABLE person_tokens;
ALTER TABLE keys DROP COLUMN acts_for;
