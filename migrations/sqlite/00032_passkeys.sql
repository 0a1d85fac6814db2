-- Passkeys with which people sign a yes to sensitive commands, the registrations of such that were
-- begun, and what was signed, with the approval that it settled. One that its owner took back
-- stays: as long as it is there, nobody registers another for them without one of theirs.

-- +goose Up
CREATE TABLE passkeys (
    workspace_id  TEXT NOT NULL REFERENCES workspaces (id),
    id            TEXT NOT NULL,
    owner         TEXT NOT NULL,
    name          TEXT NOT NULL,
    credential_id TEXT NOT NULL,
    credential    TEXT NOT NULL,
    sign_count    BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    last_used_at  BIGINT,
    revoked_at    BIGINT,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX passkeys_credential ON passkeys (workspace_id, credential_id);
CREATE INDEX passkeys_owner ON passkeys (workspace_id, owner, created_at);

CREATE TABLE passkey_registrations (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    owner        TEXT NOT NULL,
    challenge    TEXT NOT NULL,
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, owner)
);

ALTER TABLE approvals ADD COLUMN evidence TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE approvals DROP COLUMN evidence;
DROP TABLE passkey_registrations;
DROP TABLE passkeys;
