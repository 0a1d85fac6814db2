-- OAuth tokens of people's sign-ins to connectors: encrypted, bound to the origin that they are
-- for, and found by the hash of the state parameter of the callback. claimed_until prevents
-- concurrent renewal by other nodes, because a server that rotates tokens revokes the old one.

-- +goose Up
CREATE TABLE connector_grants (
    workspace_id  TEXT NOT NULL,
    connector_id  TEXT NOT NULL,
    origin        TEXT NOT NULL,
    sealed        TEXT NOT NULL,
    state_hash    TEXT NOT NULL,
    begun_by      TEXT NOT NULL,
    claimed_until BIGINT,
    version       BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, connector_id),
    FOREIGN KEY (workspace_id, connector_id) REFERENCES connectors (workspace_id, id)
);
CREATE UNIQUE INDEX connector_grants_state ON connector_grants (state_hash, workspace_id) WHERE state_hash <> '';

-- +goose Down
DROP TABLE connector_grants;
