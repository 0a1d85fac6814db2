-- Browsers in which people are signed in. A sign-in is looked up by the hash of its cookie
-- before its workspace is known. A ticket stores what it was issued for, which determines how
-- its validity is checked.

-- +goose Up
CREATE TABLE sign_ins (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    id           TEXT NOT NULL,
    owner        TEXT NOT NULL,
    hash         TEXT NOT NULL,
    method       TEXT NOT NULL,
    name         TEXT NOT NULL,
    role         TEXT NOT NULL,
    workspaces   TEXT NOT NULL,
    issuer       TEXT NOT NULL,
    key_hash     TEXT NOT NULL,
    browser      TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX sign_ins_hash ON sign_ins (hash, workspace_id);
CREATE INDEX sign_ins_owner ON sign_ins (workspace_id, owner, last_used_at);

ALTER TABLE stream_tickets ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE stream_tickets ADD COLUMN holds_until BIGINT;

-- +goose Down
ALTER TABLE stream_tickets DROP COLUMN holds_until;
ALTER TABLE stream_tickets DROP COLUMN holder;
DROP TABLE sign_ins;
