-- Passkeys with which people sign approvals of sensitive commands, pending registrations, and
-- the signed evidence with the approval that it settled. A revoked passkey is kept: as long as
-- its row exists, another one can be registered only with one of the person's passkeys.

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
