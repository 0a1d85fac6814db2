-- Connectors: external servers whose commands are added to the catalogue. The row of a workspace
-- counts their changes, so that reading it for a decision, as every view does, shows whether the
-- cached connectors are stale.

-- +goose Up
CREATE TABLE connectors (
    workspace_id   TEXT NOT NULL REFERENCES workspaces (id),
    id             TEXT NOT NULL,
    name           TEXT NOT NULL,
    kind           TEXT NOT NULL,
    prefix         TEXT NOT NULL,
    enabled        BOOLEAN NOT NULL,
    config         TEXT NOT NULL,
    secret_sealed  TEXT NOT NULL,
    commands       TEXT NOT NULL,
    status         TEXT NOT NULL,
    status_detail  TEXT NOT NULL,
    last_listed_at BIGINT,
    version        BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX connectors_prefix ON connectors (workspace_id, prefix);
ALTER TABLE workspaces ADD COLUMN connector_changes BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE workspaces DROP COLUMN connector_changes;
DROP TABLE connectors;
